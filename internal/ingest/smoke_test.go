package ingest

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestSmoke(t *testing.T) {
	root := os.Getenv("SMOKE_ROOT")
	if root == "" {
		t.Skip("no SMOKE_ROOT")
	}
	db := os.Getenv("SMOKE_DB")
	for range 2 {
		rep, err := Run(context.Background(), Options{Archive: db, Roots: []Root{{Path: root}}, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", *rep)
	}
}

package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piarchive/internal/jsonl/syntax"
)

// Over files that real programs wrote, and over damaged ones: a line is JSON
// exactly if encoding/json says so, the lines make up the file, entries lie on
// lines, and a scan in two parts says what one scan says.
func TestCorpus(t *testing.T) {
	root := os.Getenv("PIARCHIVE_CORPUS")
	if root == "" {
		t.Skip("PIARCHIVE_CORPUS is not set")
	}
	files, lines := 0, 0
	for _, dir := range []string{"corpus", filepath.Join("hostile", "sessions")} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			t.Run(strings.TrimPrefix(path, root), func(t *testing.T) {
				lines += checkLines(t, text)
				if strings.HasSuffix(path, ".jsonl") {
					checkSession(t, text)
				}
			})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 100 || lines < 1000 {
		t.Errorf("only %d files with %d lines", files, lines)
	}
}

func checkLines(t *testing.T, text []byte) int {
	lines, err := allLines(bytes.NewReader(text), 0, 0)
	if !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	at := int64(0)
	for _, l := range lines {
		want := string(l.Text)
		if l.Ended {
			want += "\n"
		}
		if l.Offset != at || string(text[at:at+l.Bytes]) != want {
			t.Errorf("line %d is not what lies at %d", l.No, at)
		}
		at += l.Bytes
		_, parseErr := syntax.Parse(string(l.Text))
		if errors.Is(parseErr, syntax.ErrDepth) {
			continue
		}
		var any json.RawMessage
		err := json.Unmarshal(l.Text, &any)
		if err != nil && strings.Contains(err.Error(), "exceeded max depth") {
			continue
		}
		if (parseErr == nil) != (err == nil) {
			t.Errorf("line %d: %v, to encoding/json: %v", l.No, parseErr, err)
		}
	}
	if at != int64(len(text)) {
		t.Errorf("%d bytes of %d in lines", at, len(text))
	}
	return len(lines)
}

func checkSession(t *testing.T, text []byte) {
	r := scan(t, string(text))
	checkEntries(t, text, r)
	for _, part := range []int{3, 2} {
		at := len(text) - len(text)/part
		diff, err := resumed(r, string(text), at)
		if err != nil && !errors.Is(err, ErrRestart) || diff != "" {
			t.Errorf("cut at %d: %v\n%s", at, err, diff)
		}
	}
}

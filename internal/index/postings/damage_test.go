package postings

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// damageable is a small archive with everything that one can have: several
// segments, deleted rows, an unfinished merge, lists longer than leaves.
func damageable(t testing.TB) *archive {
	a := newArchive(t, 11)
	a.vocabulary(12)
	a.set("pgsz", 64)
	a.set("automerge", 0)
	for range 4 {
		a.change()
	}
	a.set("usermerge", 2)
	a.set("merge", 3)
	a.change()
	return a
}

// TestDamage: a leaf that is not there or does not make sense is named.
func TestDamage(t *testing.T) {
	a := damageable(t)
	r := a.open()
	s := r.segments[len(r.segments)-1]
	leaf := leafID(s.id, s.first+1)
	named := regexp.MustCompile(`^full-text index damaged: segment \d+, page \d+: [a-z ]+$`)
	for _, damage := range []string{
		`DELETE FROM fts_data WHERE id = ?`,
		`UPDATE fts_data SET block = x'' WHERE id = ?`,
		`UPDATE fts_data SET block = NULL WHERE id = ?`,
		`UPDATE fts_data SET block = substr(block, 1, length(block) / 2) WHERE id = ?`,
		`UPDATE fts_data SET block = CAST(x'0000FFFF' || substr(block, 5) AS BLOB) WHERE id = ?`,
		`UPDATE fts_data SET block = zeroblob(length(block)) WHERE id = ?`,
	} {
		a.exec("BEGIN")
		a.exec(damage, leaf)
		_, err := a.open().Find(context.Background(), Phrase{Tokens: []string{""}, Prefix: true}, All)
		if !errors.Is(err, ErrDamaged) || !named.MatchString(err.Error()) {
			t.Errorf("%s: %v", damage, err)
		}
		a.exec("ROLLBACK")
	}
	for _, damage := range []string{
		`DELETE FROM fts_data WHERE id = 10`,
		`UPDATE fts_data SET block = substr(block, 1, 20) WHERE id = 10`,
		`UPDATE fts_data SET block = x'FFFF' WHERE id = 1`,
		`UPDATE fts_config SET v = 5 WHERE k = 'version'`,
	} {
		a.exec("BEGIN")
		a.exec(damage)
		if _, err := Open(context.Background(), a.DB); err == nil || !strings.Contains(err.Error(), "full-text index") {
			t.Errorf("%s: %v", damage, err)
		}
		a.exec("ROLLBACK")
	}
}

// FuzzDamage changes bytes of the index. Whatever it then says, there is an answer
// of the right form, or an error.
func FuzzDamage(f *testing.F) {
	a := damageable(f)
	var ids []int64
	if err := a.Select(&ids, `SELECT id FROM fts_data ORDER BY id`); err != nil {
		f.Fatal(err)
	}
	ctx := context.Background()
	var phrases []Phrase
	for range 3 {
		phrases = append(phrases, a.phrase())
	}
	phrases = append(phrases, Phrase{Tokens: []string{"a"}}, Phrase{Tokens: []string{""}, Prefix: true}, Phrase{Tokens: []string{"a", ""}, Prefix: true})
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0, 1, 9, 0xFF, 0, 9, 2, 0x80, 1, 7, 3, 0})
	f.Fuzz(func(t *testing.T, edits []byte) {
		a.t = t
		a.exec("BEGIN")
		defer a.exec("ROLLBACK")
		for edit := range slices.Chunk(edits[:min(len(edits), 80)], 4) {
			if len(edit) < 4 {
				break
			}
			var block []byte
			id := ids[(int(edit[0])<<8+int(edit[1]))%len(ids)]
			if err := a.Get(&block, `SELECT block FROM fts_data WHERE id = ?`, id); err != nil {
				t.Fatal(err)
			}
			switch at := int(edit[2]); {
			case len(block) == 0:
			case at < 250:
				block[at%len(block)] = edit[3]
			default:
				block = block[:int(edit[3])%len(block)]
			}
			a.exec(`UPDATE fts_data SET block = ? WHERE id = ?`, block, id)
		}
		r, err := Open(ctx, a.DB)
		if err != nil {
			return
		}
		for i, p := range phrases {
			in := []Set{All, 0b011011}[i%2]
			list, err := r.Find(ctx, p, in)
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
				continue
			}
			if len(list.Rows) != len(list.Counts) || !slices.IsSorted(list.Rows) || len(slices.Compact(slices.Clone(list.Rows))) != len(list.Rows) {
				t.Fatalf("%v: %v", p, list.Rows)
			}
			for i, c := range list.Counts {
				if c == (counts{}) || in != All && (c[2] != 0 || c[5] != 0) {
					t.Fatalf("%v: row %d: %v", p, list.Rows[i], c)
				}
			}
			Ranking{Weights: weights}.Score(list.Rows, make([]int64, len(list.Rows)), []*List{list})
		}
	})
}

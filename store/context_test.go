package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// cancelAfter ends a context when so many bytes were written to it.
type cancelAfter struct {
	left   int
	cancel func()
}

func (c *cancelAfter) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left < 0 {
		c.cancel()
	}
	return len(b), nil
}

// What writes a file anew or copies it stops when its context ends, also in the midst of
// the work, and leaves the database and its folder as they were.
func TestContextEnds(t *testing.T) {
	fast(t)
	path := tempDB(t)
	db := open(t, path, Options{})
	for i := range 3 {
		var d Delta
		for j := range 300 {
			must(t, d.Add(sample(300*i+j, []string{"ham", "spam"}[j%2])))
		}
		_, err := db.Apply(&d)
		must(t, err)
	}
	want := dumpOf(t, db, true)
	var whole bytes.Buffer
	_, err := db.Backup(t.Context(), &whole)
	must(t, err)
	backup := tempDB(t)
	must(t, os.WriteFile(backup, whole.Bytes(), 0o600))
	damaged := bytes.Clone(whole.Bytes())
	for at := len(damaged) / 2; at < len(damaged)/2+100; at++ {
		damaged[at] ^= 0xff
	}
	broken := tempDB(t)
	must(t, os.WriteFile(broken, damaged, 0o600))
	for name, run := range map[string]func(ctx context.Context, cancel func()) error{
		"backup": func(ctx context.Context, cancel func()) error {
			w := &cancelAfter{left: whole.Len() / 2, cancel: cancel}
			n, err := db.Backup(ctx, w)
			if n == int64(whole.Len()) {
				t.Error("all was copied")
			}
			return err
		},
		"compact": func(ctx context.Context, cancel func()) error {
			cancel()
			return db.Compact(ctx)
		},
		"prune": func(ctx context.Context, cancel func()) error {
			_, err := db.Prune(ctx, func(term []byte, _ []count.Cell) bool { cancel(); return true })
			return err
		},
		"restore": func(ctx context.Context, cancel func()) error {
			cancel()
			_, err := Restore(ctx, tempDB(t), backup, RestoreOptions{})
			return err
		},
		"repair": func(ctx context.Context, cancel func()) error {
			cancel()
			_, err := Repair(ctx, broken, RepairOptions{})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if err := run(ctx, cancel); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
	if dumpOf(t, db, true) != want {
		t.Error("the database is another one")
	}
	mustBeAlone(t, path)
	mustBeAlone(t, broken)
	if now, err := os.ReadFile(broken); err != nil || !bytes.Equal(now, damaged) {
		t.Errorf("the damaged file has changed: %v", err)
	}
}

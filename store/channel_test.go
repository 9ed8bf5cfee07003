package store

import (
	"context"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// A database with terms of channels is refused by a program that would count them like the
// others, however they came there; one without is not marked.
func TestChannelsFlag(t *testing.T) {
	t.Parallel()
	marked := func(what string, db *DB, want uint32) {
		t.Helper()
		err := db.file.View(func(tx *bolt.Tx) error {
			h, err := layout.Tx{Tx: tx}.Header()
			if h.Flags != want {
				t.Errorf("%s: flags %x, want %x", what, h.Flags, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	channel := plain(1, "ham")
	channel.Terms = append(channel.Terms, count.TermCount{Term: []byte("\x01abcd"), N: 1})
	db := open(t, tempDB(t), Options{})
	add(t, db, plain(2, "ham"))
	marked("without", db, 0)
	add(t, db, channel)
	marked("with", db, stored.FlagChannels)
	for name, by := range map[string]func(to *DB) error{
		"load": func(to *DB) error {
			_, err := to.Load(context.Background(), false, strings.NewReader(dumpOf(t, db, false)))
			return err
		},
		"merge": func(to *DB) error { _, err := to.Merge(context.Background(), MergeOptions{}, db); return err },
		"learned and forgotten": func(to *DB) error {
			var d Delta
			d.Add(channel)
			d.Forget(channel.ID)
			_, err := to.Apply(&d)
			return err
		},
		"many": func(to *DB) error {
			var d Delta
			d.Add(channel)
			for i := range 400 {
				d.Add(plain(i+2, "ham"))
			}
			_, err := to.Apply(&d)
			return err
		},
	} {
		to := open(t, tempDB(t), Options{})
		if err := by(to); err != nil {
			t.Fatal(name, err)
		}
		want := uint32(stored.FlagChannels)
		if name == "many" { // its documents are packed
			want |= stored.FlagPacked
		}
		marked(name, to, want)
	}
}

// A term that begins with a colon, as users of the library may have, is a term like others.
func TestColonIsNoChannel(t *testing.T) {
	t.Parallel()
	db := open(t, tempDB(t), Options{})
	add(t, db, document(1, "ham", map[string]int{":own": 3, "::own": 1, "other": 1}))
	mustCheck(t, db)
	if dump := dumpOf(t, db, false); db.header.Flags != 0 || !strings.Contains(dump, "vocabulary\t3\n") {
		t.Errorf("flags %x\n%s", db.header.Flags, dump)
	}
}

package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// What others have taught the file that was replaced, or changed in it, is not lost in silence.
func TestLearnedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := trained(t, dir)
	opened := func(path string) *store.DB {
		db, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	now, old := opened(filepath.Join(dir, "now.polya")), opened(before)
	p := &program{&command.Program{Streams: new(terminal.Streams)}}
	if err := p.checkReplaced(now, before, false); err == nil || !strings.Contains(err.Error(), "304 documents were learned, moved or forgotten meanwhile, as only "+before+" has it") {
		t.Error(err)
	}
	again := filepath.Join(dir, "again.polya")
	if _, err := store.Restore(t.Context(), again, before, store.Options{}); err != nil {
		t.Fatal(err)
	}
	f, now := &retrainFlags{forgets: true}, opened(again)
	if err := errors.Join(f.mayLose(old, now, true, nil), p.checkReplaced(now, before, true)); err != nil {
		t.Error(err)
	}
	var ids []count.DocID
	err := old.View(func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error { ids = append(ids, e.ID); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	var d store.Delta
	d.Forget(ids[0])
	err = d.Relabel(ids[1], "other")
	if err == nil {
		_, err = old.Apply(&d)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.mayLose(old, now, true, nil); err == nil || !strings.Contains(err.Error(), "2 documents were moved or forgotten meanwhile, so nothing was changed") {
		t.Error(err)
	}
	if err := p.checkReplaced(now, before, true); err == nil || !strings.Contains(err.Error(), "2 documents were learned, moved or forgotten meanwhile") {
		t.Error(err)
	}
}

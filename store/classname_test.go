package store

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// A class that is not UTF-8 is refused where one is made, and one from before is kept.
func TestClassNamesAreUTF8(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"spam": true, "größe": true, "a/b": true, "-": true, ",-": false, "unsure": false, "h\xe4m": false, "": false, "a\nb": false, strings.Repeat("x", count.MaxNameBytes+1): false} {
		if err := count.CheckClass(name); (err == nil) != want || err != nil && !errors.Is(err, count.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	open := func(name string) *DB {
		db, err := Open(filepath.Join(t.TempDir(), name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	db := open("old.polya")
	var d Delta
	if err := d.Add(count.Document{ID: count.DocID{1}, Class: "h\xe4m", Terms: []count.TermCount{{Term: []byte("x"), N: 1}}}); err != nil {
		t.Fatal(err) // as databases were made before
	}
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
	var dump bytes.Buffer
	if err := db.Dump(context.Background(), &dump, true); err != nil {
		t.Fatal(err)
	}
	if _, err := open("new.polya").Load(context.Background(), false, &dump); err == nil || !strings.Contains(err.Error(), "class name") {
		t.Errorf("loaded: %v", err)
	}
	if err := db.RenameClass("h\xe4m", "h\xf6m"); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("renamed to what is none: %v", err)
	}
	if err := db.RenameClass("h\xe4m", "ham"); err != nil {
		t.Error(err)
	}

	var good bytes.Buffer
	if err := db.Dump(context.Background(), &good, true); err != nil {
		t.Fatal(err)
	}
	if applied, err := open("again.polya").Load(context.Background(), false, &good); err != nil || applied.Learned != 1 {
		t.Errorf("loaded with its name in UTF-8: %+v, %v", applied, err)
	}
}

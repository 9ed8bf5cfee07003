package rot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/benchmarks/rot"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// snapshotMethods uses every method of a Snapshot. Whatever a damaged file makes of
// them, it is an error.
var snapshotMethods = map[string]func(*store.Snapshot) error{
	"Attributes": func(s *store.Snapshot) error { _, err := s.Attributes(); return err },
	"CategoryCounts": func(s *store.Snapshot) error {
		_, err := s.CategoryCounts("colour", "c1", make([]uint64, len(s.Classes())))
		return err
	},
	"Classes":   func(s *store.Snapshot) error { s.Classes(); return nil },
	"Document":  func(s *store.Snapshot) error { _, err := s.Document(count.DocID{3, 0, 77}); return err },
	"Documents": func(s *store.Snapshot) error { s.Documents(); return nil },
	"EachValue": func(s *store.Snapshot) error {
		return s.EachValue("wait", func(*count.Attribute, []uint64) error { return nil })
	},
	"Entries": func(s *store.Snapshot) error { return s.Entries(func(*store.Entry) error { return nil }) },
	"Entry":   func(s *store.Snapshot) error { _, err := s.Entry(count.DocID{3, 0, 77}); return err },
	"GreatestWithout": func(s *store.Snapshot) error {
		if len(s.Classes()) == 0 {
			return nil
		}
		_, _, err := s.GreatestWithout("wait", 0, 30)
		return err
	},
	"Learned": func(s *store.Snapshot) error {
		odd := func(id count.DocID) bool { return id[0]%2 == 1 }
		return errors.Join(s.Learned(nil, func(*count.Document) error { return nil }), s.Learned(odd, func(*count.Document) error { return nil }))
	},
	"Moves": func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error { s.Moves(e); return nil })
	},
	"Notes": func(s *store.Snapshot) error {
		s.Notes(func(string, count.DocID, count.ClassID, []byte) {})
		return nil
	},
	"Position": func(s *store.Snapshot) error { _, err := s.Position(); return err },
	"AppendRows": func(s *store.Snapshot) error {
		_, err := s.AppendRows(nil, askedTerms, false, func(int, []count.Cell) error { return nil })
		return err
	},
	"Rows": func(s *store.Snapshot) error {
		return s.Rows(askedTerms, true, func(int, []count.Cell) error { return nil })
	},
	"Scan":         func(s *store.Snapshot) error { return s.Scan(true, func([]byte, []count.Cell) error { return nil }) },
	"Stream":       func(s *store.Snapshot) error { _, err := s.Stream(); return err },
	"State":        func(s *store.Snapshot) error { s.State("fit"); return nil },
	"StateDigest":  func(s *store.Snapshot) error { s.StateDigest(); return nil },
	"StateInPlace": func(s *store.Snapshot) error { s.StateInPlace("fit"); return nil },
	"Vocabulary":   func(s *store.Snapshot) error { s.Vocabulary(); return nil },
}

// methods uses every method of a DB, given a healthy file, too.
var methods = map[string]func(db *store.DB, healthy string) error{
	"Analyzer": func(db *store.DB, _ string) error { db.Analyzer(); return nil },
	"Apply": func(db *store.DB, _ string) error {
		var d store.Delta
		for i := range 3 {
			if err := d.Add(count.Document{ID: count.DocID{9, byte(i)}, Class: "ham", Terms: []count.TermCount{{Term: []byte("term0"), N: 1}}}); err != nil {
				return err
			}
		}
		d.Forget(count.DocID{3, 0, 77})
		_, err := db.Apply(&d)
		return err
	},
	"ApplyLog": func(db *store.DB, _ string) error {
		var d store.Delta
		d.Forget(count.DocID{3, 0, 77})
		_, err := db.ApplyLog(context.Background(), []store.Logged{{Delta: new(store.Delta), Position: 1<<40 + 1}, {Delta: &d, Position: 1<<40 + 2}})
		return err
	},
	"Detached": func(db *store.DB, _ string) error {
		return db.Detached(func(s *store.Snapshot) error { return s.Scan(true, func([]byte, []count.Cell) error { return nil }) })
	},
	"Claim": func(db *store.DB, _ string) error {
		release, claimed, err := db.Claim()
		if claimed {
			release()
		}
		return err
	},
	"Backup": func(db *store.DB, _ string) error { _, err := db.Backup(context.Background(), io.Discard); return err },
	"Check": func(db *store.DB, _ string) error {
		_, err := db.Check(context.Background(), func(error) {})
		return err
	},
	"Close":       func(db *store.DB, _ string) error { return db.Close() },
	"Compact":     func(db *store.DB, _ string) error { return db.Compact(context.Background()) },
	"DeleteClass": func(db *store.DB, _ string) error { return db.DeleteClass(context.Background(), "list") },
	"Dump":        func(db *store.DB, _ string) error { return db.Dump(context.Background(), io.Discard, true) },
	"Follow": func(db *store.DB, _ string) error {
		return errors.Join(db.Follow(store.Stream{Name: "log"}, 1<<40), db.Follow(store.Stream{}, 0))
	},
	"Tags":   func(db *store.DB, _ string) error { db.Tags(); return nil },
	"Ledger": func(db *store.DB, _ string) error { db.Ledger(); return nil },
	"Load": func(db *store.DB, healthy string) error {
		text, err := os.ReadFile(healthy + ".dump")
		if err == nil {
			_, err = db.Load(context.Background(), false, bytes.NewReader(text))
			_, err2 := db.Load(context.Background(), true, bytes.NewReader(text))
			err = errors.Join(err, err2)
		}
		return err
	},
	"Merge": func(db *store.DB, healthy string) error {
		// In both directions: a damaged file adds nothing to a healthy one, or all.
		other, err := store.Open(healthy, store.Options{})
		if err != nil {
			return err
		}
		defer other.Close()
		_, err = other.Merge(context.Background(), store.MergeOptions{}, db)
		_, err2 := db.Merge(context.Background(), store.MergeOptions{}, other)
		return errors.Join(err, err2)
	},
	"Path": func(db *store.DB, _ string) error { db.Path(); return nil },
	"Prune": func(db *store.DB, _ string) error {
		_, err := db.Prune(context.Background(), true, func(term []byte, _ []count.Cell) bool { return len(term) > 5 })
		_, err2 := db.Prune(context.Background(), false, func([]byte, []count.Cell) bool { return true })
		return errors.Join(err, err2)
	},
	"PutState":    func(db *store.DB, _ string) error { return db.PutState(map[string][]byte{"fit": {1}}) },
	"MergeClass":  func(db *store.DB, _ string) error { return db.MergeClass(context.Background(), "list", "spam") },
	"RenameClass": func(db *store.DB, _ string) error { return db.RenameClass("spam", "junk") },
	"Size":        func(db *store.DB, _ string) error { _, err := db.Size(); return err },
	"View": func(db *store.DB, _ string) error {
		for name, use := range snapshotMethods {
			if err := db.View(use); err != nil && strings.Contains(err.Error(), "\n") {
				return fmt.Errorf("%s: an error of several lines: %w", name, err)
			}
		}
		return nil
	},
}

var askedTerms = []count.TermCount{{Term: []byte("term0"), N: 1}, {Term: []byte("term7"), N: 1}, {Term: []byte("none"), N: 1}}

// No exported method panics, has no end or faults on a damaged file, nor does any
// after another has.
func TestRotMethods(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for typ, names := range map[reflect.Type]any{reflect.TypeFor[*store.DB](): methods, reflect.TypeFor[*store.Snapshot](): snapshotMethods} {
		for i := range typ.NumMethod() {
			if name := typ.Method(i).Name; !reflect.ValueOf(names).MapIndex(reflect.ValueOf(name)).IsValid() {
				t.Errorf("%v.%s is not tried on damaged files", typ, name)
			}
		}
	}
	files := rot.Make(t.TempDir())
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	trials := 60
	if testing.Short() {
		trials = 20
	}
	opened := 0
	for n := range trials {
		f, d := rot.Choose(files, seed, random.IntN(1<<30))
		dir := t.TempDir()
		path, healthy := filepath.Join(dir, "damaged.polya"), filepath.Join(dir, "healthy.polya")
		for name, data := range map[string][]byte{path: d.Apply(bytes.Clone(f.Data)), healthy: f.Data, healthy + ".dump": f.Dump()} {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		db, err := store.Open(path, store.Options{ReadOnly: n%4 == 0})
		if err != nil {
			continue
		}
		opened++
		for name, use := range methods { // in any order
			within(t, fmt.Sprintf("%s of %s, %s %s", name, f.Name, d.Kind, d.What), func() { _ = use(db, healthy) })
		}
		within(t, "Close", func() { db.Close() })
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d damaged files opened", opened, trials)
}

package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// A database in memory does all that one in a file does, and leaves nothing behind.
func TestOpenMemory(t *testing.T) {
	t.Parallel()
	shortTails(t)
	db := openMemory(t, nil, Options{Analyzer: "words"})
	for i := range 60 {
		add(t, db, sample(i, []string{"ham", "spam"}[i%2]))
	}
	var d Delta
	d.Forget(sample(7, "").ID)
	if a, err := db.Apply(&d); err != nil || a.Forgotten != 1 {
		t.Errorf("forgot %+v, %v", a, err)
	}
	if err := db.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	mustCheck(t, db)
	text := dumpOf(t, db, true)
	var file bytes.Buffer
	if _, err := db.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(file.Bytes())

	copied := openMemory(t, file.Bytes(), Options{Analyzer: "words"})
	if dumpOf(t, copied, true) != text {
		t.Error("the copy has another dump")
	}
	add(t, copied, sample(100, "ham"))
	if dumpOf(t, db, true) != text || !bytes.Equal(file.Bytes(), before) {
		t.Error("a training of the copy has changed what it was copied from")
	}

	reader := openMemory(t, file.Bytes(), Options{ReadOnly: true})
	if dumpOf(t, reader, true) != text {
		t.Error("the database that is only read has another dump")
	}
	if err := d.Add(sample(101, "ham")); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Apply(&d); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a training where nothing may change: %v", err)
	}
}

func openMemory(t *testing.T, data []byte, o Options) *DB {
	t.Helper()
	db, err := OpenMemory(data, tuned(t, o))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(db.Path())
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", folder, err)
		}
	})
	return db
}

// What is no database is refused, and leaves nothing behind either.
func TestOpenMemoryRefuses(t *testing.T) {
	db := openMemory(t, nil, Options{})
	add(t, db, sample(1, "ham"))
	var file bytes.Buffer
	if _, err := db.Backup(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	for _, test := range []struct {
		data []byte
		o    Options
		want error
	}{
		{[]byte("From a@b.example\n"), Options{}, ErrNotPolya},
		{nil, Options{ReadOnly: true}, ErrNotExist},
		{nil, Options{MustExist: true}, ErrNotExist},
		{nil, Options{Ledger: 99}, count.ErrInvalid},
		{file.Bytes()[:file.Len()/2], Options{}, new(CorruptError)},
		{file.Bytes(), Options{Analyzer: "other"}, new(AnalyzerError)},
	} {
		db, err := OpenMemory(test.data, test.o)
		if err == nil {
			db.Close()
		}
		damaged, other := new(CorruptError), new(AnalyzerError)
		switch test.want.(type) {
		case *CorruptError:
			if !errors.As(err, &damaged) {
				t.Errorf("half a file: %v", err)
			}
		case *AnalyzerError:
			if !errors.As(err, &other) {
				t.Errorf("another analyzer: %v", err)
			}
		default:
			if !errors.Is(err, test.want) {
				t.Errorf("%d bytes: %v, want %v", len(test.data), err, test.want)
			}
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Readers that stay keep what they read after Close.
func TestOpenMemoryReadersStay(t *testing.T) {
	t.Parallel()
	tune(t).ClosePatience = 1
	db := openMemory(t, nil, Options{})
	add(t, db, sample(1, "ham"))
	err := db.View(func(s *Snapshot) error {
		if err := db.Close(); err == nil {
			t.Error("closed under a reader")
		}
		if n := s.Documents(); n != 1 {
			t.Errorf("%d documents", n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

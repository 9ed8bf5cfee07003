package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/store"
)

// sizes compares a file with others of the same content. Sizes are in bytes.
type sizes struct {
	messages          int
	documents, terms  uint64
	largest, file     int64
	loaded, compacted int64
	copies            int
	copied            int64
}

func (s sizes) ratio() float64 { return float64(s.file) / float64(min(s.loaded, s.compacted)) }

// String returns a row of the table.
func (s sizes) String() string {
	mb := func(n int64) float64 { return float64(n) / 1e6 }
	return fmt.Sprintf("| %d | %d | %d | %d | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f |",
		s.messages, s.documents, s.terms, s.copies, mb(s.copied), mb(s.largest), mb(s.file), mb(s.loaded), mb(s.compacted), s.ratio())
}

// compare measures the current mailbox and checks its content. Files that it makes are
// removed.
func (b *mailbox) compare(ctx context.Context, dir string) (s sizes, err error) {
	info, err := os.Stat(b.path)
	if err != nil {
		return s, err
	}
	s = sizes{messages: b.next, largest: max(b.largest, info.Size()), file: info.Size(), copies: b.copies, copied: b.copied}
	b.largest, b.copies, b.copied, b.lastCompared = 0, 0, 0, b.next
	db := b.db
	if db == nil {
		if db, err = store.Open(b.path, store.Options{ReadOnly: true}); err != nil {
			return s, err
		}
		defer db.Close()
	}
	if err := b.check(ctx, db, &s); err != nil {
		return s, err
	}
	if s.compacted, err = compactedSize(db, filepath.Join(dir, "copy.polya")); err != nil {
		return s, err
	}
	s.loaded, err = loadedSize(ctx, db, filepath.Join(dir, "loaded.polya"))
	return s, err
}

func (b *mailbox) check(ctx context.Context, db *store.DB, s *sizes) error {
	var first error
	report, err := db.Check(ctx, func(problem error) {
		if first == nil {
			first = problem
		}
	})
	if err := errors.Join(err, first); err != nil {
		return err
	}
	if report.Documents != uint64(b.held) {
		return fmt.Errorf("the database has %d documents, learned and not forgotten are %d", report.Documents, b.held)
	}
	s.documents, s.terms = report.Documents, report.Vocabulary
	return nil
}

func compactedSize(db *store.DB, path string) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer os.Remove(path)
	_, err = db.Backup(context.Background(), f)
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	copied, err := store.Open(path, store.Options{})
	if err != nil {
		return 0, err
	}
	err = copied.Compact(context.Background())
	if err := errors.Join(err, copied.Close()); err != nil {
		return 0, err
	}
	return size(path)
}

func loadedSize(ctx context.Context, db *store.DB, path string) (int64, error) {
	fresh, err := store.Open(path, store.Options{Analyzer: db.Analyzer(), Ledger: db.Ledger()})
	if err != nil {
		return 0, err
	}
	defer os.Remove(path)
	r, w := io.Pipe()
	go func() {
		w.CloseWithError(db.Dump(ctx, w, true))
	}()
	_, err = fresh.Load(ctx, r)
	r.CloseWithError(err)
	if err := errors.Join(err, fresh.Close()); err != nil {
		return 0, err
	}
	return size(path)
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

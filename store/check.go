package store

import (
	"cmp"
	"context"
	"errors"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/check"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
)

// Report counts what a check has looked at.
type Report = check.Report

// Check reads the whole database and calls problem for everything that is not as it must
// be: a page that bbolt cannot account for, a checksum, a row that no documents can give,
// totals that are not the sums of the rows, a ledger that does not agree with the
// classes, or, where it keeps the counts of every document, rows that are not the sums of
// these counts. It returns an error if it could not check; without a function, the first
// problem is the error.
func (db *DB) Check(ctx context.Context, problem func(error)) (Report, error) {
	if problem == nil {
		var first error
		report, err := db.Check(ctx, func(err error) { first = cmp.Or(first, err) })
		return report, cmp.Or(err, first)
	}
	c := check.New(nil, problem)
	// Reading pages that do not form a tree may never end.
	if tree, err := c.Step(func() error { return db.checkPages(c.Found) }); err != nil || !tree {
		return c.Report, err
	}
	err := db.View(func(s *Snapshot) error { return c.Run(ctx, s.source()) })
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		c.Found(err)
		err = nil
	}
	return c.Report, err
}

func (s *Snapshot) source() *check.Source {
	return &check.Source{
		Tx:     s.tx,
		Key:    &s.db.header.Key,
		Totals: s.totals,
		Scan: func(f func(term []byte, cells []count.Cell, epoch uint64) error) error {
			return s.Scan(true, func(term []byte, cells []count.Cell) error { return f(term, cells, s.row.Epoch) })
		},
		Rows:      s.scanRows,
		Documents: s.entries,
	}
}

// checkPages checks bbolt's own structure, for which nobody may write: bbolt compares the
// pages of one transaction with the current free list.
func (db *DB) checkPages(problem func(error)) error {
	return db.locked(func(f *file.File) error {
		if err := f.Check(); err != nil {
			return err // bbolt would end the program on it
		}
		if err := f.CheckMetas(); err != nil {
			problem(err)
		}
		return f.CheckFree(func(err error) { problem(fault.Page(err)) })
	})
}

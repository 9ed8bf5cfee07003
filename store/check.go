package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Check reads the whole database and calls problem for everything that is not as it must
// be: a page that bbolt cannot account for, a checksum, a row that no documents can give,
// totals that are not the sums of the rows, a ledger that does not agree with the
// classes, or, where it keeps the counts of every document, rows that are not the sums of
// these counts. It returns an error if it could not check; without a function, the first
// problem is the error.
func (db *DB) Check(ctx context.Context, problem func(error)) (Report, error) {
	c := checker{problem: problem}
	// Reading pages that do not form a tree may never end.
	if tree, err := c.step(func() error { return db.checkPages(c.found) }); err != nil || !tree {
		return c.report, err
	}
	err := db.View(func(s *Snapshot) error { return c.run(ctx, s) })
	if _, corrupt := errors.AsType[*CorruptError](err); corrupt {
		c.found(err)
		err = nil
	}
	if problem == nil {
		err = cmp.Or(err, c.first)
	}
	return c.report, err
}

// CheckPages returns an error unless the pages of a bbolt file form a tree: reading others may never
// end. It is for a file that a program keeps beside a database, and nobody may write meanwhile.
func CheckPages(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return fault.Page(pages.Check(f))
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

// Report counts the things that a check has looked at.
type Report struct {
	Documents  uint64 `json:"documents"` // of all classes
	Classes    int    `json:"classes"`
	Vocabulary uint64 `json:"vocabulary"` // distinct terms
	Tables     int    `json:"tables"`     // count tables
	Records    int    `json:"records"`    // log records
	Entries    int    `json:"entries"`    // documents that the ledger knows
	Problems   int    `json:"-"`
}

type checker struct {
	report Report

	s       *Snapshot   // nil until run
	problem func(error) // called for all that is found, unless it is nil
	first   error       // of all that is found
	whole   uint64      // documents whose counts the ledger keeps
	kept    int         // records that stay beside the tables for the ledger
	merged  uint64
}

// run looks at everything. It returns an error only if it could not look.
func (c *checker) run(ctx context.Context, s *Snapshot) error {
	c.s = s
	base, err := s.tx.Corpus()
	if err != nil {
		return err
	}
	c.merged = base.Merged
	for _, step := range []func() error{c.buckets, c.tables, c.classes, c.log, c.counts, func() error { return c.attributes(func(*attributes.Attribute) {}) }, c.state, c.ledger, c.recount} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := c.step(step); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) found(err error) {
	c.report.Problems++
	c.first = cmp.Or(c.first, err)
	if c.problem != nil {
		c.problem(err)
	}
}

func (c *checker) corrupt(what, format string, args ...any) {
	c.found(&CorruptError{What: what, Err: fmt.Errorf(format, args...)})
}

// step runs a step, and returns whether it was completed; unreadable data is reported as
// a problem, so that the next step can run.
func (c *checker) step(step func() error) (done bool, err error) {
	err = func() (err error) {
		defer fault.Guard(&err, "")()
		return step()
	}()
	if corrupt, is := errors.AsType[*CorruptError](err); is {
		c.found(corrupt)
		return false, nil
	}
	return err == nil, err
}

// tables checks each table, and that they follow one another.
func (c *checker) tables() error {
	end := c.s.tx.LastSeq()
	low, pads := uint64(0), 0
	last := uint64(0)
	err := c.s.tx.Bucket(stored.BucketTable).ForEach(func(k, v []byte) error {
		if len(k) == 9 {
			if pads++; pads != c.report.Tables || stored.DecodeSeq(k) != last || len(v) != 0 {
				c.corrupt("list of count tables", "a pad key does not follow its table")
			}
			return nil
		}
		if len(k) != 8 {
			c.corrupt("list of count tables", "it has a key of %d bytes", len(k))
			return nil
		}
		c.report.Tables++
		last = stored.DecodeSeq(k)
		if err := table.Verify(v, &c.s.db.header.Key, low, last); err != nil {
			c.corrupt(layout.TableName(last), "%w", err)
		} else if t, _ := table.Open(v); t.Seq < c.merged || t.Seq > end {
			c.corrupt(layout.TableName(last), "it holds the log up to %d, all tables up to %d, of %d", t.Seq, c.merged, end)
		}
		low = last
		return nil
	})
	if last != math.MaxUint64 && err == nil {
		c.corrupt("list of count tables", "the last hash is %016x", last)
	}
	return err
}

// log checks every record, also before the tail.
func (c *checker) log() error {
	last := c.s.tx.LastSeq()
	return c.s.tx.Bucket(stored.BucketLog).ForEach(func(k, v []byte) error {
		c.report.Records++
		rec, err := stored.DecodeRecord(k, v)
		if err != nil {
			c.found(err)
			return nil
		}
		what := fmt.Sprintf("log record %d", rec.Seq)
		if rec.Seq > last {
			c.corrupt(what, "it is above the last position %d", last)
		}
		if !rec.Doc.Sorted() {
			c.corrupt(what, "its terms are not in order")
		}
		if rec.Seq <= c.merged {
			c.kept++
		}
		if rec.Seq <= c.merged && (rec.Op != stored.OpTrain || rec.Keep != count.LedgerFull) {
			c.corrupt(what, "it should have gone when it was merged")
		}
		return nil
	})
}

// buckets checks that all buckets and settings are known ones: one under a wrong name is
// missing under its own.
func (c *checker) buckets() error {
	h, err := c.s.tx.Header()
	if err != nil {
		return err
	}
	known := map[string]bool{string(stored.BucketFold): true}
	for _, name := range h.Buckets() {
		known[string(name)] = true
	}
	root := c.s.tx.Cursor()
	for k, _ := root.First(); k != nil; k, _ = root.Next() {
		if !known[string(k)] {
			c.corrupt("list of buckets", "it has one named %.40q", k)
		}
	}
	_, position := c.s.tx.Position()
	_, stream := c.s.tx.Stream()
	_, round := c.s.tx.Round()
	_, loaded := c.s.tx.Loaded()
	for _, err := range []error{position, stream, round, loaded} {
		if err != nil {
			c.found(err)
		}
	}
	return c.s.tx.Bucket(stored.BucketMeta).ForEach(func(k, v []byte) error {
		if !stored.IsSetting(k) {
			c.corrupt("list of settings", "it has one named %.40q", k)
		} else if bytes.Equal(k, stored.KeyUnnamed) && wire.CheckCRC(v, k) == nil {
			c.corrupt("setting unnamed", "its checksum is wrong")
		}
		return nil
	})
}

// classes checks that no class id can be given twice and none is left over.
func (c *checker) classes() error {
	given := c.s.tx.LastClass()
	for _, class := range c.s.totals.Classes {
		if class.ID > given {
			c.corrupt(fmt.Sprintf("class %q", class.Name), "its id is %d, the last one given was %d", class.ID, given)
		}
	}
	if given > totals.MaxClasses {
		c.corrupt("list of classes", "%d ids have been given", given)
	}
	return c.s.tx.Bucket(stored.BucketTotal).ForEach(func(k, _ []byte) error {
		if len(k) != 4 || c.s.totals.At(count.ClassID(binary.BigEndian.Uint32(k))) < 0 {
			c.corrupt("totals of class "+stored.KeyName(k), "%w", ErrNoClass)
		}
		return nil
	})
}

func (c *checker) state() error {
	sound := true
	err := c.s.tx.Bucket(stored.BucketState).ForEach(func(k, v []byte) error {
		if wire.CheckCRC(v, k) == nil {
			sound = false
			c.corrupt(fmt.Sprintf("state %.40q", k), "its checksum is wrong")
		}
		return nil
	})
	if err != nil || !sound {
		return err
	}
	return c.s.tx.CheckState()
}

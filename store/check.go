package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Report says what a check has looked at.
type Report struct {
	Documents  uint64 // of all classes
	Classes    int
	Vocabulary uint64 // distinct terms
	Attributes int    // attributes that some document has
	Tables     int    // count tables
	Records    int    // log records
	Entries    int    // documents that the ledger knows
	Problems   int
}

// Check reads the whole database and calls problem for everything that is not
// as it must be: a page that bbolt cannot account for, a checksum, a row that
// no documents can give, totals that are not the sums of the rows, a ledger
// that does not agree with the classes, or, where it keeps the counts of every
// document, rows that are not the sum of those. It returns an error only if it
// could not look.
func (db *DB) Check(ctx context.Context, problem func(error)) (Report, error) {
	c := &checker{problem: problem}
	// What lies on pages that are not a tree can be read for ever.
	if tree, err := c.guard(func() error { return c.pages(db) }); err != nil || !tree {
		return c.report, err
	}
	err := db.View(func(s *Snapshot) error {
		c.s = s
		for _, step := range []func() error{c.buckets, c.tables, c.classes, c.log, c.rows, c.attributes, c.state, c.ledger, c.recount} {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := c.guard(step); err != nil {
				return err
			}
		}
		return nil
	})
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		c.found(err)
		err = nil
	}
	return c.report, err
}

type checker struct {
	s       *Snapshot
	problem func(error)
	report  Report
	full    bool // the ledger keeps the counts of every document
	kept    int  // records that stay beside the tables for the ledger
}

func (c *checker) found(err error) {
	c.report.Problems++
	c.problem(err)
}

func (c *checker) corrupt(what, format string, args ...any) {
	c.found(&CorruptError{What: what, Err: fmt.Errorf(format, args...)})
}

// guard runs a step, and returns whether it came to its end; what it cannot read is a
// problem, and the next one runs.
func (c *checker) guard(step func() error) (done bool, err error) {
	err = func() (err error) {
		defer damage.Guard(&err, "")()
		return step()
	}()
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		c.found(corrupt)
		return false, nil
	}
	return err == nil, err
}

// pages checks bbolt's own structure, for which nobody may write: bbolt looks at
// the pages of one transaction and at the free ones of now.
func (c *checker) pages(db *DB) (err error) {
	db.commit.Lock()
	defer db.commit.Unlock()
	f, err := db.opened()
	if err != nil {
		return db.fail(err)
	}
	if err := f.Check(); err != nil {
		return err // bbolt would end the program on it
	}
	if err := f.CheckMetas(); err != nil {
		c.found(err)
	}
	return db.fail(f.CheckFree(func(err error) { c.corrupt("page of the file", "%w", err) }))
}

// tables checks each table, and that they follow one another.
func (c *checker) tables() error {
	merged, err := c.s.tableSeq()
	if err != nil {
		return err
	}
	end := c.s.tx.LastSeq()
	low, pads := uint64(0), 0
	last := uint64(0)
	err = c.s.tx.Bucket(stored.BucketTable).ForEach(func(k, v []byte) error {
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
		} else if t, _ := table.Open(v); t.Seq() < merged || t.Seq() > end {
			c.corrupt(layout.TableName(last), "it holds the log up to %d, all tables up to %d, of %d", t.Seq(), merged, end)
		}
		low = last
		return nil
	})
	if last != math.MaxUint64 && err == nil {
		c.corrupt("list of count tables", "the last hash is %016x", last)
	}
	return err
}

// log checks every record, not only those of the tail.
func (c *checker) log() error {
	merged, err := c.s.tableSeq()
	if err != nil {
		return err
	}
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
		if rec.Seq <= merged {
			c.kept++
		}
		if rec.Seq <= merged && (rec.Op != stored.OpTrain || rec.Keep != count.LedgerFull) {
			c.corrupt(what, "it should have gone when it was merged")
		}
		return nil
	})
}

// buckets checks that there is no bucket and no setting but those that are known:
// one that goes by another name is missing under its own.
func (c *checker) buckets() error {
	h, err := c.s.tx.Header()
	if err != nil {
		return err
	}
	known := make(map[string]bool)
	for _, name := range h.Buckets() {
		known[string(name)] = true
	}
	root := c.s.tx.Cursor()
	for k, _ := root.First(); k != nil; k, _ = root.Next() {
		if !known[string(k)] {
			c.corrupt("list of buckets", "it has one named %.40q", k)
		}
	}
	return c.s.tx.Bucket(stored.BucketMeta).ForEach(func(k, v []byte) error {
		switch string(k) {
		case string(stored.KeyPosition):
			if _, err := c.s.tx.Position(); err != nil {
				c.found(err)
			}
		case string(stored.KeyRound):
			if _, err := stored.DecodeRound(v); err != nil {
				c.found(err)
			}
		case string(stored.KeyLoaded):
			if _, err := c.s.tx.Loaded(); err != nil {
				c.found(err)
			}
		case string(stored.KeyUnnamed):
			if wire.CheckCRC(v, k) == nil {
				c.corrupt("setting unnamed", "its checksum is wrong")
			}
		case string(stored.KeyHeader), string(stored.KeyAnalyzer), string(stored.KeyCorpus), string(stored.KeyState): // asked of elsewhere
		default:
			c.corrupt("list of settings", "it has one named %.40q", k)
		}
		return nil
	})
}

// classes checks that no class id can be given twice and none is left over.
func (c *checker) classes() error {
	given := c.s.tx.LastClass()
	for _, class := range c.s.Classes() {
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

// state checks what is kept beside the counts.
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

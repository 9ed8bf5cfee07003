// Package check finds errors in the counts of a database: a checksum, a row that no
// documents can give, totals that are not the sums of the rows, a ledger that does not
// agree with the classes. It reads the database through a Source.
package check

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/totals"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Source is one state of a database.
type Source struct {
	Tx     layout.Tx
	Key    *table.Key // of the hashes of terms
	Totals *totals.Totals

	// Scan calls f for every term with its cells, whose Class is the index into
	// Totals.Classes, and the epoch that its row was made in.
	Scan func(f func(term []byte, cells []count.Cell, epoch uint64) error) error

	// Rows calls f for every term with its row.
	Rows func(f func(term, row []byte) error) error

	// Documents calls f for every document that the ledger knows, with its record or with
	// the entry of its digest.
	Documents func(f func(id count.DocID, rec *stored.Record, e *stored.Entry) error) error
}

// Report counts the things that a check has looked at.
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

// Checker is a check under way.
type Checker struct {
	Report Report

	s       *Source
	problem func(error)
	full    bool // the ledger keeps the counts of every document
	kept    int  // records that stay beside the tables for the ledger
	merged  uint64
}

// New begins a check that calls problem for all that it finds. s may be nil until Run.
func New(s *Source, problem func(error)) *Checker { return &Checker{s: s, problem: problem} }

// Run looks at everything. It returns an error only if it could not look.
func (c *Checker) Run(ctx context.Context, s *Source) error {
	c.s = s
	base, err := s.Tx.Corpus()
	if err != nil {
		return err
	}
	c.merged = base.Merged
	for _, step := range []func() error{c.buckets, c.tables, c.classes, c.log, c.rows, c.Attributes, c.state, c.ledger, c.recount} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := c.Step(step); err != nil {
			return err
		}
	}
	return nil
}

// Found reports a problem.
func (c *Checker) Found(err error) {
	c.Report.Problems++
	c.problem(err)
}

func (c *Checker) corrupt(what, format string, args ...any) {
	c.Found(&fault.Error{What: what, Err: fmt.Errorf(format, args...)})
}

// Step runs a step, and returns whether it was completed; unreadable data is reported as
// a problem, so that the next step can run.
func (c *Checker) Step(step func() error) (done bool, err error) {
	err = func() (err error) {
		defer fault.Guard(&err, "")()
		return step()
	}()
	var corrupt *fault.Error
	if errors.As(err, &corrupt) {
		c.Found(corrupt)
		return false, nil
	}
	return err == nil, err
}

// tables checks each table, and that they follow one another.
func (c *Checker) tables() error {
	end := c.s.Tx.LastSeq()
	low, pads := uint64(0), 0
	last := uint64(0)
	err := c.s.Tx.Bucket(stored.BucketTable).ForEach(func(k, v []byte) error {
		if len(k) == 9 {
			if pads++; pads != c.Report.Tables || stored.DecodeSeq(k) != last || len(v) != 0 {
				c.corrupt("list of count tables", "a pad key does not follow its table")
			}
			return nil
		}
		if len(k) != 8 {
			c.corrupt("list of count tables", "it has a key of %d bytes", len(k))
			return nil
		}
		c.Report.Tables++
		last = stored.DecodeSeq(k)
		if err := table.Verify(v, c.s.Key, low, last); err != nil {
			c.corrupt(layout.TableName(last), "%w", err)
		} else if t, _ := table.Open(v); t.Seq() < c.merged || t.Seq() > end {
			c.corrupt(layout.TableName(last), "it holds the log up to %d, all tables up to %d, of %d", t.Seq(), c.merged, end)
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
func (c *Checker) log() error {
	last := c.s.Tx.LastSeq()
	return c.s.Tx.Bucket(stored.BucketLog).ForEach(func(k, v []byte) error {
		c.Report.Records++
		rec, err := stored.DecodeRecord(k, v)
		if err != nil {
			c.Found(err)
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
func (c *Checker) buckets() error {
	h, err := c.s.Tx.Header()
	if err != nil {
		return err
	}
	known := map[string]bool{string(stored.BucketFold): true}
	for _, name := range h.Buckets() {
		known[string(name)] = true
	}
	root := c.s.Tx.Cursor()
	for k, _ := root.First(); k != nil; k, _ = root.Next() {
		if !known[string(k)] {
			c.corrupt("list of buckets", "it has one named %.40q", k)
		}
	}
	return c.s.Tx.Bucket(stored.BucketMeta).ForEach(func(k, v []byte) error {
		var err error
		switch string(k) {
		case string(stored.KeyPosition):
			_, err = c.s.Tx.Position()
		case string(stored.KeyStream):
			_, err = c.s.Tx.Stream()
		case string(stored.KeyRound):
			_, err = stored.DecodeRound(v)
		case string(stored.KeyLoaded):
			_, err = c.s.Tx.Loaded()
		case string(stored.KeyUnnamed):
			if wire.CheckCRC(v, k) == nil {
				c.corrupt("setting unnamed", "its checksum is wrong")
			}
		case string(stored.KeyHeader), string(stored.KeyAnalyzer), string(stored.KeyCorpus), string(stored.KeyState): // checked elsewhere
		default:
			c.corrupt("list of settings", "it has one named %.40q", k)
		}
		if err != nil {
			c.Found(err)
		}
		return nil
	})
}

// classes checks that no class id can be given twice and none is left over.
func (c *Checker) classes() error {
	given := c.s.Tx.LastClass()
	for _, class := range c.s.Totals.Classes {
		if class.ID > given {
			c.corrupt(fmt.Sprintf("class %q", class.Name), "its id is %d, the last one given was %d", class.ID, given)
		}
	}
	if given > totals.MaxClasses {
		c.corrupt("list of classes", "%d ids have been given", given)
	}
	return c.s.Tx.Bucket(stored.BucketTotal).ForEach(func(k, _ []byte) error {
		if len(k) != 4 || c.s.Totals.At(count.ClassID(binary.BigEndian.Uint32(k))) < 0 {
			c.corrupt("totals of class "+stored.KeyName(k), "%w", totals.ErrNoClass)
		}
		return nil
	})
}

func (c *Checker) state() error {
	sound := true
	err := c.s.Tx.Bucket(stored.BucketState).ForEach(func(k, v []byte) error {
		if wire.CheckCRC(v, k) == nil {
			sound = false
			c.corrupt(fmt.Sprintf("state %.40q", k), "its checksum is wrong")
		}
		return nil
	})
	if err != nil || !sound {
		return err
	}
	return c.s.Tx.CheckState()
}

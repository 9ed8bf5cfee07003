package store

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Entry describes a document in the ledger.
type Entry struct {
	ID     count.DocID
	Class  string
	Time   time.Time    // when it was learned
	Source string       // who taught it
	Keep   count.Ledger // count.LedgerFull: Document gives its counts
}

// Entry returns the ledger's entry of a document, or nil if it was never
// learned, or learned without a ledger.
func (s *Snapshot) Entry(id count.DocID) (*Entry, error) {
	rec, e, err := s.lookUp(id)
	switch {
	case err != nil:
		return nil, s.db.fail(err)
	case rec != nil:
		return s.recordEntry(rec), nil
	case e != nil:
		return s.digestEntry(id, e), nil
	}
	return nil, nil
}

// Document returns a document with its counts, or nil if it was never learned. Where the
// ledger does not keep its counts, the error is ErrNoCounts.
func (s *Snapshot) Document(id count.DocID) (*count.Document, error) {
	rec, e, err := s.lookUp(id)
	if err != nil {
		return nil, s.db.fail(err)
	}
	if rec == nil {
		if e != nil {
			return nil, s.db.fail(fmt.Errorf("document %s: %w", id, ErrNoCounts))
		}
		return nil, nil
	}
	doc := rec.Doc.Decode(s.className(rec.Class))
	return &doc, nil
}

// lookUp returns the log record of a document, or its digest entry, or neither.
func (s *Snapshot) lookUp(id count.DocID) (*stored.Record, *stored.Entry, error) {
	switch rec, err := s.recent.LastOf(s.tx, id, s.seq); {
	case err != nil || rec != nil && rec.Op == stored.OpUntrain:
		return nil, nil, err
	case rec != nil && rec.Keep == count.LedgerDigest:
		e := rec.Entry()
		return nil, &e, nil
	case rec != nil:
		return rec, nil, nil
	}
	if err := s.checkKey(stored.BucketLedger, id[:]); err != nil {
		return nil, nil, err
	}
	e, err := s.tx.Entry(id)
	if err != nil || e == nil || e.Keep != count.LedgerFull {
		return nil, e, err
	}
	if err := s.checkKey(stored.BucketLog, stored.SeqKey(e.Seq)); err != nil {
		return nil, nil, err
	}
	rec, err := s.tx.Record(e.Seq)
	return &rec, nil, err
}

// checkKey checks the pages of a key that were not checked on opening.
func (s *Snapshot) checkKey(bucket, key []byte) error {
	if !s.db.options.ReadOnly {
		return nil
	}
	return s.file.CheckKeys(s.tx.Tx, bucket, key, key)
}

// checkHeads checks the headers of a file that nobody writes, before the whole log is read.
func (s *Snapshot) checkHeads() error {
	if !s.db.options.ReadOnly {
		return nil
	}
	return s.file.CheckHeads()
}

func (s *Snapshot) className(id count.ClassID) string {
	if at := s.totals.At(id); at >= 0 {
		return s.totals.Classes[at].Name
	}
	return ""
}

func (s *Snapshot) recordEntry(rec *stored.Record) *Entry {
	return &Entry{rec.Doc.ID, s.className(rec.Class), encoded.Time(rec.Doc.Time), string(rec.Doc.Source), rec.Keep}
}

func (s *Snapshot) digestEntry(id count.DocID, e *stored.Entry) *Entry {
	return &Entry{id, s.className(e.Class), encoded.Time(e.Time), string(e.Source), e.Keep}
}

// Learned calls f for every document whose counts the ledger keeps, in the order in which they
// were learned, and whose id want accepts; the others are not read. A nil want accepts all. The
// document is valid only during the call.
func (s *Snapshot) Learned(want func(count.DocID) bool, f func(*count.Document) error) error {
	var decoder encoded.Decoder
	return s.db.fail(s.learned(want, func(rec *stored.Record) error {
		doc := decoder.Decode(&rec.Doc, s.className(rec.Class))
		return f(&doc)
	}))
}

// learned is Learned for log records, which are valid only during the call.
func (s *Snapshot) learned(want func(count.DocID) bool, f func(*stored.Record) error) error {
	var seqs []uint64
	err := s.ledger(func(id count.DocID, e *stored.Entry) error {
		if e.Keep != count.LedgerDigest && (want == nil || want(id)) {
			seqs = append(seqs, e.Seq)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(seqs) // neighbours in the file are read together
	for i, seq := range seqs {
		rec, err := s.recordOf(seq, i)
		if err == nil {
			err = f(&rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Entries calls f for every document that the ledger knows, in order of id.
func (s *Snapshot) Entries(f func(*Entry) error) error {
	return s.db.fail(s.entries(func(id count.DocID, rec *stored.Record, e *stored.Entry) error {
		if rec != nil {
			return f(s.recordEntry(rec))
		}
		return f(s.digestEntry(id, e))
	}))
}

// entries calls f for every document of the ledger in order of id, with its log
// record or its digest entry. They are valid only during the call.
func (s *Snapshot) entries(f func(id count.DocID, rec *stored.Record, e *stored.Entry) error) error {
	read := 0
	return s.ledger(func(id count.DocID, e *stored.Entry) error {
		if e.Keep == count.LedgerDigest {
			return f(id, nil, e)
		}
		read++
		rec, err := s.recordOf(e.Seq, read)
		if err != nil {
			return err
		}
		return f(id, &rec, nil)
	})
}

// readAtOnce is how many records of a walk through the log stay in memory: the kernel maps 64 KB
// around each, until all of a large file seems to be this process's memory.
const readAtOnce = 256

// recordOf returns the record at a position, when a walk has read so many before.
func (s *Snapshot) recordOf(seq uint64, read int) (stored.Record, error) {
	if read%readAtOnce == readAtOnce-1 {
		file.Forget(s.tx.Tx)
	}
	return s.tx.Record(seq)
}

// ledger calls f for every entry of the ledger in order of id. It is valid only during the call.
func (s *Snapshot) ledger(f func(id count.DocID, e *stored.Entry) error) error {
	if err := s.checkHeads(); err != nil {
		return err
	}
	tail, err := s.tailEntries()
	if err != nil {
		return err
	}
	ids := slices.DeleteFunc(layout.InOrder(tail), func(id count.DocID) bool { return tail[id].Gone }) // still learned
	recent := func(id count.DocID) error {
		e := tail[id].Entry
		return f(id, &e)
	}
	err = s.tx.EachEntry(func(id count.DocID, e *stored.Entry) error {
		for len(ids) > 0 && bytes.Compare(ids[0][:], id[:]) <= 0 {
			if err := recent(ids[0]); err != nil {
				return err
			}
			ids = ids[1:]
		}
		if _, changed := tail[id]; changed {
			return nil
		}
		return f(id, e)
	})
	for _, id := range ids {
		if err == nil {
			err = recent(id)
		}
	}
	return err
}

// tailEntries returns the changes of the ledger in the tail of the log.
func (s *Snapshot) tailEntries() (map[count.DocID]layout.Recent, error) {
	base, err := s.tx.Corpus()
	if err != nil {
		return nil, err
	}
	tail := make(map[count.DocID]layout.Recent)
	err = s.tx.EachRecord(base.Merged, func(rec *stored.Record) error {
		if rec.Keep != count.LedgerNone {
			tail[rec.Doc.ID] = layout.RecentOf(rec)
		}
		return nil
	})
	return tail, err
}

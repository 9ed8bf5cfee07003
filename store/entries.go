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
	e, rec, err := s.lookUp(id)
	if err != nil || e == nil {
		return nil, s.db.fail(err)
	}
	return s.entry(id, e, rec), nil
}

// Document returns a document with its counts, or nil if it was never learned. Where the
// ledger does not keep its counts, the error is ErrNoCounts.
func (s *Snapshot) Document(id count.DocID) (*count.Document, error) {
	e, rec, err := s.lookUp(id)
	if err != nil || e == nil {
		return nil, s.db.fail(err)
	}
	if rec == nil {
		return nil, s.db.fail(fmt.Errorf("document %s: %w", id, ErrNoCounts))
	}
	doc := rec.Doc.Decode(s.className(e.Class))
	return &doc, nil
}

// lookUp returns the ledger's entry of a document, nil for none, and the log record if that has
// its counts.
func (s *Snapshot) lookUp(id count.DocID) (*stored.Entry, *stored.Record, error) {
	now, err := s.recent.Last(s.tx, id, s.seq)
	if err != nil || now != nil && now.Gone {
		return nil, nil, err
	}
	var e *stored.Entry
	if now != nil {
		e = &now.Entry
	} else if err := s.checkKey(stored.BucketLedger, id[:]); err != nil {
		return nil, nil, err
	} else if e, err = s.tx.Entry(id); err != nil || e == nil {
		return nil, nil, err
	}
	if e.Keep != count.LedgerFull {
		return e, nil, nil
	}
	if err := s.checkKey(stored.BucketLog, stored.SeqKey(e.Seq)); err != nil {
		return nil, nil, err
	}
	rec, err := s.tx.Record(e.Seq)
	return e, &rec, err
}

// checkKey checks the pages of a key that were not checked on opening.
func (s *Snapshot) checkKey(bucket, key []byte) error {
	if !s.db.options.ReadOnly {
		return nil
	}
	return s.file.CheckKeys(s.tx.Tx, bucket, key, key)
}

func (s *Snapshot) className(id count.ClassID) string {
	if at := s.totals.At(id); at >= 0 {
		return s.totals.Classes[at].Name
	}
	return ""
}

// entry describes a document, of which there is a log record or nil.
func (s *Snapshot) entry(id count.DocID, e *stored.Entry, rec *stored.Record) *Entry {
	at, source := e.Time, e.Source
	if rec != nil {
		at, source = rec.Doc.Time, rec.Doc.Source
	}
	return &Entry{id, s.className(e.Class), encoded.Time(at), string(source), e.Keep}
}

// Learned calls f for every document whose counts the ledger keeps, in the order of its log, and
// whose id want accepts; the others are not read. That is the order of learning, but for documents of
// one Delta. A nil want accepts all. The document is valid only during the call.
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
	record := s.tx.Records()
	for i, seq := range seqs {
		if i%(8*readAtOnce) == 8*readAtOnce-1 { // neighbours lie within the same 64 KB
			file.Forget(s.tx.Tx)
		}
		rec, err := record(seq)
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
	return s.db.fail(s.entries(func(id count.DocID, e *stored.Entry, rec *stored.Record) error {
		return f(s.entry(id, e, rec))
	}))
}

// entries calls f for every document of the ledger in order of id, with its entry and, if that
// has its counts, its log record. They are valid only during the call.
func (s *Snapshot) entries(f func(id count.DocID, e *stored.Entry, rec *stored.Record) error) error {
	read := 0
	return s.ledger(func(id count.DocID, e *stored.Entry) error {
		if e.Keep == count.LedgerDigest {
			return f(id, e, nil)
		}
		read++
		if read%readAtOnce == 0 {
			file.Forget(s.tx.Tx)
		}
		rec, err := s.tx.Record(e.Seq)
		if err != nil {
			return err
		}
		return f(id, e, &rec)
	})
}

// readAtOnce is how many records of a walk through the ledger stay in memory: the kernel maps 64 KB
// around each, until all of a large file seems to be this process's memory.
const readAtOnce = 256

// ledger calls f for every entry of the ledger in order of id. It is valid only during the call.
func (s *Snapshot) ledger(f func(id count.DocID, e *stored.Entry) error) error {
	if s.db.options.ReadOnly { // or trainings check what they write
		if err := s.file.CheckHeads(); err != nil {
			return err
		}
	}
	base, err := s.tx.Corpus()
	if err != nil {
		return err
	}
	tail := make(map[count.DocID]layout.Recent) // the changes by the tail of the log
	err = s.tx.EachRecord(base.Merged, func(rec *stored.Record) error {
		if rec.Keep != count.LedgerNone {
			tail[rec.Doc.ID] = layout.RecentOf(rec)
		}
		return nil
	})
	if err != nil {
		return err
	}
	ids := layout.InOrder(tail)
	upTo := func(last []byte) error { // calls f for the documents of the tail up to an id, nil for all
		for ; len(ids) > 0 && (last == nil || bytes.Compare(ids[0][:], last) <= 0); ids = ids[1:] {
			if now := tail[ids[0]]; !now.Gone {
				if err := f(ids[0], &now.Entry); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = s.tx.EachEntry(func(id count.DocID, e *stored.Entry) error {
		err := upTo(id[:])
		if _, changed := tail[id]; changed || err != nil {
			return err
		}
		return f(id, e)
	})
	if err != nil {
		return err
	}
	return upTo(nil)
}

// logged returns the document of an entry of count.LedgerFull. It may be kept.
func (db *DB) logged(tx layout.Tx, e *stored.Entry) (*encoded.Document, error) {
	key := stored.SeqKey(e.Seq)
	if err := db.file.CheckKeys(tx.Tx, stored.BucketLog, key, key); err != nil {
		return nil, err
	}
	rec, err := tx.Record(e.Seq)
	if err != nil {
		return nil, err
	}
	return rec.Doc.Clone(), nil
}

// noteMove keeps that a document, learned as known says and with the counts old, moves to a class.
func (r *learner) noteMove(s *step, known *stored.Entry, old *encoded.Document) error {
	from := r.totals.Classes[r.totals.At(known.Class)].Name
	last := stored.Earlier{Class: []byte(from), Source: old.Source, At: old.Time}
	if known.Keep != count.LedgerFull {
		last.Source, last.At = known.Source, known.Time
	}
	m := stored.ParseMoves(r.tx.State(stored.MoveKey(s.id)), from)
	last.At = max(last.At, m.At)
	at := time.Now().Unix()
	if s.kind == stepAdd {
		at = s.doc.Time
	}
	m.Add(last, s.class, at)
	return r.tx.PutState(&r.db.header.Key, map[string][]byte{stored.MoveKey(s.id): m.Encode()})
}

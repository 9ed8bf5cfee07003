package layout

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// LogFill is the fill of log pages: records are only added at the end, and bbolt would
// leave half of each page free for insertions.
const LogFill = 1

// LastSeq returns the position of the last record of the log.
func (tx Tx) LastSeq() uint64 { return tx.Bucket(stored.BucketLog).Sequence() }

// SetLastSeq sets the position of the last record of the log.
func (tx Tx) SetLastSeq(seq uint64) error { return tx.Bucket(stored.BucketLog).SetSequence(seq) }

// Record returns a record of the log, in place.
func (tx Tx) Record(seq uint64) (stored.Record, error) { return tx.Records()(seq) }

// Records returns Record for a walk through the log: it looks first behind the record before.
func (tx Tx) Records() func(seq uint64) (stored.Record, error) {
	c := tx.Bucket(stored.BucketLog).Cursor()
	return func(seq uint64) (stored.Record, error) {
		key := stored.SeqKey(seq)
		k, v := c.Next()
		if !bytes.Equal(k, key) {
			k, v = c.Seek(key)
		}
		if !bytes.Equal(k, key) {
			return stored.Record{}, &fault.Error{What: fmt.Sprintf("log record %d", seq), Err: errors.New("it is missing")}
		}
		return stored.DecodeRecord(key, v)
	}
}

// Sizes of the head of a page, and of a record in it without its document: bbolt's head, the key, the
// fields before the document as bulk trainings write them, and the crc.
const (
	PageHead   = 16
	RecordHead = 16 + 8 + 6 + 4
)

// PutRecord writes a record of the log.
func (tx Tx) PutRecord(rec *stored.Record) error {
	log := tx.Bucket(stored.BucketLog)
	log.FillPercent = LogFill
	return log.Put(stored.SeqKey(rec.Seq), rec.Encode())
}

// DeleteRecords deletes records of the log.
func (tx Tx) DeleteRecords(seqs ...uint64) (err error) {
	log := tx.Bucket(stored.BucketLog)
	for _, seq := range seqs {
		err = cmp.Or(err, log.Delete(stored.SeqKey(seq)))
	}
	return err
}

// EachRecord calls f with each record above seq, in order. The record is valid only
// during the call. No record of the tail may be missing, or it is an error: otherwise a
// page that lost the last records would go unnoticed.
func (tx Tx) EachRecord(seq uint64, f func(*stored.Record) error) error {
	base, err := tx.Corpus()
	if err != nil {
		return err
	}
	c := tx.Bucket(stored.BucketLog).Cursor()
	for k, v := c.Seek(stored.SeqKey(seq + 1)); k != nil; k, v = c.Next() {
		rec, err := stored.DecodeRecord(k, v)
		if err != nil {
			return err
		}
		rec.Epoch = base.Epoch
		if rec.Seq != seq+1 {
			return &fault.Error{What: "list of log records", Err: fmt.Errorf("record %d follows record %d", rec.Seq, seq)}
		}
		seq = rec.Seq
		if err := f(&rec); err != nil {
			return err
		}
	}
	if last := tx.LastSeq(); seq != last {
		return &fault.Error{What: "list of log records", Err: fmt.Errorf("it ends at record %d, the last one was %d", seq, last)}
	}
	return nil
}

// LogBytes returns the number of bytes of the records above from up to seq. It does not
// check them.
func (tx Tx) LogBytes(from, seq uint64) (n int) {
	if from >= seq {
		return 0
	}
	c := tx.Bucket(stored.BucketLog).Cursor()
	for k, v := c.Seek(stored.SeqKey(from + 1)); k != nil && stored.DecodeSeq(k) <= seq; k, v = c.Next() {
		n += len(v)
	}
	return n
}

// LastOf returns the last record of the tail that the ledger keeps of a document, or nil.
// It does not detect damage to other records; EachRecord does when totals are read.
func (tx Tx) LastOf(id count.DocID) (*stored.Record, error) {
	base, err := tx.Corpus()
	if err != nil {
		return nil, err
	}
	c := tx.Bucket(stored.BucketLog).Cursor()
	for k, v := c.Last(); k != nil && stored.DecodeSeq(k) > base.Merged; k, v = c.Prev() {
		if !bytes.Contains(v, id[:]) { // which is much faster than decoding the record
			continue
		}
		rec, err := stored.DecodeRecord(k, v)
		if err != nil {
			return nil, err
		}
		if rec.Doc.ID == id && rec.Keep != count.LedgerNone {
			rec.Epoch = base.Epoch
			return &rec, nil
		}
	}
	return nil, nil
}

// SumTail sums the changes of the tail of the log to the tables of dir, for the terms whose shapes
// are in like, or for all if that is nil. seen, if not nil, is called with each record.
func (tx Tx) SumTail(dir *Directory, key *table.Key, like *encoded.Shapes, seen func(*stored.Record)) (*rows.Overlay, error) {
	base, err := tx.Corpus()
	if err != nil {
		return nil, err
	}
	var t rows.Terms
	o := rows.NewOverlay()
	if like != nil {
		o = rows.NewSmallOverlay()
	}
	return o, tx.EachRecord(base.Merged, func(rec *stored.Record) error {
		t.Set(key, &rec.Doc, like)
		for i := range t.Steps {
			s := &t.Steps[i]
			s.Class, s.Sign = uint32(rec.Class), rec.Sign()
			if from := dir.Position(s.Hash); from < rec.Seq {
				o.Add(s, rows.At{From: from, Seq: rec.Seq})
			}
		}
		if seen != nil {
			seen(rec)
		}
		return nil
	})
}

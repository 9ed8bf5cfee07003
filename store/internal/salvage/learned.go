// Package salvage reads the documents in a damaged database file that can be learned again.
// It trusts only values whose checksum over key and value is correct.
package salvage

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Learned returns the records of the documents that are learned and whose counts the ledger
// keeps, in order of position, and reports the others to out. The error says that none is left.
func (l *Remains) Learned(out *Report) ([]FoundRecord, error) {
	alive, gone := make(map[count.DocID]int), make(map[count.DocID]bool)
	expected := uint64(0)
	for _, c := range l.totals {
		expected += c.Docs
	}
	for i, rec := range l.records {
		switch {
		case rec.op == stored.OpUntrain:
			delete(alive, rec.id)
			gone[rec.id] = true
		case rec.keep == count.LedgerFull:
			alive[rec.id] = i
		}
		if l.Corpus != nil && rec.seq > l.Corpus.Seq {
			expected += uint64((&stored.Record{Op: rec.op}).Sign()) // wraps for -1
		}
	}
	if len(alive) == 0 && (expected > 0 || l.header == nil || l.Corpus == nil || l.totalsLost) {
		return nil, errNothing()
	}
	l.findMissing(alive, gone, out)
	l.reportLog(expected, uint64(len(alive)+len(out.Missing)), out)
	order := slices.Sorted(maps.Values(alive))
	list := make([]FoundRecord, len(order))
	for i, at := range order {
		list[i] = l.records[at]
	}
	for _, id := range l.unnamed {
		out.lost("the name of class %d; it is called %q now", id, l.Names[id])
	}
	out.Rebuilt = append(out.Rebuilt, fmt.Sprintf("the count tables, totals and ledger of %s, from the log", some(len(list), "document")))
	return list, nil
}

// findMissing reports the documents of the ledger that are neither alive nor gone.
func (l *Remains) findMissing(alive map[count.DocID]int, gone map[count.DocID]bool, out *Report) {
	digests := 0
	for id, e := range l.entries {
		if _, ok := alive[id]; !ok && !gone[id] {
			out.Missing = append(out.Missing, id)
			if e.Keep == count.LedgerDigest {
				digests++
			}
		}
	}
	slices.SortFunc(out.Missing, func(a, b count.DocID) int { return cmp.Compare(l.entries[a].Seq, l.entries[b].Seq) })
	if digests > 0 {
		out.lost("%s of which the ledger keeps only a digest", some(digests, "document"))
	}
	if n := len(out.Missing) - digests; n > 0 {
		out.lost("%s whose counts in the log are damaged", some(n, "document"))
	}
}

// reportLog reports the losses of the log, and the documents of which nothing is left: known is the
// number of documents of which something is, expected that of all.
func (l *Remains) reportLog(expected, known uint64, out *Report) {
	gaps := l.gaps()
	const what = "not yet in the tables; a document that one of them forgot or moved is as it was before"
	switch {
	case gaps > 0:
		out.lost("%s, %s", some(gaps, "log record"), what)
	case l.Corpus == nil || !l.Buckets[string(stored.BucketLog)].Headed:
		out.lost("perhaps the last log records: how many there were is not known, %s", what)
	}
	switch counted := l.Corpus != nil && !l.totalsLost && gaps == 0; {
	case counted && expected > known:
		out.lost("%s of which nothing is left in the ledger, not even the id", some(expected-known, "document"))
	case !counted && l.Buckets[string(stored.BucketLog)].Torn && l.Buckets[string(stored.BucketLedger)].Torn:
		out.lost("perhaps documents of which nothing is left in the ledger, not even the id")
	}
}

// gaps returns how many positions of the tail have no sound record.
func (l *Remains) gaps() (n uint64) {
	if l.Corpus == nil {
		return 0
	}
	n = l.last - min(l.last, l.Corpus.Merged)
	for _, rec := range l.records {
		if rec.seq > l.Corpus.Merged {
			n--
		}
	}
	return n
}

// Settings writes the data other than documents and counts, and reports its losses to out.
func (l *Remains) Settings(tx layout.Tx, out *Report) error {
	for _, key := range [][]byte{stored.KeyPosition, stored.KeyStream} {
		if v := l.settings[string(key)]; v != nil {
			if err := tx.Bucket(stored.BucketMeta).Put(key, v); err != nil {
				return err
			}
		}
	}
	if l.settings[string(stored.KeyStream)] != nil {
		if err := tx.SetFlag(stored.FlagFollows); err != nil {
			return err
		}
	}
	state := l.Buckets[string(stored.BucketState)]
	torn := state.Torn
	for _, p := range state.Pieces {
		v := l.Value(p)
		if wire.CheckCRC(v, p.Key) == nil {
			torn = true
		} else if err := tx.Bucket(stored.BucketState).Put(p.Key, v); err != nil {
			return err
		}
	}
	sum, known, err := layout.StateDigest(l.settings[string(stored.KeyState)])
	switch {
	case torn:
		out.lost("what was fitted to the counts")
	case err == nil && known && l.header != nil && sum != tx.SumState(&l.header.Key):
		out.lost("perhaps what was fitted to the counts last: some of it is of an earlier time")
	}
	h, err := tx.Header()
	if err != nil {
		return err
	}
	return tx.PutStateDigest(tx.SumState(&h.Key))
}

// Report lists the results of a repair.
type Report struct {
	Rebuilt []string      // what was rebuilt, in words
	Lost    []string      // what could not be saved, in words; none if nothing is lost
	Missing []count.DocID // documents known only to have been learned
}

// ErrNotRepaired is returned when too little is left to make a database that can be trusted.
var ErrNotRepaired = errors.New("it cannot be repaired")

func errNothing() error { return notRepaired("no document is left whose counts the ledger keeps") }

func (r *Report) lost(format string, args ...any) {
	r.Lost = append(r.Lost, fmt.Sprintf(format, args...))
}

// notRepaired returns an ErrNotRepaired that says what is missing.
func notRepaired(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrNotRepaired)
}

// some says how many there are of what.
func some[N int | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

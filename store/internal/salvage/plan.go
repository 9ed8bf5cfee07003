package salvage

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Plan is the repair of a database whose ledger does not keep the counts of every
// document: Fill copies the sound data, and Fit makes it consistent.
type Plan struct {
	*Remains
	out    *Report
	header stored.Header
	corpus stored.Corpus

	classes map[count.ClassID]*count.Class // totals as of the last record, without terms
	ledger  map[count.DocID]stored.Entry   // as of the last record
	tables  []kept                         // in order of bound
	lost    []span                         // hashes whose rows are lost, in order
	gaps    []uint64                       // of records that are lost
	end     uint64                         // the first of them that the totals do not count, 0 if there is none
	trust   bool                           // no table is lost, unless the totals say so
}

// kept is a sound table and the range of hashes of its rows.
type kept struct {
	span
	where pages.Piece
}

// span is the hashes from low to high, inclusive.
type span struct{ low, high uint64 }

// ErrShort is returned when rows are missing although no table seems to be lost: without
// trust, planning may succeed.
var ErrShort = errors.New("rows are missing")

// Plan decides which data is trusted, or returns an error that says why too little is
// left. With trust only damaged tables are taken for lost.
func (l *Remains) Plan(trust bool, out *Report) (*Plan, error) {
	if l.header == nil {
		return nil, notRepaired("the header, with the key of all hashes, is lost")
	}
	if l.Corpus == nil {
		return nil, notRepaired("the corpus totals are lost, and the ledger does not keep the counts of every document")
	}
	for _, id := range l.odd {
		return nil, notRepaired("the totals of class %q are lost, and the ledger does not keep the counts of every document", l.Names[id])
	}
	if l.nameless {
		return nil, notRepaired("the totals of a class are lost, of which nothing else is left, and the ledger does not keep the counts of every document")
	}
	k := &Plan{Remains: l, out: out, header: *l.header, corpus: *l.Corpus, gaps: l.gaps(), trust: trust}
	l.sayNames(out)
	l.lostTail(k.gaps, out)
	early := k.gaps
	if i := slices.IndexFunc(k.gaps, func(seq uint64) bool { return seq > k.corpus.Seq }); i >= 0 {
		early, k.end = k.gaps[:i], k.gaps[i]
		if n := len(k.Records) - k.upTo(k.end); n > 0 {
			out.lost("%d later log records, which may be of the same documents", n)
		}
	}
	k.enter()
	doubt, err := k.doubt(early)
	if err != nil {
		return nil, err
	}
	if err := k.tail(); err != nil {
		return nil, err
	}
	k.readTables(doubt)
	if len(k.lost) > 0 {
		out.lost("the counts of the terms of damaged count tables: they are as if they had been pruned")
	}
	return k, nil
}

// enter sets the ledger's entries from the remaining records, as of the last merge.
func (k *Plan) enter() {
	k.ledger = maps.Clone(k.entries)
	known := make(map[uint64]bool)
	for _, rec := range k.Records {
		if rec.keep == count.LedgerFull && rec.op == stored.OpTrain {
			known[rec.seq] = true
		}
		if rec.seq <= k.corpus.Merged {
			k.ledger[rec.id] = stored.Entry{Keep: count.LedgerFull, Class: rec.class, Seq: rec.seq}
		}
	}
	maps.DeleteFunc(k.ledger, func(_ count.DocID, e stored.Entry) bool { return e.Keep == count.LedgerFull && !known[e.Seq] })
}

// doubt examines lost records that the totals count. If each of them can only have
// learned a document, the tables lack their counts, which then count as dropped terms.
// Otherwise, if there is no ledger for them to change, doubt returns the position from
// which tables hold the same records as the totals.
func (k *Plan) doubt(early []uint64) (uint64, error) {
	if len(early) == 0 {
		return 0, nil
	}
	more := int64(0)
	for _, c := range k.totals {
		more += int64(c.Docs) - int64(c.Untracked)
	}
	alive, kept := make(map[count.DocID]bool), len(k.ledger)+len(k.entries) > 0
	for id := range k.ledger {
		alive[id] = true
	}
	for id := range k.entries {
		alive[id] = true // it was learned, though its record may be lost
	}
	for _, rec := range k.Records {
		if rec.seq <= k.corpus.Merged || rec.keep == count.LedgerNone {
			continue
		}
		kept = true
		if rec.seq <= k.corpus.Seq {
			alive[rec.id] = rec.op == stored.OpTrain
		}
	}
	for _, known := range alive {
		if known {
			more--
		}
	}
	switch {
	case !k.Buckets[string(stored.BucketLedger)].Torn && more == int64(len(early)):
		return 0, nil
	case !kept && k.header.Ledger == count.LedgerNone:
		return early[len(early)-1], nil
	}
	return 0, notRepaired("log record %d is lost, which the totals count and the tables do not yet, and nobody knows what it changed", early[0])
}

// readTables finds the sound tables that hold the same records as the totals: the records
// up to doubt, if doubt is above 0, and none from the end on. The hashes between two of them
// belong to lost rows, or to none.
func (k *Plan) readTables(doubt uint64) {
	b := k.Buckets[string(stored.BucketTable)]
	torn, bad := b.Torn, false
	bounds := make(map[uint64]kept)
	for _, p := range b.Pieces {
		if len(p.Key) != 8 {
			continue // a pad key
		}
		bound := stored.DecodeSeq(p.Key)
		low, seq, ok := k.table(p, bound)
		if ok = ok && seq >= doubt && (k.end == 0 || seq < k.end); ok {
			bounds[bound] = kept{span{low, bound}, p}
		}
		torn, bad = torn || !ok, bad || !ok
	}
	_, ends := bounds[1<<64-1]
	k.trust = k.trust && ends && !bad && doubt == 0 && k.end == 0
	next := uint64(0) // the first hash that no table has yet
	for _, bound := range slices.Sorted(maps.Keys(bounds)) {
		t := bounds[bound]
		if torn && !k.trust && t.low > next {
			k.lost = append(k.lost, span{next, t.low - 1})
		} else {
			t.low = next
		}
		k.tables = append(k.tables, t)
		next = bound + 1
	}
	if n := len(k.tables); n == 0 || k.tables[n-1].high != 1<<64-1 {
		k.lost = append(k.lost, span{next, 1<<64 - 1})
	}
}

// table returns the lowest hash of a table's rows, the bound if it has none, and the
// table's position.
func (k *Plan) table(p pages.Piece, bound uint64) (low, seq uint64, ok bool) {
	data := k.Value(p)
	if data == nil || table.Verify(data, &k.header.Key, 0, bound) != nil {
		return 0, 0, false
	}
	t, _ := table.Open(data)
	low = bound
	err := t.All(func(_ uint32, term, _ []byte) bool {
		low = min(low, k.header.Key.Hash(term))
		return true
	})
	return low, t.Seq(), err == nil
}

// isLost returns whether the row of a hash is lost.
func (k *Plan) isLost(hash uint64) bool {
	i, found := slices.BinarySearchFunc(k.lost, hash, func(s span, hash uint64) int {
		switch {
		case s.high < hash:
			return -1
		case s.low > hash:
			return 1
		}
		return 0
	})
	return found && i < len(k.lost)
}

// tail updates the totals and the ledger to the last record.
func (k *Plan) tail() error {
	k.classes = make(map[count.ClassID]*count.Class)
	for id, c := range k.totals {
		k.classes[id] = new(*c)
		k.classes[id].Lengths = slices.Clone(c.Lengths)
	}
	return k.eachOfTail(func(rec *stored.Record) error {
		if rec.Keep != count.LedgerNone && rec.Op == stored.OpTrain {
			k.ledger[rec.Doc.ID] = rec.Entry()
		} else if rec.Keep != count.LedgerNone {
			delete(k.ledger, rec.Doc.ID)
		}
		if rec.Seq <= k.corpus.Seq {
			return nil
		}
		_, weight := rec.Doc.Weights()
		ok, c, sign := true, k.classes[rec.Class], rec.Sign() // terms are counted later
		if rec.Keep == count.LedgerNone {
			ok = rows.AddTo(&c.Untracked, sign)
		}
		if !ok || !rows.AddDocument(c, &rec.Doc, weight, sign) || !rows.AddPair(&c.Lengths, rec.Doc.Tokens, sign) {
			return notRepaired("log record %d takes more from class %q than that has", rec.Seq, k.Names[rec.Class])
		}
		return nil
	})
}

// upTo returns the number of records up to seq.
func (k *Plan) upTo(seq uint64) int {
	n, _ := slices.BinarySearchFunc(k.Records, seq+1, func(r FoundRecord, seq uint64) int { return cmp.Compare(r.seq, seq) })
	return n
}

// eachOfTail calls f with the records that are not in all tables, up to the end.
func (k *Plan) eachOfTail(f func(*stored.Record) error) error {
	to := len(k.Records)
	if k.end > 0 {
		to = k.upTo(k.end)
	}
	for i := k.upTo(k.corpus.Merged); i < to; i++ {
		where := &k.Records[i]
		rec, err := k.Record(where)
		if err != nil {
			return err
		}
		rec.Epoch = k.corpus.Epoch
		if err := f(&rec); err != nil {
			return err
		}
	}
	return nil
}

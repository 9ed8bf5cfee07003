package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// Entry returns the ledger's entry of the document, or nil.
func (w *writer) Entry(id count.DocID) (*stored.Entry, error) {
	if r, ok := w.recent[id]; ok {
		if r.gone {
			return nil, nil
		}
		return &r.entry, nil
	}
	if w.mem.overlay == nil { // or recent had it
		last, err := w.tx.LastOf(id)
		if err != nil {
			return nil, err
		}
		if last != nil {
			w.recent[id] = recentOf(last)
			return w.Entry(id)
		}
	}
	return w.tx.Entry(id)
}

// Logged returns what the log keeps of the document of entry e.
func (w *writer) Logged(e *stored.Entry) (*encoded.Document, error) {
	for i := len(w.records) - 1; i >= 0; i-- {
		if r := &w.records[i]; r.Seq == e.Seq {
			return &r.Doc, nil
		}
	}
	if err := w.db.file.CheckLeaf(w.tx.Tx, stored.BucketLog, stored.SeqKey(e.Seq)); err != nil {
		return nil, err
	}
	rec, err := w.tx.Record(e.Seq)
	if err != nil {
		return nil, err
	}
	return rec.Doc.Clone(), nil
}

// Train logs a document of c.
func (w *writer) Train(c *count.Class, doc *encoded.Document, keep count.Ledger) error {
	return w.put(&stored.Record{Op: stored.OpTrain, Keep: keep, Class: c.ID, Doc: *doc})
}

// Untrain logs that the document of entry e is forgotten.
func (w *writer) Untrain(e *stored.Entry, doc *encoded.Document) error {
	return w.put(&stored.Record{Op: stored.OpUntrain, Keep: e.Keep, Class: e.Class, Doc: *doc})
}

// put stages a record, sets its position and epoch, and changes rows and totals by it.
func (w *writer) put(rec *stored.Record) error {
	rec.Seq, rec.Epoch = w.totals.Seq+1, w.totals.Epoch
	class := w.totals.At(rec.Class)
	if rec.Op == stored.OpTrain {
		if err := roomFor(w.totals.Classes[class], &rec.Doc); err != nil {
			return fmt.Errorf("document %s: %w", rec.Doc.ID, err)
		}
	}
	if err := w.change(rec); err != nil {
		return err
	}
	if err := w.total(rec, class); err != nil {
		if rec.Op == stored.OpUntrain && rec.Keep == count.LedgerNone {
			return notLearned(rec.Doc.ID)
		}
		return err
	}
	if err := w.count(rec); err != nil {
		return err
	}
	if !w.exact {
		w.histograms.Add(w.totals.Classes[class], rec, 1)
	}
	w.totals.TailBytes += len(rec.Doc.Raw)
	w.records = append(w.records, *rec)
	at := rows.At{Seq: rec.Seq, Committed: w.base, Oldest: w.oldest}
	w.overlay.Lock()
	for i := range w.staged {
		s := &w.staged[i]
		at.From = w.dir.Position(s.Hash)
		w.done = append(w.done, w.overlay.Add(s, at))
	}
	w.overlay.Unlock()
	if rec.Keep != count.LedgerNone {
		old, had := w.recent[rec.Doc.ID]
		w.recents = append(w.recents, recentBefore{rec.Doc.ID, old, had})
		w.recent[rec.Doc.ID] = recentOf(rec)
	}
	return nil
}

// total changes the totals by a record of the class at that place.
func (w *writer) total(rec *stored.Record, class int) error {
	own, add := w.totals.Own, w.totals.Add
	if !w.exact {
		own, add = w.totals.Share, w.totals.Count
	}
	if !w.owned[rec.Class] {
		own(class)
		w.owned[rec.Class] = true
	}
	return add(rec)
}

// count changes what is counted of the record's attributes. A document that no
// ledger knows is refused if it leaves its class fewer documents than one of its
// terms or attributes has: it was another that was learned.
func (w *writer) count(rec *stored.Record) error {
	loose := rec.Op == stored.OpUntrain && rec.Keep == count.LedgerNone
	err := w.attributes.Add(&rec.Doc, uint32(rec.Class), rec.Sign())
	if err == nil && loose {
		c := w.totals.ByID(rec.Class)
		if err = w.attributes.Within(c); err == nil && !rows.HoldsTerms(c) {
			err = count.ErrNotLearned
		}
	}
	switch {
	case err == count.ErrNotLearned && loose:
		return notLearned(rec.Doc.ID)
	case err == count.ErrNotLearned:
		return &CorruptError{What: "ledger entry of document " + rec.Doc.ID.String(), Err: errors.New("its attributes were not counted")}
	}
	return attributeError(&rec.Doc, err)
}

// attributeError says which document has an attribute of another kind.
func attributeError(doc *encoded.Document, err error) error {
	var kind *count.AttributeError
	if errors.As(err, &kind) {
		return fmt.Errorf("document %s: %w", doc.ID, err)
	}
	return err
}

// change stages what changes in the rows of the record's terms, and fills in what the
// record says of them.
func (w *writer) change(rec *stored.Record) error {
	weights, sum := rec.Doc.Weights()
	rec.Weight = sum
	w.staged, w.arena, w.hashes, w.before = w.staged[:0], w.arena[:0], w.hashes[:0], w.before[:0]
	sign := rec.Sign()
	rec.Doc.Each(func(t []byte, n uint8) {
		w.arena = append(w.arena, t...)
		term := w.arena[len(w.arena)-len(t):]
		hash := w.db.header.Key.Hash(term)
		w.hashes = append(w.hashes, hash)
		w.staged = append(w.staged, rows.Step{Hash: hash, Term: term, Class: uint32(rec.Class), Sign: sign, N: n, W: count.WeightOf(&weights, term, n)})
	})
	w.near += w.overlay.Touch(w.hashes)
	for i := range w.staged {
		s := &w.staged[i]
		if err := w.documents(s); err != nil {
			return w.rowError(rec, s.Term, err)
		}
		if count.OfChannel(s.Term) {
			w.channel = true
		} else {
			w.before = append(w.before, uint64(s.Docs))
			if sign > 0 && s.All == 0 || s.All+sign == 0 {
				rec.Fresh++
			}
		}
		s.Docs += sign
		s.All += sign
	}
	rec.Moves = runs(w.before)
	return nil
}

// documents is that of lookup. The error is count.ErrNotLearned unless the row has what the
// step takes away.
func (w *writer) documents(s *rows.Step) error {
	if s.Sign < 0 {
		row, changes, err := w.find(s.Hash, s.Term)
		if err != nil {
			return err
		}
		cells, err := w.fold.Sum(row, changes)
		if err != nil {
			return err
		}
		if err := rows.Holds(cells, s.Class, int(s.N), s.W); err != nil {
			return err
		}
	}
	return w.lookup.documents(s)
}

// rowError says which document a row does not hold, or that it is damaged:
// what the ledger has learned, a sound row must hold.
func (w *writer) rowError(rec *stored.Record, term []byte, err error) error {
	if err == count.ErrNotLearned && rec.Keep == count.LedgerNone {
		return notLearned(rec.Doc.ID)
	}
	return &CorruptError{What: fmt.Sprintf("row of term %.40q", term), Err: err}
}

// runs counts equal values, in ascending order. Most are small.
func runs(values []uint64) []count.Pair {
	var small [256]uint32
	large := values[:0]
	for _, v := range values {
		if v < uint64(len(small)) {
			small[v]++
		} else {
			large = append(large, v)
		}
	}
	pairs := make([]count.Pair, 0, 64)
	for v, n := range small {
		if n > 0 {
			pairs = append(pairs, count.Pair{N: uint64(v), Count: uint64(n)})
		}
	}
	slices.Sort(large)
	for _, v := range large {
		if n := len(pairs); n > 0 && pairs[n-1].N == v {
			pairs[n-1].Count++
		} else {
			pairs = append(pairs, count.Pair{N: v, Count: 1})
		}
	}
	return pairs
}

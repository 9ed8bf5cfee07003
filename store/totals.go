package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// totals is what is counted of all classes as of a position of the log. It is
// immutable once it is published: training makes a new one that shares the
// classes which did not change.
type totals struct {
	seq        uint64
	vocabulary uint64
	epoch      uint64         // how often terms have been dropped
	classes    []*count.Class // in order of name
	index      []int32        // by class id: where it is in classes, or -1
	tailBytes  int            // of the terms in the log that no table has yet, about
}

// loadTotals sums the totals of the file and of the tail of the log.
func loadTotals(tx layout.Tx) (*totals, stored.Corpus, error) {
	base, err := tx.Corpus()
	if err != nil {
		return nil, base, err
	}
	t := &totals{seq: base.Seq, vocabulary: base.Vocabulary, epoch: base.Epoch}
	if err := tx.EachClass(func(c *count.Class) { t.classes = append(t.classes, c) }); err != nil {
		return nil, base, err
	}
	t.order()
	tail := tailSums{t: t, classes: make([]classTail, len(t.classes))}
	err = tx.EachRecord(base.Merged, func(rec *stored.Record) error {
		t.tailBytes += len(rec.Doc.Raw)
		if rec.Seq <= base.Seq {
			return nil
		}
		return tail.add(rec)
	})
	if err == nil {
		err = tail.finish()
	}
	return t, base, err
}

// tailSums sums the histograms of many records before they are added to the
// totals: one by one, each would move half of a histogram.
type tailSums struct {
	t       *totals
	classes []classTail
}

type classTail struct {
	lengths, frequencies *changes
}

// changes sums the changes of a sparse histogram.
type changes struct {
	small []int64          // those of N below its length
	large map[uint64]int64 // the others
}

// maxSmall bounds the memory of changes.small.
const maxSmall = 1 << 15

func (c *changes) add(n uint64, d int64) {
	if n < uint64(len(c.small)) {
		c.small[n] += d
		return
	}
	if c.large == nil {
		c.large = make(map[uint64]int64)
	}
	c.large[n] += d
}

// all yields the changes in order of N.
func (c *changes) all(yield func(n uint64, d int64) bool) {
	for n, d := range c.small {
		if d != 0 && !yield(uint64(n), d) {
			return
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.large)) {
		if !yield(n, c.large[n]) {
			return
		}
	}
}

func (s *tailSums) add(rec *stored.Record) error {
	i := s.t.at(rec.Class)
	if i < 0 {
		return &CorruptError{What: fmt.Sprintf("log record %d", rec.Seq), Err: ErrNoClass}
	}
	c := &s.classes[i]
	if c.lengths == nil {
		// No term is in more documents than there are; few documents are long.
		docs := min(s.t.classes[i].Docs+uint64(maxTail), maxSmall)
		c.lengths = &changes{small: make([]int64, 1<<10)}
		c.frequencies = &changes{small: make([]int64, docs)}
	}
	c.lengths.add(rec.Doc.Tokens, rec.Sign())
	rec.EachMove(func(before, after uint64, terms int64) {
		c.frequencies.add(before, -terms)
		c.frequencies.add(after, terms)
	})
	bare := *rec
	bare.DropMoves()
	return s.t.count(&bare)
}

// finish adds the histograms to the totals.
func (s *tailSums) finish() error {
	for i, tail := range s.classes {
		if tail.lengths == nil {
			continue
		}
		c := s.t.classes[i]
		tail.frequencies.small[0] = 0 // terms that the class does not have
		ok := addPairs(&c.Lengths, tail.lengths) && addPairs(&c.Frequencies, tail.frequencies)
		for _, n := range tail.frequencies.all {
			ok = rows.AddTo(&c.Terms, n) && ok
		}
		if !ok {
			return &CorruptError{What: "log", Err: fmt.Errorf("it takes more from class %q than that has", c.Name)}
		}
	}
	return nil
}

// addPairs adds the changes to a histogram, and returns false if a count falls
// below zero.
func addPairs(pairs *[]count.Pair, c *changes) bool {
	old := *pairs
	out := make([]count.Pair, 0, 2*len(old))
	ok := true
	for n, d := range c.all {
		for len(old) > 0 && old[0].N < n {
			out, old = append(out, old[0]), old[1:]
		}
		p := count.Pair{N: n}
		if len(old) > 0 && old[0].N == n {
			p, old = old[0], old[1:]
		}
		ok = rows.AddTo(&p.Count, d) && ok
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	*pairs = append(out, old...)
	return ok
}

// order sorts the classes by name and makes the index.
func (t *totals) order() {
	slices.SortFunc(t.classes, func(a, b *count.Class) int { return strings.Compare(a.Name, b.Name) })
	size := 0
	for _, c := range t.classes {
		size = max(size, int(c.ID)+1)
	}
	t.index = make([]int32, size)
	for i := range t.index {
		t.index[i] = -1
	}
	for i, c := range t.classes {
		t.index[c.ID] = int32(i)
	}
}

// insert adds a class without sorting all others again, and returns where it is.
// t.classes must be t's own.
func (t *totals) insert(c *count.Class) int {
	place, _ := slices.BinarySearchFunc(t.classes, c.Name, func(c *count.Class, name string) int { return strings.Compare(c.Name, name) })
	t.classes = slices.Insert(t.classes, place, c)
	index := make([]int32, max(len(t.index), int(c.ID)+1)) // the old one is shared
	for id := range index {
		index[id] = -1
		if id < len(t.index) {
			index[id] = t.index[id]
		}
		if index[id] >= int32(place) {
			index[id]++
		}
	}
	index[c.ID] = int32(place)
	t.index = index
	return place
}

// at returns where class id is in t.classes, or -1.
func (t *totals) at(id count.ClassID) int {
	if int64(id) >= int64(len(t.index)) {
		return -1
	}
	return int(t.index[id])
}

// named returns the class of that name, or nil.
func (t *totals) named(name string) *count.Class {
	if at := count.ClassNamed(t.classes, name); at >= 0 {
		return t.classes[at]
	}
	return nil
}

// clone returns a copy whose classes are still shared.
func (t *totals) clone() *totals {
	c := *t
	c.classes = slices.Clone(t.classes)
	return &c
}

// own replaces class i by a copy that may be changed, and returns it.
func (t *totals) own(i int) *count.Class {
	c := *t.classes[i]
	c.Lengths = slices.Clone(c.Lengths)
	c.Frequencies = slices.Clone(c.Frequencies)
	t.classes[i] = &c
	return &c
}

// add counts a record. t's classes must be its own.
func (t *totals) add(rec *stored.Record) error {
	i := t.at(rec.Class)
	if i < 0 {
		return &CorruptError{What: fmt.Sprintf("log record %d", rec.Seq), Err: ErrNoClass}
	}
	if !rows.AddPair(&t.classes[i].Lengths, rec.Doc.Tokens, rec.Sign()) {
		return &CorruptError{What: fmt.Sprintf("log record %d", rec.Seq), Err: fmt.Errorf("class %q has no document so long", t.classes[i].Name)}
	}
	return t.count(rec)
}

// count counts a record, but for its length.
func (t *totals) count(rec *stored.Record) error {
	i := t.at(rec.Class)
	if rec.Seq <= t.seq || !countRecord(t.classes[i], rec) {
		return &CorruptError{What: fmt.Sprintf("log record %d", rec.Seq), Err: fmt.Errorf("it takes more from class %q than that has", t.classes[i].Name)}
	}
	t.seq = rec.Seq
	if rec.Op == stored.OpTrain {
		t.vocabulary += rec.Fresh
	} else {
		t.vocabulary -= rec.Fresh
	}
	return nil
}

// countRecord counts a record, but for its length, and returns false if a count would
// fall below zero; the class is then useless.
func countRecord(c *count.Class, rec *stored.Record) bool {
	sign := rec.Sign()
	ok := rows.AddDocument(c, &rec.Doc, rec.Weight, sign)
	if rec.Keep == count.LedgerNone {
		ok = ok && rows.AddTo(&c.Loose, sign)
	}
	rec.EachMove(func(before, after uint64, terms int64) {
		ok = ok && rows.MoveTerms(c, before, after, terms)
	})
	return ok
}

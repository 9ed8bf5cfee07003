package bulk

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Shard is the change of some of the documents, among them all documents with the same id.
type Shard struct {
	Documents int
	Delta     []byte                 // encoded
	Paths     map[count.DocID]string // of the last document with each repeated id
	Differ    int                    // ids that sources give to different documents
	First     Named                  // the first such id
}

// Named is a document with an id from its source, at its place in the training.
type Named struct {
	Input, Number int
	Name          string // path and id
	Row           bool   // it is one of a table
}

// NewShard merges the changes for one shard, in any order, to the result of one training. A
// change that comes twice, because its input was read twice, counts once.
func NewShard(packs iter.Seq[[]byte]) (*Shard, error) {
	var changes []*change
	for data := range packs {
		var pack []*change
		if err := decode(data, &pack); err != nil {
			return nil, fmt.Errorf("changes of a shard: %w", err)
		}
		changes = append(changes, pack...)
	}
	place := func(a, b *change) int { return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Number, b.Number)) }
	slices.SortFunc(changes, place)
	changes = slices.CompactFunc(changes, func(a, b *change) bool { return place(a, b) == 0 })
	s := &Shard{Documents: len(changes), Paths: map[count.DocID]string{}}
	var all store.Delta
	first, differ := map[count.DocID]*change{}, map[count.DocID]bool{}
	for _, c := range changes {
		doc, err := c.document(&all)
		if err != nil {
			return nil, err
		}
		before := first[doc.ID]
		if before == nil {
			first[doc.ID] = c
			continue
		}
		s.Paths[doc.ID] = c.Path
		if c.GivenID == "" || differ[doc.ID] {
			continue
		}
		if was, err := before.document(new(store.Delta)); err != nil {
			return nil, err
		} else if !alike(&was, &doc) {
			if s.Differ == 0 {
				s.First = Named{c.Input, c.Number, reading.RepeatedID(c.Path, c.GivenID), c.Row}
			}
			differ[doc.ID] = true
			s.Differ++
		}
	}
	var err error
	s.Delta, err = all.MarshalBinary()
	return s, err
}

// document returns the document of c, and appends the change to d.
func (c *change) document(d *store.Delta) (doc count.Document, err error) {
	var one store.Delta
	if err = one.UnmarshalBinary(c.Delta); err == nil {
		one.Each(func(_ count.DocID, _ string, e *store.Encoded) { doc = e.Document() })
		d.Merge(&one)
	}
	if err != nil {
		return doc, fmt.Errorf("%s: %w", c.Path, err)
	}
	return doc, nil
}

// alike reports whether two documents are the same except for the time of learning.
func alike(a, b *count.Document) bool {
	one, other := *a, *b
	one.Time, other.Time = time.Time{}, time.Time{}
	return reflect.DeepEqual(one, other)
}

// repeats lists the ids that different documents in the shards share, "" if there are none.
func repeats(shards []*Shard) string {
	var first Named
	n, row := 0, false
	for _, s := range shards {
		if s.Differ == 0 {
			continue
		}
		if f := s.First; n == 0 || cmp.Or(cmp.Compare(f.Input, first.Input), cmp.Compare(f.Number, first.Number)) < 0 {
			first, row = f, f.Row
		}
		n += s.Differ
	}
	return reading.RepeatsNote(n, first.Name, row)
}

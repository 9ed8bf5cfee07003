package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// settled says what became of the documents of a shard.
type settled struct {
	Shard, Documents        int // that were read
	Learned, Moved, Already int
	Errors                  []string
	Failed                  string // why there is no database
}

// batchBytes is the size of documents from which they are learned in one transaction.
const batchBytes = 16 << 20

// settle learns the documents of a shard, given in packs that come in any order, as a training in
// the order of their places does: copies of one document have all come to one shard. A pack that
// comes twice counts once. create is called with what writes the database.
func (t *training) settle(ctx context.Context, shard int, packs iter.Seq[[]byte], create func(func(io.Writer) error) error) (*settled, error) {
	sorted := slices.SortedFunc(packs, bytes.Compare)
	db, err := t.open()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	s := &settled{Shard: shard}
	l := lessons{settled: s, db: db, paths: map[count.DocID]string{}}
	for _, data := range slices.CompactFunc(sorted, func(a, b []byte) bool { return bytes.Equal(a[:8], b[:8]) }) {
		if err := l.add(data); err != nil {
			return nil, fmt.Errorf("documents of shard %d: %w", shard, err)
		}
	}
	if l.learn(); s.Failed != "" {
		return s, nil
	}
	return s, create(func(w io.Writer) error { _, err := db.Backup(ctx, w); return err })
}

func (t *training) open() (*store.DB, error) {
	return store.OpenMemory(nil, store.Options{Analyzer: t.Analyzer, Ledger: t.Ledger, Tags: t.Tags})
}

// lessons are the documents of a shard that are being learned.
type lessons struct {
	*settled
	db    *store.DB
	delta store.Delta
	paths map[count.DocID]string // of delta
}

func (l *lessons) add(data []byte) error {
	p, err := unpack(data)
	if err != nil {
		return err
	}
	var d store.Delta
	if err := d.UnmarshalBinary(p.Delta); err != nil {
		return err
	}
	if d.Len() != len(p.Paths) {
		return fmt.Errorf("%w: %d documents with %d paths", count.ErrInvalid, d.Len(), len(p.Paths))
	}
	paths := p.Paths
	d.Each(func(id count.DocID, _ string, _ *store.Encoded) {
		l.paths[id], paths = paths[0], paths[1:]
	})
	l.Documents += d.Len()
	l.delta.Merge(&d)
	if l.delta.Size() >= batchBytes {
		l.learn()
	}
	return nil
}

// learn learns the documents added since it was called last.
func (l *lessons) learn() {
	if l.Failed != "" {
		return
	}
	applied, err := l.db.Apply(&l.delta)
	if err != nil {
		l.Failed = err.Error() // result knows better what is wrong
	}
	l.Learned, l.Moved, l.Already = l.Learned+applied.Learned, l.Moved+applied.Moved, l.Already+applied.Already
	for _, id := range applied.Conflicts {
		l.Errors = append(l.Errors, learning.Stays(l.paths[id]).Error())
	}
	l.delta = store.Delta{}
	clear(l.paths)
}

// result is what a run has come to. It is plain data.
type result struct {
	Learned, Moved, Already int
	Errors                  []string // documents that were not learned as intended
	Notes                   []string
	Failed                  string // why the databases are not complete
}

// result sums up the reports of all inputs and all shards.
func (t *training) result(inputs int, reports []*report, all []*settled) *result {
	slices.SortFunc(reports, func(a, b *report) int { return cmp.Compare(a.Input.Number, b.Input.Number) })
	slices.SortFunc(all, func(a, b *settled) int { return cmp.Compare(a.Shard, b.Shard) })
	r := new(result)
	each, documents := len(reports) == inputs, 0
	for i, one := range reports {
		r.Errors, r.Notes = append(r.Errors, one.Errors...), append(r.Notes, one.Notes...)
		each, documents = each && one.Input.Number == i, documents+one.Documents
	}
	failed := agree(reports)
	for i, s := range all {
		each, documents = each && (i == 0 || all[i-1].Shard < s.Shard), documents-s.Documents
		r.Errors = append(r.Errors, s.Errors...)
		r.Learned, r.Moved, r.Already = r.Learned+s.Learned, r.Moved+s.Moved, r.Already+s.Already
		if s.Failed != "" {
			failed = cmp.Or(failed, errors.New(s.Failed))
		}
	}
	switch {
	case !each || documents != 0:
		r.Failed = fmt.Sprintf("the runner has lost something, or done it twice: there are %d reports of %d paths, and %d documents of them are in no database", len(reports), inputs, documents)
	case failed != nil:
		r.Failed = failed.Error()
	case r.Learned == 0:
		r.Failed = "no documents were learned, and there is no database"
	}
	return r
}

// agree returns an error if reading paths separately gave another result than one training of
// all would: a training takes an attribute's kind from the first document that has it, and a
// string column's use from the first table.
func agree(reports []*report) error {
	kinds, uses := map[string]*report{}, map[string]*report{}
	for _, r := range reports {
		for _, name := range slices.Sorted(maps.Keys(r.Kinds)) {
			first := cmp.Or(kinds[name], r)
			kinds[name] = first
			if a, b := first.Kinds[name], r.Kinds[name]; a != b {
				return fmt.Errorf("attribute %.40q is %s in %s and %s in %s: --kind %s=%s, or another, says which", name, a, first.Input.Path, b, r.Input.Path, name, a)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(r.Uses)) {
			first := cmp.Or(uses[name], r)
			uses[name] = first
			if first.Uses[name] != r.Uses[name] {
				return fmt.Errorf("column %s is the text in one of %s and %s, and a category in the other: --text-column says which column is the text", name, first.Input.Path, r.Input.Path)
			}
		}
	}
	return nil
}

// Package similarity searches for documents similar to a given set, for a command.
package similarity

import (
	"context"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/similar"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Search finds the documents that are similar to a set.
type Search struct {
	In    []string // where to search
	Limit int      // the number of documents kept, 0 for all
	Terms int      // the number of terms listed for each
	Paper bool     // use the score of the paper, without improvements
	JSON  bool     // print JSON

	db    *classify.Classifier
	set   *similar.Set
	given map[count.DocID]bool // the documents of the set
	best  numeric.Shortlist[*candidate]
}

// ReadSet reads the given documents, each once. All must be readable.
func (s *Search) ReadSet(ctx context.Context, db *classify.Classifier, r *reading.Reader, paths []string) error {
	s.db, s.given = db, make(map[count.DocID]bool)
	s.best.Limit, s.best.Compare = s.Limit, (*candidate).before
	var set []count.Document
	attributes := false
	r.Deliver = func(d *reading.Document) error {
		if !s.given[d.ID] {
			s.given[d.ID] = true
			attributes = attributes || len(d.Given)+len(d.Read) > 0
			doc := classify.Document{ID: d.ID, Bag: copyBag(&d.Bag)}
			set = append(set, doc.Counted("", nil))
		}
		return nil
	}
	if err := r.Read(ctx, paths); err != nil {
		return err
	}
	if len(r.Failed) > 0 {
		return r.Failed
	}
	var o similar.Options
	if s.Paper {
		o = similar.BayesianSets()
	}
	var err error
	s.set, err = similar.New(ctx, s.db.Store(), set, o)
	if errors.Is(err, similar.ErrNoKnownTerm) && attributes {
		return fmt.Errorf("%s: %w, and attributes are not compared; --text-column says which column has words", s.db.Store().Path(), err)
	}
	if errors.Is(err, similar.ErrNoKnownTerm) {
		return fmt.Errorf("%s: %w; train the database on ordinary documents first", s.db.Store().Path(), err)
	}
	if errors.Is(err, similar.ErrNoDocuments) {
		return fmt.Errorf("%s: %w", s.db.Store().Path(), err)
	}
	return err
}

// copyBag returns a copy that outlives the document.
func copyBag(bag *tokenize.Bag) *tokenize.Bag {
	c := new(tokenize.Bag)
	for i := range bag.Len() {
		c.AddN(bag.At(i))
	}
	return c
}

// ReadCandidates scores all documents of s.In, and keeps the best.
func (s *Search) ReadCandidates(ctx context.Context, r *reading.Reader) error {
	r.Deliver = func(d *reading.Document) error {
		if s.given[d.ID] {
			return nil
		}
		return s.consider(ctx, d)
	}
	r.Bar = reading.NewBar(r.Streams, s.In, r.Options)
	defer r.Bar.Done()
	return r.Read(ctx, s.In)
}

// consider keeps the document if it is one of the best.
func (s *Search) consider(ctx context.Context, d *reading.Document) error {
	doc := classify.Document{Bag: &d.Bag}
	terms := doc.Counted("", nil).Terms
	like, err := s.set.Score(ctx, terms)
	if err != nil {
		return err
	}
	c := &candidate{Path: d.Path, Exact: terminal.ExactPath(d.Path), Class: d.Class, Score: terminal.Number(like.Score), LogRatio: terminal.Number(like.LogRatio), Terms: like.Terms}
	c.rank = like.Score
	if s.Paper {
		c.rank = like.LogRatio
	}
	if !s.best.Wants(c) {
		return nil
	}
	if err := s.explain(ctx, c, terms); err != nil {
		return err
	}
	s.best.Add(c)
	return nil
}

// explain fills in the terms that raise the score most, if asked for.
func (s *Search) explain(ctx context.Context, c *candidate, terms []count.TermCount) error {
	if s.Terms == 0 {
		return nil
	}
	parts, err := s.set.Explain(ctx, terms)
	for _, t := range parts[:min(len(parts), s.Terms)] {
		if t.Weight > 0 {
			c.Strongest = append(c.Strongest, similarTerm{t.Term, t.Count, terminal.Number(t.Weight)})
		}
	}
	return err
}

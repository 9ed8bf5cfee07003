package similar

import (
	"context"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
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
	set   *Set
	given map[count.DocID]bool // the documents of the set
	best  numeric.Shortlist[*candidate]
}

// Run ranks the documents of s.In by how well they fit into a set with the documents at paths, and
// prints the best.
func (s *Search) Run(ctx context.Context, db *classify.Classifier, r *reading.Reader, paths []string) error {
	if len(s.In) == 0 {
		return errors.New("similar needs --in DIR, where to look")
	}
	if err := s.readSet(ctx, db, r, paths); err != nil {
		return err
	}
	if err := s.readCandidates(ctx, r); err != nil {
		return err
	}
	if err := s.print(r.Streams); err != nil {
		return err
	}
	return r.Failed.OrNil()
}

// readSet reads the given documents, each once. All must be readable.
func (s *Search) readSet(ctx context.Context, db *classify.Classifier, r *reading.Reader, paths []string) error {
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
	o := defaults
	if s.Paper {
		o = bayesianSets
	}
	var err error
	s.set, err = newSet(ctx, s.db.Store(), set, o)
	advice := ""
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoKnownTerm) && attributes:
		advice = ", and attributes are not compared; --text-column says which column has words"
	case errors.Is(err, errNoKnownTerm):
		advice = "; train the database on ordinary documents first"
	}
	return fmt.Errorf("%s: %w%s", s.db.Store().Path(), err, advice)
}

// copyBag returns a copy that outlives the document.
func copyBag(bag *tokenize.Bag) *tokenize.Bag {
	c := new(tokenize.Bag)
	for i := range bag.Len() {
		c.AddN(bag.At(i))
	}
	return c
}

// readCandidates scores all documents of s.In, and keeps the best.
func (s *Search) readCandidates(ctx context.Context, r *reading.Reader) error {
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

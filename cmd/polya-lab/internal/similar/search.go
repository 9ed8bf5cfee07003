package similar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// Search finds the documents that are similar to a set.
type Search struct {
	In    []string // where to search
	Limit int      // the number of documents kept, 0 for all
	Terms int      // the number of terms listed for each
	Paper bool     // use the score of the paper, without improvements
}

// candidate is a document that was compared with the set.
type candidate struct {
	Path      string          `json:"path"`
	Exact     string          `json:"path_base64,omitempty"` // of a path that is not UTF-8
	Class     string          `json:"class,omitempty"`       // from the source
	Score     terminal.Number `json:"score"`
	LogRatio  terminal.Number `json:"log_ratio"`
	Terms     int             `json:"terms"`
	Strongest []part          `json:"strongest,omitempty"`
}

// Run ranks the documents of s.In by how well they fit into a set with the documents at paths, and
// prints the best.
func (s *Search) Run(ctx context.Context, db *classify.Classifier, r *reading.Reader, paths []string) error {
	if len(s.In) == 0 {
		return errors.New("similar needs --in DIR, where to look")
	}
	given := map[count.DocID]bool{}
	set, err := s.readSet(ctx, db, r, paths, given)
	if err != nil {
		return err
	}
	best := numeric.Shortlist[*candidate]{Limit: s.Limit, Compare: func(a, b *candidate) int {
		if s.Paper {
			return cmp.Compare(b.LogRatio, a.LogRatio)
		}
		return cmp.Compare(b.Score, a.Score)
	}}
	r.Deliver = func(d *reading.Document) error {
		if !given[d.ID] {
			best.Add(s.candidate(d, set))
		}
		return nil
	}
	r.Bar = reading.NewBar(r.Streams, s.In, r.Options)
	err = r.Read(ctx, s.In)
	r.Bar.Done()
	if err != nil {
		return err
	}
	err = terminal.Results(r.Streams, best.First(), func() error {
		for _, c := range best.First() {
			c.print(r.Streams, s.Terms > 0)
		}
		return nil
	})
	return errors.Join(err, r.Failed.OrNil())
}

// readSet reads the given documents, each once, and notes their ids. All must be readable.
func (s *Search) readSet(ctx context.Context, db *classify.Classifier, r *reading.Reader, paths []string, given map[count.DocID]bool) (*set, error) {
	var docs []count.Document
	r.Deliver = func(d *reading.Document) error {
		if !given[d.ID] {
			given[d.ID] = true
			docs = append(docs, count.Document{Terms: termsOf(d)})
		}
		return nil
	}
	if err := errors.Join(r.Read(ctx, paths), r.Failed.OrNil()); err != nil {
		return nil, err
	}
	o := defaults
	if s.Paper {
		o = bayesianSets
	}
	set, err := newSet(ctx, db.Store(), docs, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", db.Store().Path(), err)
	}
	return set, nil
}

func termsOf(d *reading.Document) (terms []count.TermCount) {
	for i := range d.Bag.Len() {
		term, n := d.Bag.At(i)
		terms = append(terms, count.TermCount{Term: append([]byte(nil), term...), N: uint8(n)})
	}
	return terms
}

func (s *Search) candidate(d *reading.Document, set *set) *candidate {
	like := set.score(termsOf(d))
	c := &candidate{
		Path: d.Path, Exact: terminal.ExactPath(d.Path), Class: d.Class,
		Score: terminal.Number(like.Score), LogRatio: terminal.Number(like.LogRatio), Terms: len(like.Parts),
	}
	c.Strongest = slices.DeleteFunc(like.Parts[:min(len(like.Parts), s.Terms)], func(p part) bool { return p.Weight <= 0 })
	return c
}

func (c *candidate) print(to *terminal.Streams, terms bool) {
	to.Printf("%.4f\t%.2f\t%s", float64(c.Score), float64(c.LogRatio), terminal.Printable(c.Path))
	separator := "\t"
	for _, t := range c.Strongest {
		to.Printf("%s%s(%s)", separator, terminal.Printable(t.Term), terminal.Signed(t.Weight))
		separator = " "
	}
	if terms && len(c.Strongest) == 0 {
		to.Printf("\t")
	}
	to.Printf("\n")
}

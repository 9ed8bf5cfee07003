package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/similar"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/shortlist"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

type similarFlags struct {
	pathFlags
	in    []string
	limit int
	terms int
	jobs  int
	json  bool
	paper bool
}

func similarCommand(p *program) *cobra.Command {
	var f similarFlags
	cmd := &cobra.Command{
		Use:   "similar PATH… --in DIR",
		Short: "find the documents that are like a few given",
		Example: `    polya similar trip1.eml trip2.eml --in ~/Maildir
    polya similar trip1.eml trip2.eml --terms 10`,
		Args: needs(1, -1, "a path"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.similar(cmd, &f, args) },
	}
	f.limit = 20
	cmd.Flags().StringArrayVar(&f.in, "in", nil, "look for them in `DIR`")
	numberFlag(cmd, &f.limit, "documents", "n", 0, "print the first `N` documents, 0 for all")
	numberFlag(cmd, &f.terms, "terms", "", 0, "print the `N` terms that contribute most")
	cmd.Flags().BoolVar(&f.paper, "bayesian-sets", false, "use the score of the paper, without improvements")
	f.pathFlags.flags(cmd)
	jsonFlag(cmd, &f.json)
	jobsFlag(cmd, &f.jobs)
	return cmd
}

func (p *program) similar(cmd *cobra.Command, f *similarFlags, paths []string) error {
	if len(f.in) == 0 && f.terms == 0 {
		return misuse(cmd, "similar needs --in DIR, where to look, or --terms N")
	}
	return p.over(cmd, opening{paths: paths, flags: &f.pathFlags, jobs: f.jobs}, func(db *classify.Classifier, r *reading.Reader) error {
		s := likeness{db: db, flags: f, given: make(map[count.DocID]bool)}
		s.best.Limit, s.best.Compare = f.limit, (*candidate).before
		if err := s.readSet(cmd.Context(), r, paths); err != nil {
			return err
		}
		if len(f.in) == 0 {
			return p.printSetTerms(s.set.Terms(), f)
		}
		if err := s.readCandidates(cmd.Context(), r); err != nil {
			return err
		}
		if err := p.printSimilar(s.best.First(), f); err != nil {
			return err
		}
		return r.Failed.OrNil()
	})
}

// likeness is the set and what was found like it.
type likeness struct {
	db    *classify.Classifier
	flags *similarFlags
	set   *similar.Set
	given map[count.DocID]bool // the documents of the set
	best  shortlist.List[*candidate]
}

// readSet reads the documents that are given, each once. All must be readable.
func (s *likeness) readSet(ctx context.Context, r *reading.Reader, paths []string) error {
	var set []count.Document
	attributes := false
	r.Deliver = func(d *reading.Document) error {
		if !s.given[d.ID] {
			s.given[d.ID] = true
			attributes = attributes || len(d.Given)+len(d.Read) > 0
			doc := classify.Document{ID: d.ID, Bag: copyBag(&d.Bag)}
			set = append(set, doc.Counted(""))
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
	if s.flags.paper {
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

// readCandidates asks all documents of --in, and keeps the best.
func (s *likeness) readCandidates(ctx context.Context, r *reading.Reader) error {
	r.Deliver = func(d *reading.Document) error {
		if s.given[d.ID] {
			return nil
		}
		return s.consider(ctx, d)
	}
	r.Bar = reading.NewBar(r.Streams, s.flags.in, r.Options)
	defer r.Bar.Done()
	return r.Read(ctx, s.flags.in)
}

// consider keeps the document if it is one of the best.
func (s *likeness) consider(ctx context.Context, d *reading.Document) error {
	doc := classify.Document{Bag: &d.Bag}
	terms := doc.Counted("").Terms
	like, err := s.set.Score(ctx, terms)
	if err != nil {
		return err
	}
	c := &candidate{Path: d.Path, Exact: terminal.ExactPath(d.Path), Class: d.Class, Score: terminal.Number(like.Score), LogRatio: terminal.Number(like.LogRatio), Terms: like.Terms}
	c.rank = like.Score
	if s.flags.paper {
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

// explain fills in the terms that raise the score most, if they are wanted.
func (s *likeness) explain(ctx context.Context, c *candidate, terms []count.TermCount) error {
	if s.flags.terms == 0 {
		return nil
	}
	parts, err := s.set.Explain(ctx, terms)
	for _, t := range parts[:min(len(parts), s.flags.terms)] {
		if t.Weight > 0 {
			c.Strongest = append(c.Strongest, similarTerm{t.Term, t.Count, terminal.Number(t.Weight)})
		}
	}
	return err
}

type candidate struct {
	Path      string          `json:"path"`
	Exact     string          `json:"path_base64,omitempty"` // of a path that is not UTF-8
	Class     string          `json:"class,omitempty"`       // that the source gives
	Score     terminal.Number `json:"score"`
	LogRatio  terminal.Number `json:"log_ratio"`
	Terms     int             `json:"terms"`
	Strongest []similarTerm   `json:"strongest,omitempty"`

	rank float64
}

type similarTerm struct {
	Term   string          `json:"term"`
	Count  int             `json:"count"`
	Weight terminal.Number `json:"weight"`
}

// before orders the best first.
func (c *candidate) before(o *candidate) int { return cmp.Compare(o.rank, c.rank) }

func (p *program) printSimilar(list []*candidate, f *similarFlags) error {
	if f.json {
		return terminal.EachJSON(p.Streams, list)
	}
	for _, c := range list {
		p.Printf("%s", c.line(f.terms > 0))
	}
	return nil
}

func (c *candidate) line(terms bool) string {
	b := strconv.AppendFloat(nil, float64(c.Score), 'f', 4, 64)
	b = append(b, '\t')
	b = strconv.AppendFloat(b, float64(c.LogRatio), 'f', 2, 64)
	b = append(b, '\t')
	b = append(b, terminal.Printable(c.Path)...)
	if terms {
		b = append(b, '\t')
	}
	for i, t := range c.Strongest {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, terminal.Printable(t.Term)...)
		b = append(b, '(')
		b = append(b, terminal.Signed(float64(t.Weight))...)
		b = append(b, ')')
	}
	return string(append(b, '\n'))
}

// setTerm is what 'polya similar --terms' says of a term without --in.
type setTerm struct {
	Term      string          `json:"term"`
	Set       int             `json:"set"`
	Documents uint64          `json:"documents"`
	Weight    terminal.Number `json:"weight"`
}

func (p *program) printSetTerms(terms []similar.Term, f *similarFlags) error {
	if p.Quiet {
		return nil
	}
	terms = terms[:min(len(terms), f.terms)]
	t := terminal.Table{Numeric: []bool{false, true, true, true}}
	t.Add("term", "set", "documents", "weight")
	for _, x := range terms {
		if f.json {
			if err := p.EncodeJSON(setTerm{x.Term, x.InSet, x.Documents, terminal.Number(x.Weight)}); err != nil {
				return err
			}
			continue
		}
		t.Add(terminal.Printable(x.Term), terminal.Grouped(x.InSet), terminal.Grouped(x.Documents), terminal.Signed(x.Weight))
	}
	if f.json {
		return nil
	}
	return t.Write(p.Stdout)
}

package main

import (
	"cmp"
	"container/heap"
	"slices"
	"strconv"

	"github.com/polya-classifier/polya/classify/similar"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

// best keeps the candidates of the highest rank, of equals those read first. It
// is a heap with the worst of them on top.
type best struct {
	limit int
	read  int
	list  []candidate
}

// compareCandidates orders the best first.
func compareCandidates(a, b *candidate) int {
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.order, b.order))
}

func (b *best) Len() int           { return len(b.list) }
func (b *best) Less(i, j int) bool { return compareCandidates(&b.list[i], &b.list[j]) > 0 }
func (b *best) Swap(i, j int)      { b.list[i], b.list[j] = b.list[j], b.list[i] }
func (b *best) Push(x any)         { b.list = append(b.list, x.(candidate)) }
func (b *best) Pop() any           { panic("polya: nothing is taken from the best candidates") }

// wants says whether a candidate read now, of that rank, would be kept.
func (b *best) wants(rank float64) bool {
	return len(b.list) < b.limit || rank > b.list[0].rank
}

// add keeps a candidate that is wanted.
func (b *best) add(c candidate) {
	b.read++
	c.order = b.read
	if len(b.list) < b.limit {
		heap.Push(b, c)
		return
	}
	b.list[0] = c
	heap.Fix(b, 0)
}

// sorted returns the candidates, the best first.
func (b *best) sorted() []candidate {
	slices.SortFunc(b.list, func(x, y candidate) int { return compareCandidates(&x, &y) })
	return b.list
}

func (p *program) printSimilar(list []candidate, f *similarFlags) error {
	for i := range list {
		if f.json {
			if err := p.EncodeJSON(&list[i]); err != nil {
				return err
			}
			continue
		}
		p.Printf("%s", list[i].line(f.terms > 0))
	}
	return nil
}

// line is the candidate as it is printed.
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

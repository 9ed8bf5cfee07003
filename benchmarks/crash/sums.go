package crash

import (
	"fmt"
	"hash/maphash"

	"github.com/polya-classifier/polya/store/count"
)

// Sums is the content of a file for one trainer. Each counted item has a hash, and a sum
// is Σ hash · count: equal contents have equal sums, and different ones have different
// sums, except with probability 2^-64.
type Sums struct {
	Docs    uint64 // documents
	Classes uint64 // documents, tokens, weights, lengths and attributes by class
	Terms   uint64 // rows
	Entries uint64 // the ledger, with the counts where it keeps them

	Position, State uint64 // the steps that have put them
}

var seed = maphash.MakeSeed()

// item is one counted item of a class.
type item struct {
	what  string
	class int
	term  string
	n     uint64
}

func (i item) hash() uint64 { return maphash.Comparable(seed, i) }

// count adds sign times a document of t.
func (s *Sums) count(t *trainer, number int, sign uint64) {
	doc, known := t.plan.content(t.number, number), t.docs[number]
	class, norm := known.class, weightNorm(doc.Terms)
	var tokens, weight, dropped, droppedWeight uint64
	left, histogram := doc.Terms[:0:0], map[uint64]uint64{}
	for _, term := range doc.Terms {
		w := termWeight(term.N, norm)
		tokens, weight = tokens+uint64(term.N), weight+w
		if known.pruned && prunable(t.number, string(term.Term)) {
			dropped, droppedWeight = dropped+uint64(term.N), droppedWeight+w
			histogram[uint64(term.N)]++
			continue
		}
		left = append(left, term)
		s.row(class, string(term.Term), sign*w, int(term.N), func(int) uint64 { return sign })
	}
	s.Docs += sign
	s.class(class, sign, sign*tokens, sign*weight, sign*dropped, sign*droppedWeight)
	s.length(class, tokens, sign)
	s.attribute(class, doc.Attributes[0].Category, sign)
	switch t.plan.Ledger {
	case count.LedgerFull:
		doc.Terms = left
		doc.Dropped = nil
		for n, terms := range histogram {
			doc.Dropped = append(doc.Dropped, count.Pair{N: n, Count: terms})
		}
		s.document(class, &doc, sign)
	case count.LedgerDigest:
		s.entry(class, doc.ID, doc.Time.Unix(), doc.Source, sign)
	}
}

func (s *Sums) class(class int, docs, tokens, weight, dropped, droppedWeight uint64) {
	for _, part := range []struct {
		what  string
		count uint64
	}{{"documents", docs}, {"tokens", tokens}, {"weight", weight}, {"dropped", dropped}, {"dropped weight", droppedWeight}} {
		s.Classes += part.count * item{what: part.what, class: class}.hash()
	}
}

func (s *Sums) length(class int, n, count uint64) {
	s.Classes += count * item{what: "length", class: class, n: n}.hash()
}

func (s *Sums) attribute(class int, value string, count uint64) {
	s.Classes += count * item{what: "attribute", class: class, term: value}.hash()
}

// row adds a cell: level is U[j].
func (s *Sums) row(class int, term string, weight uint64, levels int, level func(j int) uint64) {
	s.Terms += weight * item{what: "term weight", class: class, term: term}.hash()
	for j := range levels {
		s.Terms += level(j) * item{what: "term", class: class, term: term, n: uint64(j)}.hash()
	}
}

func (s *Sums) entry(class int, id count.DocID, time int64, source string, sign uint64) {
	s.Entries += sign * item{"entry", class, fmt.Sprintf("%s %s", id, source), uint64(time)}.hash()
}

func (s *Sums) document(class int, d *count.Document, sign uint64) {
	what := uint64(0) // in whatever order
	for _, t := range d.Terms {
		what += item{"document term", class, string(t.Term), uint64(t.N)}.hash()
	}
	for _, p := range d.Dropped {
		what += item{"document dropped", int(p.N), "", p.Count}.hash()
	}
	for _, a := range d.Attributes {
		what += item{"document attribute", int(a.Kind), a.Name + "=" + a.Category, 0}.hash()
	}
	s.Entries += sign * item{"document", class, fmt.Sprintf("%s %s %d", d.ID, d.Source, d.Time.Unix()), what}.hash()
}

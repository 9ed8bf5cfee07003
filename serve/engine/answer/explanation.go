package answer

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// Explanation returns what a reply is computed from: the open databases, of which each may be
// nil. message is nil if it was not kept.
func (r *Reply) Explanation(message []byte, databases ...*classify.Classifier) (backend.Explanation, error) {
	x := backend.Explanation{Answer: r.Answer, ID: r.Doc.ID.String()}
	if r.Doc.Bag == nil {
		x.ID = ""
	}
	probable := slices.Clone(r.Posterior)
	slices.SortStableFunc(probable, func(a, b classify.ClassProbability) int { return cmp.Compare(b.Probability, a.Probability) })
	for _, c := range probable {
		x.Classes, x.Posterior = append(x.Classes, c.Class), append(x.Posterior, c.Probability)
	}
	x.Documents = make([]uint64, len(x.Classes))
	x.Having = make([][]uint64, len(x.Reasons))
	for i := range x.Having {
		x.Having[i] = make([]uint64, len(x.Classes))
	}
	for _, c := range databases {
		if c == nil {
			continue
		}
		if x.Text == nil && message != nil {
			x.Text = passages(c.Analyzer(), message, x.Reasons) // all have the same analyzer
		}
		if err := c.Store().View(func(s *store.Snapshot) error { return addCounts(&x, s) }); err != nil {
			return x, err
		}
	}
	return x, nil
}

// addCounts adds one database's counts of the reasons.
func addCounts(x *backend.Explanation, s *store.Snapshot) error {
	at := make([][]int, len(s.Classes())) // of each, where it is in x: of a set of tags, these
	for i, c := range s.Classes() {
		names := count.Tags(c.Name)
		if names == nil {
			names = []string{c.Name}
		}
		for _, name := range names {
			if k := slices.Index(x.Classes, name); k >= 0 {
				at[i] = append(at[i], k)
				x.Documents[k] += c.Docs
			}
		}
	}
	terms := make([]count.TermCount, len(x.Reasons))
	for i, r := range x.Reasons {
		terms[i] = count.TermCount{Term: []byte(r.Term), N: 1}
	}
	return s.Rows(terms, false, func(i int, cells []count.Cell) error {
		for _, c := range cells {
			for _, k := range at[c.Class] {
				x.Having[i][k] += c.DF
			}
		}
		return nil
	})
}

// shown is the number of bytes of a message that are shown to a person.
const shown = 64 << 10

// passages returns the beginning of a message as it was read, with the places of the reasons.
func passages(a *tokenize.Analyzer, message []byte, reasons []backend.Reason) (list []backend.Passage) {
	weights := make(map[string]float64, len(reasons))
	for _, r := range reasons {
		weights[r.Term] = r.Bits
	}
	for _, part := range mail.Show(a, message[:min(len(message), shown)], weights) {
		if part.Header && len(part.Places) == 0 && part.Name != "from" && part.Name != "subject" {
			continue
		}
		p := backend.Passage{Field: part.Name, Line: part.Header || part.Name == "url" || part.Name == "file", Text: part.Text}
		for _, s := range part.Places {
			p.Spans = append(p.Spans, backend.Span{Begin: s.Start, End: s.End, Term: s.Term, Bits: weights[s.Term]})
		}
		list = append(list, p)
	}
	return list
}

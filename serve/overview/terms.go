package overview

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A Term is a term with its counts.
type Term struct {
	Term      string
	Classes   []string
	Having    []uint64 // documents of each class that have it
	Documents []uint64 // documents of each class
	Bits      float64  // mutual information between having the term and the class, in bits
}

// maxLooked is the largest number of terms looked up at a time.
const maxLooked = 50

// Word returns the counts of the terms of a text, each once, in the order of the text. If the
// text is itself the name of a term, such as "from:example.org", that term comes first.
func (d *Admin) Word(ctx context.Context, user, text string) (list []Term, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	err = d.read(ctx, user, func(c *classify.Classifier) error {
		looked := []count.TermCount{{Term: []byte(text), N: 1}}
		bag := c.Document([]byte(text)).Bag
		for i := range min(bag.Len(), maxLooked) {
			if t, _ := bag.At(i); string(t) != text {
				looked = append(looked, count.TermCount{Term: slices.Clone(t), N: 1})
			}
		}
		return c.Store().View(func(s *store.Snapshot) error {
			m := newMeter(s)
			rows := make([]Term, len(looked))
			for i := range looked {
				rows[i] = m.term(looked[i].Term, nil)
			}
			err := s.Rows(looked, false, func(i int, cells []count.Cell) error {
				rows[i] = m.term(looked[i].Term, cells)
				return nil
			})
			if len(rows) > 1 && slices.Max(rows[0].Having) == 0 && !strings.Contains(text, ":") {
				rows = rows[1:] // several words, or one in another form
			}
			list = rows
			return err
		})
	})
	return list, err
}

// meter measures how informative terms are.
type meter struct {
	names []string
	docs  []uint64
	tells func([]count.Cell) float64
}

func newMeter(s *store.Snapshot) *meter {
	m := &meter{tells: term.Information(s.Classes())}
	for _, c := range s.Classes() {
		m.names, m.docs = append(m.names, stated(c.Name)), append(m.docs, c.Docs)
	}
	return m
}

// term returns the counts of a term with these cells.
func (m *meter) term(name []byte, cells []count.Cell) Term {
	t := Term{Term: string(name), Classes: m.names, Documents: m.docs, Having: make([]uint64, max(1, len(m.names)))}
	for _, c := range cells {
		t.Having[c.Class] = c.DF
	}
	if cells != nil {
		t.Bits = m.tells(cells) / math.Ln2
	}
	return t
}

// Informative returns the terms more frequent in a class than in the others that are most informative
// about it, by the mutual information between having the term and being of the class.
func (d *Admin) Informative(ctx context.Context, user, class string, limit int) ([]Term, error) {
	best := numeric.Shortlist[Term]{Limit: limit, Compare: func(a, b Term) int {
		return cmp.Or(cmp.Compare(b.Bits, a.Bits), cmp.Compare(a.Term, b.Term))
	}}
	err := d.view(ctx, user, func(s *store.Snapshot) error {
		m, own, docs := newMeter(s), make([]bool, len(s.Classes())), uint64(0)
		for i, c := range s.Classes() {
			if own[i] = slices.Contains(namesOf(c.Name), class); own[i] {
				docs += c.Docs
			}
		}
		if docs == 0 {
			return nil
		}
		measure := term.Against(s.Classes(), own)
		return s.Scan(false, func(t []byte, cells []count.Cell) error {
			nats, sums := measure(cells)
			frequent := float64(sums[0].DF)*float64(s.Documents()-docs) > float64(sums[1].DF)*float64(docs)
			if bits := nats / math.Ln2; frequent && bits > 0 && best.Wants(Term{Bits: bits}) {
				term := m.term(t, cells)
				term.Bits = bits
				best.Add(term)
			}
			return ctx.Err()
		})
	})
	return best.First(), err
}

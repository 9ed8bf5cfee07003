package language

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/conjugate"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// nextWord is the output of 'polya-lab language' for a term or, if Unk, for all
// terms outside the vocabulary.
type nextWord struct {
	Term        string          `json:"term"`
	Unk         bool            `json:"unk,omitempty"`
	Occurrences uint64          `json:"occurrences"`
	Probability terminal.Number `json:"probability"`
	Error       terminal.Number `json:"standard_error"`
}

func (w *nextWord) set(b conjugate.Beta) {
	w.Probability, w.Error = terminal.Number(b.Mean()), terminal.Number(b.StdDev())
}

// before orders by probability; unk comes before terms of equal probability.
func (w *nextWord) before(o *nextWord) int {
	unk := 0
	switch {
	case w.Unk:
		unk = -1
	case o.Unk:
		unk = 1
	}
	return cmp.Or(cmp.Compare(o.Probability, w.Probability), unk, cmp.Compare(w.Term, o.Term))
}

// Options select a language model of a class.
type Options struct {
	Closed bool    // only learned words have probability
	Alpha  float64 // pseudo-count of each term
}

// Print prints the language model of a class.
func Print(ctx context.Context, to *terminal.Streams, db *store.DB, class string, limit int, o Options, asJSON bool) error {
	list, evidence, err := read(ctx, db, class, limit, o)
	if err != nil {
		return err
	}
	if asJSON || to.Quiet {
		return terminal.EachJSON(to, list)
	}
	t := terminal.Table{Numeric: []bool{false, true, true}}
	t.Add("term", "occurrences", "probability")
	for _, w := range list {
		t.Add(terminal.Printable(w.Term), terminal.Grouped(w.Occurrences), terminal.WithError(float64(w.Probability), float64(w.Error)))
	}
	if err := t.Write(to.Stdout); err != nil {
		return err
	}
	to.Printf("\n%s\n", evidence)
	return nil
}

// read returns the most probable terms, with unk among them if it belongs there,
// and a line on the log evidence of the class.
func read(ctx context.Context, db *store.DB, class string, limit int, o Options) (list []*nextWord, evidence string, err error) {
	first := numeric.Shortlist[*nextWord]{Limit: limit, Compare: (*nextWord).before}
	err = db.View(func(s *store.Snapshot) error {
		at := slices.IndexFunc(s.Classes(), func(c *count.Class) bool { return c.Name == class })
		if s.Classes()[at].Tokens == 0 {
			return fmt.Errorf("%s: class %q has no terms, so that there is no next word; 'polya attributes' prints what else was learned", db.Path(), class)
		}
		m, err := o.model(s, at)
		if err != nil {
			return fmt.Errorf("%s: class %q: %w", db.Path(), class, err)
		}
		terms := map[uint64]uint64{}
		err = s.Scan(false, func(name []byte, cells []count.Cell) error {
			if count.OfChannel(name) {
				return nil
			}
			w := &nextWord{Term: string(name)}
			for i := range cells {
				if cells[i].Class == at {
					w.Occurrences = cells[i].TF
				}
			}
			terms[w.Occurrences]++
			w.set(m.Term(w.Occurrences))
			first.Add(w)
			return ctx.Err()
		})
		list = first.First()
		if !o.Closed {
			unk := &nextWord{Term: "(unk)", Unk: true, Occurrences: m.Dropped()}
			unk.set(m.Unknown())
			list = append(list, unk)
		}
		slices.SortFunc(list, (*nextWord).before)
		evidence = fmt.Sprintf("log evidence of %s, α = %v: %.3f nats", terminal.Counted(int(m.Tokens()), "token", "tokens"), m.Alpha(), m.LogEvidence(terms))
		return err
	})
	return list, evidence, err
}

// model returns the language model that the options select.
func (o *Options) model(s *store.Snapshot, class int) (Model, error) {
	m, err := NewModel(s.Classes()[class], s.Vocabulary(), o.Alpha)
	if err == nil && o.Closed {
		m, err = m.Closed()
	}
	return m, err
}

package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify/conjugate"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// languageFlags are those of 'polya terms --predictive'.
type languageFlags struct {
	predictive bool
	closed     bool
	unequal    bool
	alpha      float64
}

func (f *languageFlags) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.predictive, "predictive", false, "print the probabilities of the next word of CLASS")
	cmd.Flags().BoolVar(&f.closed, "closed", false, "with --predictive: there are no words but those that were learned")
	cmd.Flags().BoolVar(&f.unequal, "proportional", false, "with --predictive: A is the mean, and terms have parts of it as their\noccurrences in all classes")
	cmd.Flags().Float64Var(&f.alpha, "alpha", model.DefaultMultinomialAlpha, "count each term `A` times more, of --predictive")
}

func (f *languageFlags) check(cmd *cobra.Command, ofClass bool) error {
	switch {
	case !f.predictive && cmd.Flags().Changed("alpha"):
		return misuse(cmd, "terms takes --alpha only with --predictive")
	case !f.predictive && f.closed:
		return misuse(cmd, "terms takes --closed only with --predictive")
	case !f.predictive && f.unequal:
		return misuse(cmd, "terms takes --proportional only with --predictive")
	case !f.predictive:
		return nil
	case !ofClass:
		return misuse(cmd, "terms --predictive needs a class")
	case cmd.Flags().Changed("by"):
		return misuse(cmd, "terms --predictive has an order of its own, and takes no --by")
	}
	if _, err := term.NewLanguageModel(new(count.Class), 0, f.alpha); err != nil {
		return misuse(cmd, "--%w", err)
	}
	return nil
}

// nextWord is what 'polya terms --predictive' says of a term or, if Unk, of all that
// are not in the vocabulary.
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

// before orders by probability; unk comes before terms that are as probable.
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

// language prints the language model of a class.
func (p *program) language(cmd *cobra.Command, db *store.DB, f *termsFlags, class string) error {
	list, evidence, err := readLanguage(cmd, db, f, class)
	if err != nil || p.Quiet {
		return err
	}
	if f.json {
		for _, w := range list {
			if err := p.EncodeJSON(w); err != nil {
				return err
			}
		}
		return nil
	}
	t := terminal.Table{Numeric: []bool{false, true, true}}
	t.Add("term", "occurrences", "probability")
	for _, w := range list {
		t.Add(terminal.Printable(w.Term), terminal.Grouped(w.Occurrences), terminal.WithError(float64(w.Probability), float64(w.Error)))
	}
	if err := t.Write(p.Stdout); err != nil {
		return err
	}
	p.Printf("\n%s\n", evidence)
	return nil
}

// readLanguage returns the most probable terms, and unk where it belongs among them, and
// a line on the log evidence of the class.
// At no time does it hold many more than the limit.
func readLanguage(cmd *cobra.Command, db *store.DB, f *termsFlags, class string) (list []*nextWord, evidence string, err error) {
	cut := func(limit int) {
		slices.SortFunc(list, (*nextWord).before)
		if limit > 0 && len(list) > limit {
			list = list[:limit]
		}
	}
	err = db.View(func(s *store.Snapshot) error {
		at := slices.IndexFunc(s.Classes(), func(c *count.Class) bool { return c.Name == class })
		if s.Classes()[at].Tokens == 0 {
			return fmt.Errorf("%s: class %q has no terms, so that there is no next word; 'polya attributes' prints what else was learned", db.Path(), class)
		}
		m, err := f.model(s, at)
		if err != nil {
			return fmt.Errorf("%s: class %q: %w", db.Path(), class, err)
		}
		terms := map[term.Occurrences]uint64{}
		err = s.Scan(false, func(name []byte, cells []count.Cell) error {
			w, all := &nextWord{Term: string(name)}, uint64(0)
			for i := range cells {
				all += cells[i].TF
				if cells[i].Class == at {
					w.Occurrences = cells[i].TF
				}
			}
			n := term.Occurrences{Class: w.Occurrences, All: all}
			terms[n]++
			w.set(m.Term(n))
			if list = append(list, w); f.limit > 0 && len(list) >= 2*f.limit+1000 {
				cut(f.limit)
			}
			return cmd.Context().Err()
		})
		cut(f.limit)
		if !f.closed {
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

// model is the language model of a class that the flags ask for.
func (f *languageFlags) model(s *store.Snapshot, class int) (term.LanguageModel, error) {
	m, err := term.NewLanguageModel(s.Classes()[class], s.Vocabulary(), f.alpha)
	if err == nil && f.closed {
		m, err = m.Closed()
	}
	if f.unequal {
		m = m.Proportional(s.Classes())
	}
	return m, err
}

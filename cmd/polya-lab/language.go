package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// language predicts the next token of a class: the Dirichlet–multinomial predictive
// of its bag of words,
//
//	p(t | c) = (n_ct + α) / (N_c + types α)
//
// with n_ct the occurrences of term t in class c, and N_c the tokens: the occurrences of all terms.
// Its types are the V terms of the vocabulary of all classes, and unk, which stands for
// all other terms: its count is the occurrences that store.DB.Prune has dropped from the
// class. The probabilities of all types sum to 1. (K. Murphy, Machine Learning:
// A Probabilistic Perspective, 2012, section 3.4.4.1.)
type language struct {
	alpha           float64
	types           uint64
	tokens, dropped uint64
}

// maxAlpha bounds α so that the sum of the parameters is finite.
const maxAlpha = 1e9

// languageOf returns the model of a class, with the vocabulary of all classes. A closed one has no
// unk: only the V terms exist, and terms that were dropped never occurred.
func languageOf(class *count.Class, vocabulary uint64, alpha float64, closed bool) (language, error) {
	switch {
	case !(alpha > 0 && alpha <= maxAlpha):
		return language{}, fmt.Errorf("alpha=%v: want a number above 0, at most %v", alpha, maxAlpha)
	case !closed:
		return language{alpha, vocabulary + 1, class.Tokens, class.Dropped}, nil
	case vocabulary == 0:
		return language{}, errors.New("a closed vocabulary needs a term")
	}
	return language{alpha, vocabulary, class.Tokens - class.Dropped, 0}, nil
}

// of returns the posterior mean of the probability of a type that occurs n times, and its
// standard error: those of Beta(n + α, N - n + α(types-1)). Tokens are taken to be independent; in
// documents they are bursty, so that it is rather too small.
func (m language) of(n uint64) (p, deviation float64) {
	sum := float64(m.tokens) + m.alpha*float64(m.types)
	p = (float64(n) + m.alpha) / sum
	return p, math.Sqrt(p * (1 - p) / (sum + 1))
}

// logEvidence returns the natural logarithm of the probability that the untrained model gives to
// the sequence of all tokens. It compares values of α. types[n] is the number of types that occur n
// times; those that the class lacks may be left out.
func (m language) logEvidence(types map[uint64]uint64) float64 {
	sum := -numeric.LogRising(m.alpha*float64(m.types), int(m.tokens))
	for _, n := range slices.Sorted(maps.Keys(types)) {
		sum += float64(types[n]) * numeric.LogRising(m.alpha, int(n))
	}
	return sum
}

// nextWord is the output for a term or, if Unk, for all terms outside the vocabulary.
type nextWord struct {
	Term        string          `json:"term"`
	Unk         bool            `json:"unk,omitempty" text:""`
	Occurrences uint64          `json:"occurrences"`
	Probability terminal.Number `json:"probability" format:"%.3g"`
	Error       terminal.Number `json:"standard_error" text:"±" format:"%.2g"`
}

// before orders by probability; unk comes before terms of equal probability.
func (w *nextWord) before(o *nextWord) int {
	unk := 0
	if w.Unk {
		unk = -1
	} else if o.Unk {
		unk = 1
	}
	return cmp.Or(cmp.Compare(o.Occurrences, w.Occurrences), unk, cmp.Compare(w.Term, o.Term))
}

// words returns the most probable terms of a class, of all or of those named, with unk, and a line on its
// log evidence.
func words(ctx context.Context, s *store.Snapshot, class *count.Class, terms []string, alpha float64, closed bool, limit int) (list []*nextWord, evidence string, err error) {
	m, err := languageOf(class, s.Vocabulary(), alpha, closed)
	if err != nil {
		return nil, "", err
	}
	at := slices.IndexFunc(s.Classes(), func(c *count.Class) bool { return c.Name == class.Name })
	word := func(name string, n uint64) *nextWord {
		p, deviation := m.of(n)
		return &nextWord{name, false, n, terminal.Number(p), terminal.Number(deviation)}
	}
	first, types := numeric.Shortlist[*nextWord]{Limit: limit, Compare: (*nextWord).before}, map[uint64]uint64{}
	err = s.Scan(false, func(name []byte, cells []count.Cell) error {
		n := uint64(0)
		for i := range cells {
			if cells[i].Class == at && !count.OfChannel(name) {
				n = cells[i].TF
			}
		}
		if !count.OfChannel(name) {
			types[n]++
			if len(terms) == 0 || slices.Contains(terms, string(name)) {
				first.Add(word(string(name), n))
			}
		}
		return ctx.Err()
	})
	list = first.First()
	if !closed {
		unk := word("(unk)", m.dropped)
		unk.Unk = true
		list = append(list, unk)
		types[m.dropped]++
	}
	slices.SortFunc(list, (*nextWord).before)
	return list, fmt.Sprintf("log evidence of %s, α = %v: %.3f nats", terminal.Counted(m.tokens, "token", "tokens"), alpha, m.logEvidence(types)), err
}

func languageCommand(l *lab) *cobra.Command {
	var alpha float64
	var limit int
	var closed bool
	cmd := &cobra.Command{
		Use: "language CLASS [TERM…]", Short: "print a class as a language model: the probabilities of its next word",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.view(func(s *store.Snapshot, db *store.DB) error {
				if _, err := statistics.Class(db, args[0]); err != nil {
					return err
				}
				class := s.Classes()[count.ClassNamed(s.Classes(), args[0])]
				if class.Tokens == 0 {
					return fmt.Errorf("%s: class %q has no terms, so that there is no next word; 'polya attributes' prints what else was learned", db.Path(), class.Name)
				}
				list, evidence, err := words(cmd.Context(), s, class, args[1:], alpha, closed, limit)
				if err != nil {
					return fmt.Errorf("%s: class %q: %w", db.Path(), class.Name, err)
				}
				err = terminal.List(l.Streams, list)
				if !l.JSON {
					l.Printf("\n%s\n", evidence)
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&closed, "closed", false, "there are only the learned words")
	f.Float64Var(&alpha, "alpha", model.DefaultMultinomialAlpha, "add `A` to the count of each term")
	f.IntVarP(&limit, "terms", "n", 50, "print the first `N` terms, 0 for all")
	l.JSONFlag(cmd)
	return cmd
}

func (l *lab) view(do func(*store.Snapshot, *store.DB) error) error {
	return l.with(classify.Options{}, func(db *classify.Classifier) error {
		return db.Store().View(func(s *store.Snapshot) error { return do(s, db.Store()) })
	})
}

package main

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/tokenize"
)

// polya is polya with its default settings, asked whether mail is spam; or, if sum is
// true, its most probable class by the sum of all terms.
type polya struct {
	sum    bool
	c      *classify.Classifier
	corpus *corpus
	bag    tokenize.Bag
}

func newPolya(ctx context.Context, dir string, c *corpus) (*polya, error) {
	path := filepath.Join(dir, "mail.polya")
	k, err := classify.Open(path, classify.Options{Decision: decision.Filter{Positive: c.spam}})
	if err != nil {
		return nil, err
	}
	p := &polya{c: k, corpus: c}
	if err := p.learn(ctx, c); err != nil {
		k.Close()
		return nil, err
	}
	return p, nil
}

func (p *polya) learn(ctx context.Context, c *corpus) error {
	var batch classify.Batch
	for _, class := range slices.Sorted(maps.Keys(c.classes)) {
		for _, raw := range c.classes[class] {
			if err := batch.Train(class, p.document(raw)); err != nil {
				return err
			}
		}
	}
	if _, err := p.c.Apply(ctx, &batch); err != nil {
		return err
	}
	return p.c.Refit(ctx)
}

// document returns the document of a message; its bag is reused for the next.
func (p *polya) document(raw []byte) classify.Document {
	p.bag.Reset()
	p.corpus.terms(p.c.Analyzer(), &p.bag, raw)
	return classify.Document{ID: classify.ContentID(raw), Bag: &p.bag}
}

func (p *polya) name() string {
	if p.sum {
		return "polya, sum of terms"
	}
	return "polya"
}

// bySum returns p answering by the sum of terms.
func (p *polya) bySum() *polya { return &polya{sum: true, c: p.c, corpus: p.corpus} }

func (p *polya) close() { p.c.Close() }

func (p *polya) ask(ctx context.Context, messages [][]byte) ([]answer, error) {
	answers := make([]answer, len(messages))
	for i, raw := range messages {
		r, err := p.c.Classify(ctx, p.document(raw))
		if err != nil {
			return nil, err
		}
		answers[i] = answer{r.Class == p.corpus.spam, r.Unsure, logOdds(&r, p.corpus.spam)}
		if p.sum {
			answers[i].spam, answers[i].unsure = r.Posterior[0].Class == p.corpus.spam, false
		}
	}
	return answers, nil
}

// logOdds returns the log-odds of a class.
func logOdds(r *classify.Result, class string) float64 {
	for _, p := range r.Posterior {
		if p.Class == class {
			return p.LogOdds
		}
	}
	return 0
}

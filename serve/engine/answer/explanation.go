package answer

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// An Explanation is an Answer, with all known terms as Reasons, and what it is computed from.
type Explanation struct {
	backend.Answer
	ID        string             // of the message, "" if there is no database
	Classes   []string           // the most probable first
	Posterior []float64          // of each
	Documents []uint64           // learned, of each
	Having    [][]uint64         // of each of Reasons: the documents of each class that have the term
	Text      []mail.Part        // the beginning of the message as it was read, with the places of Reasons; nil if it is not kept
	Weights   map[string]float64 // the Bits of Reasons by their terms; nil without Text
}

// Explanation returns what a reply is computed from: the open databases, of which each may be
// nil. message is nil if it was not kept.
func (r *Reply) Explanation(message []byte, databases ...*classify.Classifier) (Explanation, error) {
	x := Explanation{Answer: r.Answer, ID: r.Doc.ID.String()}
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
			x.read(c.Analyzer(), message) // all have the same analyzer
		}
		if err := c.Store().View(func(s *store.Snapshot) error { return addCounts(&x, s) }); err != nil {
			return x, err
		}
	}
	return x, nil
}

// addCounts adds one database's counts of the reasons.
func addCounts(x *Explanation, s *store.Snapshot) error {
	at := make([][]int, len(s.Classes())) // of each, where it is in x: of a set of tags, these
	for i, c := range s.Classes() {
		for _, name := range count.Labels(c.Name) {
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

// read sets Text and Weights.
func (x *Explanation) read(a *tokenize.Analyzer, message []byte) {
	x.Weights = make(map[string]float64, len(x.Reasons))
	for _, r := range x.Reasons {
		x.Weights[r.Term] = r.Bits
	}
	x.Text = mail.Show(a, message[:min(len(message), shown)], x.Weights)
}

// tagged is Answer of a database of tags. The Class is the first of Options.Spam that is to be
// given, else the most probable tag that is, else, unsure, the one asked about or the most
// probable one. Score is that of Options.Spam, where the database has one of them.
func (o *Options) tagged(ctx context.Context, c *classify.Classifier, doc classify.Document, explain bool) (Reply, error) {
	t := o.tagger.Load()
	if t == nil || t.Classifier() != c {
		var err error
		if t, err = tags.New(c, 0); err != nil {
			return Reply{}, err
		}
		o.tagger.Store(t)
	}
	found, err := t.Score(ctx, doc)
	if errors.Is(err, classify.ErrNoDocuments) || err == nil && len(found.Scores) == 0 {
		return Reply{Answer: backend.Answer{Unsure: true}, Doc: doc}, nil
	}
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Doc: doc}
	asked := ""
	for _, s := range found.Scores {
		if s.Speaks {
			r.Tags = append(r.Tags, s.Tag)
		}
		if slices.Contains(o.Spam, s.Tag) && asked == "" {
			asked, r.Score = s.Tag, bits(s.LogOdds)
		}
	}
	about := asked
	if len(r.Tags) > 0 && !slices.Contains(r.Tags, asked) {
		about = r.Tags[0]
	}
	a, err := found.Answer(about)
	if err != nil {
		return Reply{}, err
	}
	r.Posterior = a.Posterior
	r.Class, r.Probability, r.Unsure = a.Class, a.Probability, a.Unsure
	r.Spam = !r.Unsure && r.Class == asked
	if explain {
		x, err := t.Explain(ctx, doc, r.Class)
		if err != nil {
			return Reply{}, err
		}
		r.Reasons = reasons(&x)
	}
	return r, nil
}

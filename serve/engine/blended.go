package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/blend"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// keyBlend is the key under which a user's database keeps its blending weights.
const keyBlend = "serve/blend"

// blendDocuments is the number of a user's documents that weights are fitted to.
const blendDocuments = 1000

// kept is the blending state that a user's database stores.
type kept struct {
	Weights blend.Weights
	Learned uint64 // documents in the database then
}

// read reads the weights of a newly opened user's database.
func (d *database) read(c *classify.Classifier) {
	if d.base == nil {
		return
	}
	k := kept{Weights: blend.Prior()}
	err := c.Store().View(func(s *store.Snapshot) error {
		var found kept
		if json.Unmarshal(s.State(keyBlend), &found) == nil {
			k = found
		}
		if k.Learned != s.Documents() {
			d.unblended.Store(true)
		}
		return nil
	})
	if err != nil {
		d.log.Warn("cannot read weights", "path", d.path, "error", err)
	}
	d.weights.Store(&k.Weights)
}

// blend fits the weights of a user's database anew if it has changed.
func (d *database) blend(ctx context.Context, own *classify.Classifier) error {
	if d.base == nil || !d.unblended.Swap(false) {
		return nil
	}
	base := d.base.current()
	if base == nil {
		d.unblended.Store(true)
		return nil
	}
	w, err := d.learnWeights(ctx, base, own)
	if err != nil {
		d.unblended.Store(true)
		return err
	}
	d.weights.Store(&w)
	return nil
}

// sample keeps fitted weights near the base; see blend.Sample. It is drawn once for each
// calibration of the base, and belongs to the goroutine that fits.
type sample struct {
	of   *calibration.Calibration
	docs blend.Sample
}

// learnWeights fits the weights of two databases and keeps them in the user's own.
func (d *database) learnWeights(ctx context.Context, base, own *classify.Classifier) (blend.Weights, error) {
	k := kept{}
	now, err := base.Calibration()
	if err != nil {
		return k.Weights, err
	}
	if held := &d.fits.sample; held.docs == nil || held.of != now {
		docs, err := blend.Draw(ctx, base, blend.PriorDocuments)
		if err != nil {
			return k.Weights, err
		}
		*held = sample{now, docs}
	}
	if err := own.Store().View(func(s *store.Snapshot) error { k.Learned = s.Documents(); return nil }); err != nil {
		return k.Weights, err
	}
	if k.Weights, err = blend.Learn(ctx, base, own, blendDocuments, d.fits.sample.docs); err != nil {
		return k.Weights, err
	}
	data, err := json.Marshal(k)
	if err != nil {
		return k.Weights, err
	}
	return k.Weights, own.Store().PutState(map[string][]byte{keyBlend: data})
}

// pair holds the results of the shared database and a user's for a message. base is nil
// if it abstains.
type pair struct {
	base, own *classify.Classifier
	weights   blend.Weights
}

// side is the result of one of them.
type side struct {
	c       *classify.Classifier
	weight  float64
	classes []*count.Class
	classify.Explanation
}

func (s *side) ask(ctx context.Context, doc classify.Document, explain bool) (err error) {
	if s.c == nil {
		return nil
	}
	if s.classes, err = s.c.Classes(); err != nil {
		return err
	}
	if explain {
		s.Explanation, err = s.c.Explain(ctx, doc)
	} else {
		s.Result, err = s.c.Classify(ctx, doc)
	}
	if errors.Is(err, classify.ErrNoDocuments) {
		return nil
	}
	return err
}

// blended answers from both databases of a pair.
func (e *Engine) blended(ctx context.Context, p pair, q *question) (reply, error) {
	base, own := side{c: p.base, weight: p.weights.Base}, side{c: p.own, weight: p.weights.Own}
	if p.base == nil {
		p.weights, own.weight = blend.Weights{Own: 1}, 1
	}
	doc := q.document(p.own)
	for _, s := range []*side{&base, &own} {
		if err := s.ask(ctx, doc, q.explain); err != nil {
			return reply{}, err
		}
	}
	posterior, scores := p.weights.Posterior(base.Posterior, own.Posterior)
	classes := classesOf(posterior, &base, &own)
	if e.untaught(classes) != decision.Sure {
		return reply{Answer: e.unlearned(classes), doc: doc}, nil
	}
	// The base's zones and cut-offs hold as long as the weights keep its scale.
	first := &base
	if p.base == nil {
		first = &own
	}
	k, err := first.c.Calibration()
	if err != nil {
		return reply{}, err
	}
	x := decision.Case{
		Classes: classes, Scores: scores, Terms: max(base.Result.Terms, own.Result.Terms), Attributes: max(base.Result.Attributes, own.Result.Attributes),
		Contradicts: base.Reason == decision.Contradiction, Calibrated: chosenOf(k),
	}
	for i, c := range posterior {
		x.Probabilities, x.Order = append(x.Probabilities, c.Probability), append(x.Order, i)
	}
	slices.SortStableFunc(x.Order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	decide := e.options.Classify.Decision
	if decide == nil {
		decide = decision.MostProbable{}
	}
	said, reason := x.Decide(decide, &e.options.Classify.Abstain)
	a := e.answerOf(&classify.Result{
		Class: classes[said].Name, Probability: posterior[said].Probability, Unsure: reason != decision.Sure, Posterior: posterior,
	})
	a.Threshold = bits(e.threshold(k, classes))
	if q.explain {
		a.Reasons = reasons(a.Class, &base, &own)
	}
	return reply{a, doc, posterior, k != nil}, nil
}

func chosenOf(k *calibration.Calibration) *calibration.Model {
	if k == nil {
		return nil
	}
	return k.Model(k.Chosen)
}

// classesOf returns the classes of a posterior from the base or else the user's database.
func classesOf(posterior []classify.ClassProbability, base, own *side) []*count.Class {
	var list []*count.Class
	for _, p := range posterior {
		if i := count.ClassNamed(base.classes, p.Class); i >= 0 && base.classes[i].Docs > 0 {
			list = append(list, base.classes[i])
		} else if i := count.ClassNamed(own.classes, p.Class); i >= 0 {
			c := *own.classes[i]
			if base.c != nil {
				c.ID = math.MaxUint32 // not a class of the base
			}
			list = append(list, &c)
		}
	}
	return list
}

// reasons adds up the contributions of terms on both sides.
func reasons(class string, sides ...*side) []backend.Reason {
	sums := make(map[string]*backend.Reason)
	for _, s := range sides {
		at := slices.Index(s.Classes, class)
		if at < 0 || len(s.Classes) < 2 || s.weight == 0 {
			continue
		}
		n := float64(len(s.Classes))
		for _, t := range s.Explanation.Terms {
			r := sums[t.Term]
			if r == nil {
				r = &backend.Reason{Term: t.Term, Count: t.Count}
				sums[t.Term] = r
			}
			// Log-likelihoods are less their mean, of which this class is one part.
			r.Bits += bits(s.weight * t.LogLikelihoods[at] * n / (n - 1))
		}
	}
	var list []backend.Reason
	for _, r := range sums {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b backend.Reason) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Bits), math.Abs(a.Bits)), cmp.Compare(a.Term, b.Term))
	})
	return list
}

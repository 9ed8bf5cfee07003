package classify

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

func newLooScores(s *store.Snapshot, t model.Totals, stacks []model.Stack) *looScores {
	loo := &looScores{s: s, t: t, stacks: stacks, rows: model.RowsOnce{Reader: s}}
	for _, stack := range stacks {
		var at []int
		for _, c := range stack.Components {
			at = append(at, len(loo.components))
			loo.components = append(loo.components, c)
		}
		loo.at = append(loo.at, at)
	}
	for c := range t.Classes {
		loo.all = append(loo.all, c)
	}
	loo.features = model.NewFeatures(loo.components, loo.t)
	if classes := len(t.Classes); classes <= fit.BiasClasses {
		loo.found, loo.marks = make([]calibration.Evidence, classes), make([]marks, classes)
		loo.features.Watch(contradictionRatio, func(row *model.Row, class int, ratio float64) {
			loo.found[class].Add(ratio, row.Fields > model.TextFields)
		})
	}
	loo.evidence.FieldsOf = tagged.FieldsOf
	return loo
}

// yieldAfter is the number of documents, of some .1 ms each, after which others come first.
const yieldAfter = 16

// add scores doc, of the class with this index, as if it had never been learned. It skips
// the only document of a class, and one that does not fit the counts.
func (loo *looScores) add(doc *count.Document, class int) error {
	if class < 0 || loo.t.Classes[class].Docs < 2 || len(doc.Terms) == 0 && len(doc.Attributes) == 0 {
		return nil
	}
	e := &loo.evidence
	e.Terms = doc.Terms
	if len(loo.docs)%yieldAfter == 0 {
		runtime.Gosched() // trainings and questions come first
	}
	if err := e.ReadTerms(&loo.rows, slices.ContainsFunc(loo.components, model.Component.Levels)); err != nil {
		return err
	}
	if err := e.ReadAttributes(loo.s, loo.t.Attributes, nil, doc.Attributes); err != nil {
		if _, kind := errors.AsType[*count.AttributeError](err); kind {
			return nil // forgotten since, and the attribute has another kind now
		}
		return err
	}
	loo.mark()
	loo.fields.Add(e)
	left, ok, err := e.LeaveOut(loo.s, loo.t, class, doc)
	if err != nil || !ok || e.Empty() {
		return err
	}
	classes := len(loo.t.Classes)
	scores := make([]float64, len(loo.components)*classes)
	clear(loo.found)
	loo.features.LeaveOut(left, class, e, scores)
	list := loo.all
	if loo.listed() {
		list, scores = loo.shortlist(scores, class)
	}
	d := scored{id: doc.ID, list: list, key: sampleKey(doc.ID), label: class, hour: hourOf(doc.Time), scores: scores, known: knownTerms(e)}
	for _, found := range loo.found {
		d.found = append(d.found, found.Values())
	}
	loo.docs = append(loo.docs, d)
	return nil
}

func (loo *looScores) drop(out func(model.Component) bool) {
	for i := range loo.stacks {
		stack, at := &loo.stacks[i], loo.at[i]
		var left []model.Component
		loo.at[i] = nil
		for k, c := range stack.Components {
			if !out(c) {
				left, loo.at[i] = append(left, c), append(loo.at[i], at[k])
			}
		}
		stack.Components = left
	}
}

// attributePrecision is the precision of the prior of an attribute's weight in addition
// to words, compared with 1 for other weights: most attributes repeat information of
// words, and if near copies of a document were learned, leave-one-out overestimates them.
const attributePrecision = 10

// fieldPrecision is the precision of the prior of the weight of a group of fields, around its
// default: for the same reason, and because ten such weights overfit a few hundred documents.
const fieldPrecision = 40

// seenBehind is the number of documents of the sample, at most a tenth of them, that have
// fewer known terms than seenTerms: for such documents there is next to no record of what
// their evidence is worth.
const seenBehind = 10

// settle sorts the documents by their keys, a random order, and sets documents of classes
// with too few apart.
func (loo *looScores) settle() {
	sortScored(loo.docs)
	loo.counts = make([]int, len(loo.t.Classes))
	for _, d := range loo.docs {
		loo.counts[d.label]++
	}
	if loo.seen = loo.seenTerms(); loo.listed() { // without biases the number of a class matters to none
		return
	}
	loo.few = slices.DeleteFunc(slices.Clone(loo.docs), func(d scored) bool { return loo.counts[d.label] >= classFewest })
	for _, d := range loo.few {
		loo.counts[d.label] = 0
	}
	loo.docs = slices.DeleteFunc(loo.docs, func(d scored) bool { return loo.counts[d.label] == 0 })
}

// knownTerms returns the number of known terms of a document, 0 if it has attributes.
func knownTerms(e *model.Evidence) int {
	if len(e.Attributes) > 0 {
		return 0
	}
	return len(e.Rows)
}

// seenTerms returns the number of known terms that all but a few documents of the sample have.
func (loo *looScores) seenTerms() int {
	var known []int
	for _, d := range loo.docs {
		if d.known > 0 {
			known = append(known, d.known)
		}
	}
	rank := min(seenBehind, len(known)/10)
	if rank == 0 {
		return 0
	}
	slices.Sort(known)
	return known[rank]
}

func sortScored(docs []scored) {
	slices.SortFunc(docs, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.key, b.key), slices.Compare(a.id[:], b.id[:]))
	})
}

// representative reports whether the classes have about the same shares of the documents
// scored as of all: half the sum of the differences is at most that of a random sample,
// and a tenth.
func (loo *looScores) representative() bool {
	n, all := float64(len(loo.docs)), float64(loo.t.Documents)
	distance, classes := 0.0, float64(count.WithDocuments(loo.t.Classes))
	for c, class := range loo.t.Classes {
		distance += math.Abs(float64(loo.counts[c])/n-float64(class.Docs)/all) / 2
	}
	return distance <= 0.1+math.Sqrt(classes/n)/2
}

// sample is the data of a fit, with its documents.
type sample struct {
	*fit.Sample
	docs []scored
}

// sample returns the scores of documents by the components of stack i. Classes that are
// not fitted have prior 0.
func (loo *looScores) sample(docs []scored, i int) sample {
	stack, at, classes := loo.stacks[i], loo.at[i], len(loo.t.Classes)
	s := sample{docs: docs, Sample: &fit.Sample{
		Classes: classes, Parts: len(at),
		Prior: scaled(decision.LogPrior(loo.t.Classes), stack.PriorWeight), Unbiased: loo.listed(),
		Flips: loo.flips,
	}}
	for c, n := range loo.counts {
		if n == 0 && !loo.listed() {
			s.Prior[c] = math.Inf(-1)
		}
	}
	for _, m := range at {
		precision := 1.0
		switch c := loo.components[m]; {
		case c.ReadsFields():
			precision = fieldPrecision
		case c.IsAttribute() && loo.t.Vocabulary > 0:
			precision = attributePrecision
		}
		s.Precision = append(s.Precision, precision)
	}
	prior := s.Prior
	if loo.listed() {
		classes = 0
		if len(docs) > 0 {
			classes = len(docs[0].list)
		}
		s.Classes, s.Prior = classes, make([]float64, classes)
	}
	for _, d := range docs {
		own, size := make([]float64, classes), float64(loo.t.Classes[d.label].Docs)
		for k := range own {
			own[k] = prior[d.list[k]]
		}
		own[d.position(d.label)] += stack.PriorWeight * math.Log(size/(size+1))
		s.Priors = append(s.Priors, own)
		row := make([]float64, 0, len(at)*classes)
		for _, m := range at {
			row = append(row, d.scores[m*classes:(m+1)*classes]...)
		}
		s.Labels, s.Scores = append(s.Labels, d.position(d.label)), append(s.Scores, row)
	}
	return s
}

// LeaveOut calls f for about limit learned documents, a sample that depends only on their
// ids, with the class of each and its leave-one-out posterior, in order of the names of
// the classes. Weights are fitted to the other half of the documents, or are the defaults
// if there are too few.
//
// It uses only documents whose counts the ledger keeps, and whose class has at least two
// others in the sample, and no recent lessons. With one class the posterior is as in Result. The Decision has no
// effect.
func (c *Classifier) LeaveOut(ctx context.Context, limit int, f func(id count.DocID, class string, posterior []ClassProbability) error) error {
	return c.db.Detached(func(s *store.Snapshot) error {
		t, err := allTotals(s)
		if err != nil {
			return err
		}
		stack := c.dcm.fill(asStack(c.options.Model).WithAttributes(t, false), s, t.Classes, false)
		loo := newLooScores(s, t, []model.Stack{stack})
		if err := loo.gather(ctx, limit, nil, false); err != nil {
			return err
		}
		give := func(d *scored, scores []float64) {
			if err == nil {
				err = f(d.id, t.Classes[d.label].Name, posteriorByName(t.Classes, d.whole(scores, len(t.Classes))))
			}
		}
		all := loo.sample(loo.docs, 0)
		if len(loo.docs) < fewest(t.Classes) || count.WithDocuments(t.Classes) < 2 {
			loo.drop(optionalWords)
			byDefault := weighing{weights: loo.stacks[0].Shrunk(t).Weights()}
			loo.sample(loo.docs, 0).each(byDefault, 0, 1, func(d *scored, _ int, scores []float64) { give(d, scores) })
		} else {
			crossFit(all, loo.stacks[0].Shrunk(t).Weights(), loo.seen).each(all, func(d *scored, scores, _ []float64) { give(d, scores) })
		}
		return err
	})
}

// posteriorByName returns the posterior for scores; classes that are not part of it have
// -Inf.
func posteriorByName(classes []*count.Class, scores []float64) []ClassProbability {
	if learned, _ := learnedOf(classes, scores); len(learned) == 1 {
		return onlyLearned(learned[0], 0, nil)
	}
	p := numeric.Posterior(scores)
	var list []ClassProbability
	for c, class := range classes {
		if !math.IsInf(scores[c], -1) {
			list = append(list, ClassProbability{class.Name, p[c], numeric.LogOdds(scores, c)})
		}
	}
	return list
}

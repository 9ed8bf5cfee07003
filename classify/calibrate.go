package classify

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store"
)

const (
	// sampleLeast and samplePerClass say how many documents are judged for a
	// calibration: few suffice for two classes, whereas each further class has a
	// bias of its own. On 20 Newsgroups 1,000 give .866 correct and 3,000 .873.
	sampleLeast    = 1000
	samplePerClass = 150
	sampleMost     = 4000

	// sampleFewest is the number of documents below which the weights stay what
	// they are by default.
	sampleFewest = 20
)

// sampleSize is the number of documents to judge in a database of that many
// classes.
func sampleSize(classes int) int {
	return min(max(sampleLeast, classes*samplePerClass), sampleMost)
}

// errEnough ends a walk over documents.
var errEnough = errors.New("enough documents")

// calibrate judges up to limit documents that the ledger has in full, and fits
// all candidates to the scores. It returns nil if there are too few documents
// to tell anything. Documents are taken in the order of their ids, which is that
// of a hash, so that it does not matter in which order classes were learned.
func calibrate(ctx context.Context, s *store.Snapshot, stacks []Stack, limit int, fits []Fit) (*Calibration, error) {
	j := newJudge(s, stacks, fits)
	if j.withDocuments() < 2 {
		return nil, nil
	}
	err := s.Learned(func(doc *store.Document) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.judge(doc); err != nil {
			return err
		}
		if len(j.labels) >= limit {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return j.calibration(), nil
}

// judge gathers the scores that documents get without their own help.
type judge struct {
	s          *store.Snapshot
	t          Totals
	stacks     []Stack
	components []Component // all that the stacks have, each once
	at         [][]int     // by stack: where its components are
	levels     bool
	parts      []part // prepared for all documents
	left       []part // without the one that is judged
	infinite   []bool // by component: some score is not finite

	evidence Evidence
	labels   []int
	scores   [][]float64 // by document: components × classes
}

func newJudge(s *store.Snapshot, stacks []Stack, fits []Fit) *judge {
	j := &judge{s: s, t: totalsOf(s), stacks: stacks}
	for _, stack := range stacks {
		var at []int
		for _, c := range stack.Components {
			c.Model = withFits(c.Model, fits)
			k := slices.IndexFunc(j.components, func(o Component) bool {
				return o.Gamma == c.Gamma && o.Model.Name() == c.Model.Name()
			})
			if k < 0 {
				k = len(j.components)
				j.components = append(j.components, c)
				j.levels = j.levels || c.Model.Levels()
			}
			at = append(at, k)
		}
		j.at = append(j.at, at)
	}
	j.parts = prepareParts(j.components, j.t, true)
	j.left = make([]part, len(j.parts))
	j.infinite = make([]bool, len(j.components))
	return j
}

// totalsOf returns the totals of a snapshot.
func totalsOf(s *store.Snapshot) Totals {
	return Totals{Classes: s.Classes(), Documents: s.Documents(), Vocabulary: s.Vocabulary()}
}

// withDocuments is the number of classes that have documents.
func (j *judge) withDocuments() int {
	n := 0
	for _, class := range j.t.Classes {
		if class.Docs > 0 {
			n++
		}
	}
	return n
}

// judge scores doc as if it had never been learned. A document that cannot be
// judged, the only one of its class, or one that does not fit the counts, is
// passed over.
func (j *judge) judge(doc *store.Document) error {
	class := slices.IndexFunc(j.t.Classes, func(c *store.Class) bool { return c.Name == doc.Class })
	if class < 0 || len(doc.Terms) == 0 {
		return nil
	}
	e := &j.evidence
	e.terms = append(e.terms[:0], doc.Terms...)
	if err := e.look(j.s, j.levels); err != nil {
		return err
	}
	left, ok := leaveOut(j.t, e, class, doc)
	if !ok || len(e.Rows) == 0 {
		return nil
	}
	classes := len(j.t.Classes)
	scores := make([]float64, len(j.components)*classes)
	for i := range j.parts {
		j.left[i] = j.parts[i].without(left, class)
	}
	features(j.left, e, classes, scores)
	for i := range scores {
		if math.IsInf(scores[i], 0) || math.IsNaN(scores[i]) {
			j.infinite[i/classes] = true
		}
	}
	j.labels = append(j.labels, class)
	j.scores = append(j.scores, scores)
	return nil
}

// calibration fits the stacks to what was gathered.
func (j *judge) calibration() *Calibration {
	if len(j.labels) < sampleFewest {
		return nil
	}
	k := &Calibration{Documents: j.t.Documents, Sample: len(j.labels)}
	var best []float64
	for i, stack := range j.stacks {
		if slices.ContainsFunc(j.at[i], func(m int) bool { return j.infinite[m] }) {
			continue // maximum likelihood, to which documents are impossible
		}
		m, losses := j.fit(stack, j.at[i])
		if i == 0 || i < len(candidates()) && surelyLess(losses, best) {
			best, k.Chosen = losses, m.Name
		}
		k.Models = append(k.Models, m)
	}
	for i := range k.Models {
		_, candidate := stackOf(k.Models[i].Name)
		if candidate && k.Models[i].Name != k.Chosen {
			k.Models[i].Tails = nil
		}
	}
	return k
}

// surelyLess says whether the mean of a is below that of b by more than the
// standard error of their difference. The Stack, which is the first, contains the
// others: within the error it is the safer choice.
func surelyLess(a, b []float64) bool {
	n, mean, squares := float64(len(a)), 0.0, 0.0
	for d := range a {
		mean += (b[d] - a[d]) / n
	}
	for d := range a {
		squares += (b[d] - a[d] - mean) * (b[d] - a[d] - mean)
	}
	return mean > math.Sqrt(squares/n/max(n-1, 1))
}

// fit fits one stack. It returns the losses of the documents too.
func (j *judge) fit(stack Stack, at []int) (CalibratedModel, []float64) {
	s := j.sample(stack, at)
	byDefault := make([]float64, len(at))
	for m, c := range stack.shrunk(j.t.Documents).Components {
		byDefault[m] = c.Weight
	}
	losses := crossLosses(s, byDefault)
	fitted := CalibratedModel{Name: stack.Label, Loss: mean(losses)}
	weights, bias := fitWeights(s, byDefault)
	fitted.Weights = slices.Clone(weights)
	if len(bias) > 0 {
		fitted.Bias = make(map[store.ClassID]float64)
		for c, class := range j.t.Classes {
			if class.Docs > 0 {
				fitted.Bias[class.ID] = bias[c]
			}
		}
	}
	fitted.Tails = j.tails(s, weights, bias)
	return fitted, losses
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// sample returns the scores of the components at the given places.
func (j *judge) sample(stack Stack, at []int) *sample {
	classes := len(j.t.Classes)
	s := &sample{classes: classes, parts: len(at), labels: j.labels, prior: scaled(logPrior(j.t), stack.PriorWeight)}
	for _, all := range j.scores {
		row := make([]float64, 0, len(at)*classes)
		for _, m := range at {
			row = append(row, all[m*classes:(m+1)*classes]...)
		}
		s.scores = append(s.scores, row)
	}
	return s
}

// crossLosses are the log losses of the documents, where each half of the sample
// is judged by weights that were fitted to the other.
func crossLosses(s *sample, byDefault []float64) []float64 {
	var losses []float64
	for half := range 2 {
		weights, bias := fitWeights(s.half(half), byDefault)
		losses = append(losses, s.half(1-half).losses(weights, bias)...)
	}
	return losses
}

// half returns every second document.
func (s *sample) half(first int) *sample {
	h := *s
	h.labels, h.scores = nil, nil
	for d := first; d < len(s.labels); d += 2 {
		h.labels, h.scores = append(h.labels, s.labels[d]), append(h.scores, s.scores[d])
	}
	return &h
}

// scaled returns prior × weight.
func scaled(prior []float64, weight float64) []float64 {
	for c := range prior {
		if !math.IsInf(prior[c], -1) {
			prior[c] *= weight
		}
	}
	return prior
}

// tails returns the tails of all classes, unless those are very many.
func (j *judge) tails(s *sample, weights, bias []float64) map[store.ClassID]Tail {
	if s.classes > biasClasses {
		return nil
	}
	odds := make([][]float64, s.classes)
	scores := make([]float64, s.classes)
	for d, row := range s.scores {
		copy(scores, s.prior)
		for c := range scores {
			if len(bias) > 0 {
				scores[c] += bias[c]
			}
			for m, w := range weights {
				scores[c] += w * row[m*s.classes+c]
			}
		}
		for c := range scores {
			if c != s.labels[d] && !math.IsInf(s.prior[c], -1) {
				odds[c] = append(odds[c], logOdds(scores, c))
			}
		}
	}
	tails := make(map[store.ClassID]Tail)
	for c, class := range j.t.Classes {
		if len(odds[c]) > 0 {
			tails[class.ID] = newTail(odds[c])
		}
	}
	return tails
}

// Ranking returns the models from the least loss to the greatest.
func (k *Calibration) Ranking() []CalibratedModel {
	models := slices.Clone(k.Models)
	slices.SortStableFunc(models, func(a, b CalibratedModel) int { return cmp.Compare(a.Loss, b.Loss) })
	return models
}

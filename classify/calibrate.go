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

	// sampleCells bounds documents × classes, for the scores of all components are
	// kept until the fits are done: 160 MB. So many classes have no biases, and
	// for eight weights few documents do.
	sampleCells = 1 << 21

	// sampleFewest and fewestPerClass are the numbers of documents below which the
	// weights stay what they are by default. A document that is left out leaves its
	// class smaller than the others, which tells against it where classes are small.
	sampleFewest   = 20
	fewestPerClass = 2
)

// sampleSize is the number of documents to judge in a database of that many
// classes.
func sampleSize(classes int) int {
	return min(max(sampleLeast, classes*samplePerClass), sampleMost, max(sampleCells/max(classes, 1), 2*sampleFewest))
}

// fewest is the number of documents that it takes to calibrate with such
// classes.
func fewest(classes []*store.Class) int {
	n := withDocuments(classes)
	return max(sampleFewest, min(fewestPerClass*n, sampleSize(n)/2))
}

// errEnough ends a walk over documents.
var errEnough = errors.New("enough documents")

// calibrate judges up to limit documents that the ledger has in full or, where
// those are fewer, that this process has trained, and fits all candidates to the
// scores. It returns nil if there are too few documents to tell anything. Documents
// are taken in the order of their ids, which is that of a hash, so that it does
// not matter in which order classes were learned.
func calibrate(ctx context.Context, s *store.Snapshot, stacks []Stack, asked []string, limit int, trained *recent) (*Calibration, error) {
	if withDocuments(s.Classes()) < 2 {
		return nil, nil
	}
	j := newJudge(s, stacks, readFits(s))
	judge := func(doc *store.Document) error {
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
	}
	err := s.Learned(judge)
	if err == nil {
		err = trained.each(judge)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return j.calibration(asked), nil
}

// calibration fits the stacks to what was gathered. Those asked for by name have
// tails, and the one chosen.
func (j *judge) calibration(asked []string) *Calibration {
	if len(j.labels) < fewest(j.t.Classes) {
		return nil
	}
	k := &Calibration{Documents: j.t.Documents, Sample: len(j.labels)}
	var best []float64
	for i, stack := range j.stacks {
		if slices.ContainsFunc(j.at[i], func(m int) bool { return j.infinite[m] }) {
			continue // maximum likelihood, to which documents are impossible
		}
		m, losses := j.fit(stack, j.sample(stack, j.at[i]))
		if i == 0 || i < len(candidates()) && surelyLess(losses, best) {
			best, k.Chosen = losses, m.Name
		}
		k.Models = append(k.Models, m)
	}
	for i := range k.Models {
		m := &k.Models[i]
		if m.Name == k.Chosen || slices.Contains(asked, m.Name) {
			at := slices.IndexFunc(j.stacks, func(s Stack) bool { return s.Label == m.Name })
			m.Tails = j.tails(j.stacks[at], j.sample(j.stacks[at], j.at[at]))
		}
	}
	return k
}

// surelyLess says whether the mean of a is below that of b by more than twice the
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
	return mean > 2*math.Sqrt(squares/n/max(n-1, 1))
}

// fit fits one stack. It returns the losses of the documents too.
func (j *judge) fit(stack Stack, s *sample) (CalibratedModel, []float64) {
	byDefault := stack.shrunk(j.t).weights()
	var losses []float64
	crossFit(s, byDefault, func(judged *sample, weights, bias []float64) {
		losses = append(losses, judged.losses(weights, bias)...)
	})
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
	return fitted, losses
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// crossFit calls judge with each half of the sample, and with the weights and
// biases that were fitted to the other.
func crossFit(s *sample, byDefault []float64, judge func(judged *sample, weights, bias []float64)) {
	for half := range 2 {
		weights, bias := fitWeights(s.half(half), byDefault)
		judge(s.half(1-half), weights, bias)
	}
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

// Ranking returns the models from the least loss to the greatest.
func (k *Calibration) Ranking() []CalibratedModel {
	models := slices.Clone(k.Models)
	slices.SortStableFunc(models, func(a, b CalibratedModel) int { return cmp.Compare(a.Loss, b.Loss) })
	return models
}

package classify

import (
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// gather judges about limit documents that the ledger has in full, a sample by
// their sampleKey, so that it does not matter in which order classes were learned
// nor what ids are; and, where those are fewer, documents that this process has
// trained.
func gather(ctx context.Context, s *store.Snapshot, t model.Totals, stacks []model.Stack, fits []model.Fit, limit int, trained []recentDocument) (*judge, error) {
	j := newJudge(s, t, stacks, fits)
	judge := func(doc *count.Document, class int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return j.judge(doc, class)
	}
	full := 0
	counts := func(count.DocID) bool { full++; return false }
	if err := s.LearnedIf(counts, func(*count.Document) error { return nil }); err != nil {
		return nil, err
	}
	j.whole = uint64(full) == t.Documents
	share := float64(limit) / float64(max(full, 1))
	want := func(id count.DocID) bool { return float64(sampleKey(id)) < share*(1<<64) }
	err := s.LearnedIf(want, func(doc *count.Document) error { return judge(doc, j.named(doc.Class)) })
	if err != nil {
		return nil, err
	}
	for _, r := range trained {
		if len(j.judged) >= limit {
			break
		}
		doc, err := r.doc.Document()
		if err != nil {
			return nil, err
		}
		class := slices.IndexFunc(j.t.Classes, func(c *count.Class) bool { return c.ID == r.class })
		if err := judge(&doc, class); err != nil {
			return nil, err
		}
	}
	j.settle()
	if err := j.judgeRare(ctx, share, limit/2); err != nil {
		return nil, err
	}
	j.s = nil // the snapshot ends, and fits need it no longer
	return j, nil
}

// judgeRare judges about so many documents of the smaller of two classes, if the sample,
// which has that share of all, has fewer: a false-positive rate of the greater class is
// known by them, however few they are beside it. With more classes the others would no
// longer be in proportion.
func (j *judge) judgeRare(ctx context.Context, share float64, most int) error {
	if withDocuments(j.t.Classes) != 2 {
		return nil
	}
	rare, docs := -1, uint64(math.MaxUint64)
	for c, class := range j.t.Classes {
		if class.Docs > 0 && class.Docs < docs {
			rare, docs = c, class.Docs
		}
	}
	wanted := float64(most) / float64(docs)
	if wanted <= share {
		return nil
	}
	want := func(id count.DocID) bool {
		key := float64(sampleKey(id))
		return key >= share*(1<<64) && key < wanted*(1<<64)
	}
	sampled := j.judged
	j.judged = nil
	err := j.s.LearnedIf(want, func(doc *count.Document) error {
		if err := ctx.Err(); err != nil || j.named(doc.Class) != rare {
			return err
		}
		return j.judge(doc, rare)
	})
	j.rare, j.judged = j.judged, sampled
	sortJudged(j.rare)
	return err
}

// calibration fits the stacks to what was gathered. Those asked for by name have
// tails, and the one chosen. It returns nil if there are too few documents to tell
// anything.
func (j *judge) calibration(ctx context.Context, asked []string) (*calibration.Calibration, error) {
	classes := 0
	for _, n := range j.counts {
		classes += min(n, 1)
	}
	if len(j.judged) < fewest(j.t.Classes) || classes < 2 || !j.representative() {
		return nil, nil
	}
	k := &calibration.Calibration{
		Documents: j.t.Documents, Sample: len(j.judged),
		Learned: make(map[count.ClassID]uint64), Sampled: make(map[count.ClassID]int),
	}
	for c, class := range j.t.Classes {
		k.Learned[class.ID] = class.Docs
		k.Sampled[class.ID] = j.counts[c]
	}
	var best []float64
	halves := make([]halfFits, len(j.stacks))
	for i, stack := range j.stacks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(j.at[i], func(m int) bool { return j.infinite[m] }) {
			continue // maximum likelihood, to which documents are impossible
		}
		s := j.sample(stack, j.at[i])
		halves[i] = crossFit(s, stack.Shrunk(j.t).Weights())
		m, losses := j.fit(stack, s, halves[i])
		m.Documents, m.Sampled = k.Documents, k.Sampled
		if best == nil || i < len(candidates()) && surelyLess(losses, best) {
			best, k.Chosen = losses, m.Name
		}
		k.Models = append(k.Models, m)
	}
	for i := range k.Models {
		m := &k.Models[i]
		if m.Name == k.Chosen || slices.Contains(asked, m.Name) {
			at := slices.IndexFunc(j.stacks, func(s model.Stack) bool { return s.Label == m.Name })
			j.addTails(m, j.stacks[at], j.at[at], halves[at])
		}
	}
	return k, nil
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

// fit fits one stack, of which halves are the fits to the halves. It returns the losses
// of the documents too.
func (j *judge) fit(stack model.Stack, s sample, halves halfFits) (calibration.Model, []float64) {
	var losses []float64
	halves.each(s, func(judged sample, weights, bias []float64) {
		losses = append(losses, judged.Losses(weights, bias)...)
	})
	fitted := calibration.Model{Name: stack.Label, Components: stack.ComponentNames(), Loss: mean(losses)}
	weights, bias := s.Weights(stack.Shrunk(j.t).Weights())
	fitted.Weights = slices.Clone(weights)
	if len(bias) > 0 {
		fitted.Bias = make(map[count.ClassID]float64)
		for c, class := range j.t.Classes {
			if j.counts[c] > 0 {
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

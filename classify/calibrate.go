package classify

import (
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// gather scores about limit documents that the ledger has in full and, if there are too
// few, documents that this process has trained. The sample is drawn by sampleKey, so that
// it depends neither on the order of learning nor on how ids are made. With part no other
// documents are read, neither for the Layer nor as the latest.
func (loo *looScores) gather(ctx context.Context, limit int, trained []trainedDocument, part bool) error {
	full := 0
	counts := func(count.DocID) bool { full++; return false }
	if err := loo.s.Learned(counts, func(*count.Document) error { return nil }); err != nil {
		return err
	}
	loo.whole = uint64(full) == loo.t.Documents
	loo.rows.Terms.Expect(int(loo.t.Vocabulary * uint64(min(full, limit)) / max(loo.t.Documents, 1))) // or more
	if err := loo.score(ctx, float64(limit)/float64(max(full, 1)), limit/2, part); err != nil {
		return err
	}
	for _, r := range trained {
		if len(loo.docs) >= limit {
			break
		}
		doc := r.doc.Decode("")
		class := slices.IndexFunc(loo.t.Classes, func(c *count.Class) bool { return c.ID == r.class })
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := loo.add(&doc, class); err != nil {
			return err
		}
	}
	loo.drop(loo.fields.HasNothingFor)
	loo.settle()
	if !part {
		if err := loo.addLatest(ctx); err != nil {
			return err
		}
	}
	loo.s, loo.rows = nil, model.RowsOnce{} // the snapshot ends; fits do not need it
	return nil
}

// score scores a share of the documents that the ledger has in full, additional documents
// of a rare class, and learns a Layer from all, in one pass through the ledger.
func (loo *looScores) score(ctx context.Context, share float64, mostRare int, part bool) error {
	rare, rareShare := loo.rareClass(mostRare)
	l := loo.newLearner()
	if l != nil && part {
		l.share = share
	}
	want := func(id count.DocID) bool {
		key := sampleKey(id)
		return within(key, max(share, rareShare)) || l.wants(key)
	}
	err := loo.s.Learned(want, func(doc *count.Document) error {
		class, key, before := count.ClassNamed(loo.t.Classes, doc.Class), sampleKey(doc.ID), len(loo.docs)
		sampled := within(key, share)
		if sampled || class == rare && within(key, rareShare) {
			if err := loo.add(doc, class); err != nil {
				return err
			}
		}
		added := loo.docs[before:]
		if l != nil {
			loo.gatherLayer(l, doc, class, added)
		}
		if !sampled {
			loo.rare, loo.docs = append(loo.rare, added...), loo.docs[:before]
		}
		return ctx.Err()
	})
	if err == nil && l != nil {
		var df []uint64
		if df, err = loo.rows.Terms.Frequencies(loo.s); err == nil {
			loo.layer = l.Learn(ctx, loo.t.Documents, df)
			err = ctx.Err()
		}
	}
	sortScored(loo.rare)
	return err
}

// rareClass returns the smaller of two classes and the share of all documents that contains
// about most of its documents. They are scored beside the sample: the false-positive rate of
// the larger class is estimated from them. With more classes the share is 0, since the others
// would be out of proportion.
func (loo *looScores) rareClass(most int) (rare int, share float64) {
	if count.WithDocuments(loo.t.Classes) != 2 {
		return -1, 0
	}
	docs := uint64(math.MaxUint64)
	for c, class := range loo.t.Classes {
		if class.Docs > 0 && class.Docs < docs {
			rare, docs = c, class.Docs
		}
	}
	return rare, float64(most) / float64(docs)
}

// worded reports whether most documents have words. Where attributes alone tell classes from each
// other, these overlap, and that cannot be told from wrong labels: among the passengers of the Titanic
// one in eight of those who died would be one who survived.
func (loo *looScores) worded() bool {
	empty := uint64(0)
	for _, class := range loo.t.Classes {
		if len(class.Lengths) > 0 && class.Lengths[0].N == 0 {
			empty += class.Lengths[0].Count
		}
	}
	return 2*empty < loo.t.Documents
}

// calibration fits the stacks to the scores, the default one first. It returns nil if there are
// too few documents.
func (loo *looScores) calibration(ctx context.Context) (*calibration.Calibration, error) {
	classes := 0
	for _, n := range loo.counts {
		classes += min(n, 1)
	}
	if len(loo.docs) < fewest(loo.t.Classes) || classes < 2 || !loo.representative() {
		return nil, nil
	}
	k := &calibration.Calibration{
		Documents: loo.t.Documents, Sample: len(loo.docs), Chosen: stackName,
		Learned: make(map[count.ClassID]uint64), Sampled: make(map[count.ClassID]int),
		WrongLabels: make(map[count.ClassID]float64), Marks: make(map[count.ClassID]calibration.Mark),
	}
	for i, stack := range loo.stacks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := loo.sample(loo.docs, i)
		if i == 0 && !loo.listed() && loo.worded() {
			loo.flips = s.FindFlips(stack.Shrunk(loo.t).Weights())
			s.Flips = loo.flips
		}
		x := crossFitted{loo, i, s, crossFit(s, stack.Shrunk(loo.t).Weights(), loo.seen)}
		m := x.fit()
		m.Documents = k.Documents
		x.addTails(&m)
		k.Models = append(k.Models, m)
		if i == 0 {
			k.Latest = x.latestAccuracy()
			loo.record = x.newRecord()
			x.review()
		}
	}
	for c, class := range loo.t.Classes {
		k.Learned[class.ID], k.Sampled[class.ID] = class.Docs, loo.counts[c]
		if loo.flips != nil {
			k.WrongLabels[class.ID] = loo.flips.Rates[c]
		}
		if c < len(loo.marks) && loo.marks[c].own.Term != "" {
			k.Marks[class.ID] = loo.marks[c].own
		}
	}
	return k, nil
}

// expectedLoss is the loss of scores, in nats, for a document of the classes of truth.
func expectedLoss(scores, truth []float64) float64 {
	sum := 0.0
	for c, p := range truth {
		if p > 0 {
			sum += p * numeric.Loss(scores, c)
		}
	}
	return sum
}

// fit fits the stack to the whole sample. Its loss is that of the fits to the halves, each for the
// documents of the other half.
func (x crossFitted) fit() calibration.Model {
	stack := x.stacks[x.i]
	fitted := calibration.Model{
		Name: stack.Label, Components: stack.ComponentNames(), Seen: x.shrinkage.Seen,
		Variance: x.shrinkage.Variance, Floor: float64(x.shrinkage.Floor),
	}
	x.each(x.all, func(_ *scored, scores, truth []float64) { fitted.Loss += expectedLoss(scores, truth) })
	fitted.Loss /= float64(len(x.all.docs))
	weights, bias := x.all.WeightsNear(stack.Shrunk(x.t).Weights(), x.fits[1].weights, x.fits[1].bias)
	fitted.Weights = slices.Clone(weights)
	if len(bias) > 0 {
		fitted.Bias = make(map[count.ClassID]float64)
		for c, class := range x.t.Classes {
			if x.counts[c] > 0 {
				fitted.Bias[class.ID] = bias[c]
			}
		}
	}
	return fitted
}

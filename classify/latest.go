package classify

import (
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// latestShare is their share of all documents, and latestMost the largest number of
	// documents subtracted from the counts, each of which takes about 5 kB of memory meanwhile.
	latestShare = 0.2
	latestMost  = 2000

	// latestLedger is the largest ledger, in documents, that is read for them: that costs as
	// much as scoring a fifth of the largest sample.
	latestLedger = 4 * sampleMost

	// latestFewest is the number of documents of other classes from which their highest tenth
	// is meaningful.
	latestFewest = 30
)

// latestSince returns the first hour of the latest documents; ok is false if they cannot
// be distinguished.
func (loo *looScores) latestSince() (since int64, ok bool) {
	if !loo.whole || len(loo.docs) == 0 || loo.t.Documents > latestLedger {
		return 0, false
	}
	hours := make([]int64, len(loo.docs))
	for i, d := range loo.docs {
		hours[i] = d.hour
	}
	slices.Sort(hours)
	share := min(latestShare, latestMost/float64(loo.t.Documents))
	since = hours[int((1-share)*float64(len(hours)-1))] + 1
	return since, since <= hours[len(hours)-1]
}

// counted returns the components that are scored from counts of words, without levels.
func (loo *looScores) counted() (at []int, components []model.Component) {
	for i, c := range loo.components {
		if !c.IsAttribute() && !c.IsLayer() && !c.Levels() {
			at, components = append(at, i), append(components, c)
		}
	}
	return at, components
}

// addLatest scores the latest documents from the documents learned before them. Components
// not scored from counts of words keep their scores from all documents.
func (loo *looScores) addLatest(ctx context.Context) error {
	since, ok := loo.latestSince()
	if !ok {
		return nil
	}
	earlier := model.NewEarlier(loo.t)
	err := loo.s.Learned(nil, func(doc *count.Document) error {
		if class := count.ClassNamed(loo.t.Classes, doc.Class); class >= 0 && hourOf(doc.Time) >= since {
			earlier.Take(class, doc)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	left := earlier.Totals()
	known := func(d scored) bool { // or it had another class then
		return d.hour >= since && 2*left.Classes[d.label].Docs >= loo.t.Classes[d.label].Docs
	}
	l := &loo.latest
	l.since = since
	for _, list := range [][]scored{loo.docs, loo.rare} {
		for _, d := range list {
			if known(d) {
				l.docs = append(l.docs, d)
			}
		}
	}
	l.then = slices.Clone(l.docs)
	return loo.scoreEarlier(ctx, left, earlier.Reader(loo.s))
}

// scoreEarlier scores the documents of loo.latest.then by the counts without the latest documents.
func (loo *looScores) scoreEarlier(ctx context.Context, left model.Totals, reader model.Reader) error {
	places := make(map[count.DocID]int)
	for i, d := range loo.latest.then {
		places[d.id] = i
	}
	at, components := loo.counted()
	features, classes := model.NewFeatures(components, left), len(left.Classes)
	scores := make([]float64, len(components)*classes)
	want := func(id count.DocID) bool { _, is := places[id]; return is }
	return loo.s.Learned(want, func(doc *count.Document) error {
		e := &loo.evidence
		e.Terms, e.Attributes = doc.Terms, e.Attributes[:0]
		if err := e.ReadTerms(reader, false); err != nil {
			return err
		}
		features.Score(e, classes, scores)
		d := &loo.latest.then[places[doc.ID]]
		d.scores, d.known = slices.Clone(d.scores), knownTerms(e)
		width := len(d.scores) / len(loo.components)
		for k, m := range at {
			for i := range width {
				d.scores[m*width+i] = scores[k*classes+d.list[i]]
			}
		}
		return ctx.Err()
	})
}

// raised returns by class how much higher the latest documents of other classes score for
// it from the documents learned before them, in nats, at least 0: the difference of the
// last deciles. Future documents are expected to score higher than the sample by this
// much; the greatest log-odds themselves are too few to compare.
func (x crossFitted) raised() []float64 {
	raised := make([]float64, len(x.t.Classes))
	x = x.withShrinkage(fit.Shrinkage{}) // else they would differ less than cut-offs near 0 must rise
	now, then := x.oddsOf(x.sample(x.latest.docs, x.i)), x.oddsOf(x.sample(x.latest.then, x.i))
	for c := range raised {
		if others := now[c].others(); len(others) >= latestFewest {
			raised[c] = max(0, lastDecile(then[c].others())-lastDecile(others))
		}
	}
	return raised
}

// lastDecile returns the log-odds that a tenth of the documents reach.
func lastDecile(others []float64) float64 {
	slices.Sort(others)
	return others[len(others)*9/10]
}

func (x crossFitted) latestAccuracy() calibration.Latest {
	var now, then []float64
	each := func(docs []scored, losses *[]float64) {
		x.each(x.sample(docs, x.i), func(d *scored, scores, _ []float64) {
			*losses = append(*losses, numeric.Loss(scores, d.position(d.label)))
		})
	}
	each(x.latest.docs, &now)
	each(x.latest.then, &then)
	if len(now) == 0 {
		return calibration.Latest{}
	}
	l := calibration.Latest{Documents: len(now), Since: uint64(max(0, x.latest.since)) * 3600}
	n, squares, difference := float64(len(now)), 0.0, 0.0
	for d, loss := range now {
		l.Loss += loss / n
		difference += (then[d] - loss) / n
	}
	for d, loss := range now {
		squares += (then[d] - loss - difference) * (then[d] - loss - difference)
	}
	l.Before, l.Error = l.Loss+difference, math.Sqrt(squares/n/max(n-1, 1))
	return l
}

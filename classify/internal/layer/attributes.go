package layer

import (
	"context"
	"math"

	"github.com/polya-classifier/polya/internal/logistic"
	"github.com/polya-classifier/polya/internal/numeric"
)

// Limits of learning attributes: documents × features × classes, so that it takes a few seconds, and
// weights, which it holds some twenty times. The first documents decide which features are left out.
const (
	mostProducts = 1 << 22
	mostFolded   = 1 << 11 // documents in as many folds as those of tags; more are in three
	mostLinear   = 1 << 18
)

// finer is by how much weights of attributes are finer than those of terms: there are few of them,
// and they balance each other where columns depend on each other.
const finer = 64

// squareUnit makes the prior of a square's weights four times as precise as that of others: most
// columns tell by being more or less, and squares double what there is to learn. Of 37 tables the
// log loss is .300 for .305 in the mean, less in 26 and more in 4.
const squareUnit = .5

// precisions are those of priors to try, from that with which the least is learned.
var precisions = [...]float64{10, 1, .1, .01}

// learnAttributes learns a multinomial logistic regression of the attributes, with the prior that is
// best for documents which were not learned, and adds its weights to p. It sets the scores of
// documents by a model that has not learned them: the documents to learn are divided into folds.
// Unlike stochastic gradients the fit converges where columns depend on each other.
func (l *Learner) learnAttributes(ctx context.Context, p *pass) (features []hashed) {
	if l.Columns == nil {
		return nil
	}
	q := logistic.Problem{Classes: l.classes, Steepest: 2e-3, Steps: 200}
	features = l.measure()
	known := make(map[uint64]feature)
	for i := range l.docs {
		l.docs[i].row = l.row(&l.docs[i], known)
	}
	q.Features, q.Rows = len(known), l.rows(1, 1)
	parts := folds
	if len(q.Rows) > mostFolded {
		parts = 3
	}
	all, fits, least := q.Rows, make([]logistic.Weights, parts), math.Inf(1)
	best, weights := q, logistic.Weights(nil)
	for _, q.Precision = range precisions {
		q.Rows = all
		loss, scores := 0., make([][]float64, len(l.docs))
		for fold := range fits {
			q.Rows = l.rows(parts, fold)
			fits[fold], _, _ = q.Fit(ctx, fits[fold])
			for i, d := range l.docs {
				if !d.apart && int(d.key%uint64(parts)) == fold {
					scores[i] = fits[fold].Scores(nil, d.row, l.classes)
					loss += numeric.Loss(scores[i], d.label)
				}
			}
		}
		if loss >= least {
			break
		}
		for i, s := range scores {
			l.docs[i].linear = s
		}
		least, best, weights = loss, q, fits[0]
	}
	best.Rows = all
	weights, _, _ = best.Fit(ctx, weights)
	for i := range l.docs {
		if d := &l.docs[i]; d.apart && d.scored != nil {
			d.linear = weights.Scores(nil, d.row, l.classes)
		}
	}
	first := int32(len(p.weights) / l.classes)
	for _, w := range weights {
		p.weights = append(p.weights, float32(finer*w))
	}
	for hash, f := range known {
		features = append(features, hashed{hash, first + int32(f.number), f.unit / finer, nil})
	}
	return append(features, hashed{Constant, first + int32(len(known)), 1. / finer, nil})
}

// measure sets the scales of numbers by the documents to learn, and returns them. A category is 0.
func (l *Learner) measure() (scales []hashed) {
	numbers := make([][]float64, len(l.Columns))
	for i := range l.docs {
		for _, a := range l.docs[i].attributes {
			if at := l.Columns.at(a.Name); !l.docs[i].apart {
				numbers[at] = append(numbers[at], a.Number)
			}
		}
	}
	for at, list := range numbers {
		if len(list) > 0 {
			scales = append(scales, l.Columns[at].measure(list))
		}
	}
	return scales
}

// feature is one of those that are learned. It is learned in multiples of unit.
type feature struct {
	number uint32
	unit   float64
}

// row returns the features of the attributes of a document, in their units, and makes those that are
// new known if it is to be learned.
func (l *Learner) row(d *document, known map[uint64]feature) (r logistic.Row) {
	r.Label = d.label
	for i := range d.attributes {
		a := &d.attributes[i]
		at := l.Columns.at(a.Name)
		l.Columns.Each(at, a, func(hash uint64, value float64) {
			f, found := known[hash]
			if !found && !d.apart && (len(known)+2)*l.classes <= mostLinear {
				f, found = feature{uint32(len(known)), 1}, true
				if l.Columns[at].isSquare(hash, a.Kind) {
					f.unit = squareUnit
				}
				known[hash] = f
			}
			if found {
				r.Features, r.Values = append(r.Features, f.number), append(r.Values, f.unit*value)
			}
		})
	}
	return r
}

// rows returns the documents to learn that are not of one of so many parts.
func (l *Learner) rows(parts, but int) (rows []logistic.Row) {
	for i := range l.docs {
		if d := &l.docs[i]; !d.apart && int(d.key%uint64(parts)) != but {
			rows = append(rows, d.row)
		}
	}
	return rows
}

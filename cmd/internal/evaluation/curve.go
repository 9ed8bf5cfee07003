package evaluation

import (
	"math"

	"github.com/polya-classifier/polya/classify/eval"
)

// The sizes of a curve: the smallest, and the number per decade.
const (
	curveFirst     = 20
	curvePerDecade = 3
)

// curve tests growing, nested, stratified samples of the training documents on the same
// test documents.
func (e *experiment) curve(db *database, test []int) error {
	order := e.corpus.stratified(e.trained, e.o.Seed)
	positive := e.positive(e.corpus.Count(test))
	e.report.Curve = &Curve{Kind: CurveHeldOut}
	learned := 0
	for _, size := range eval.LogSizes(curveFirst, len(order), curvePerDecade) {
		e.o.stage("curve", size-learned+len(test))
		if err := db.count(e.ctx, order[learned:size]); err != nil {
			return err
		}
		if err := db.fit(e.ctx); err != nil {
			return err
		}
		learned = size
		all := e.newAnswers()
		if err := e.ask(db, test, all); err != nil {
			return err
		}
		if e.o.Baseline != nil {
			e.whole = all[len(all)-1]
			if err := e.askBaseline(order[:size], test, e.whole); err != nil {
				return err
			}
		}
		if all = all[:len(e.answers)]; len(all) == len(e.o.Models) { // without a baseline, or after it was dropped
			for i := range e.report.Curve.Points {
				p := &e.report.Curve.Points[i]
				p.Models = p.Models[:len(all)]
			}
		}
		e.report.Curve.Points = append(e.report.Curve.Points, point(size, all, positive, e.o.Seed))
	}
	return nil
}

// point measures the answers after docs documents.
func point(docs int, all []*answers, positive int, seed uint64) CurvePoint {
	p := CurvePoint{Docs: docs}
	var values [][]float64
	for _, a := range all {
		right, loss := rightAndLoss(a.results)
		values = append(values, right, loss)
		v := CurveValues{Name: a.name, MacroF1: Number(a.results.MacroF1()), OneMinusROCAPercent: Number(math.NaN())}
		if positive >= 0 {
			v.OneMinusROCAPercent = Number(a.results.ROC(positive).OneMinusROCAPercent())
		}
		p.Models = append(p.Models, v)
	}
	intervals := eval.Bootstrap{Seed: seed}.Means(values...)
	for i := range p.Models {
		p.Models[i].Accuracy, p.Models[i].LogLoss = interval(intervals[2*i]), interval(intervals[2*i+1])
	}
	return p
}

// runningPerDecade is the number of points per decade of a running curve.
const runningPerDecade = 10

// running returns the means over the answers of a stream up to each of a series of
// documents.
func (e *experiment) running() *Curve {
	c := &Curve{Kind: CurveRunning}
	type sums struct{ right, loss []float64 }
	var all []sums
	for _, m := range e.report.Models {
		right, loss := rightAndLoss(m.Results)
		all = append(all, sums{runningMean(right), runningMean(loss)})
	}
	for _, n := range eval.LogSizes(1, e.report.Tested, runningPerDecade) {
		p := CurvePoint{Docs: n}
		for i, m := range e.report.Models {
			none := Number(math.NaN())
			p.Models = append(p.Models, CurveValues{
				Name:     m.Name,
				Accuracy: Interval{Number(all[i].right[n-1]), none, none},
				LogLoss:  Interval{Number(all[i].loss[n-1]), none, none},
				MacroF1:  none, OneMinusROCAPercent: none,
			})
		}
		c.Points = append(c.Points, p)
	}
	return c
}

func runningMean(values []float64) []float64 {
	means, sum := make([]float64, len(values)), 0.
	for i, v := range values {
		sum += v
		means[i] = sum / float64(i+1)
	}
	return means
}

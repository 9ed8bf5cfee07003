package classify

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/sum"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// View is a user's view of a shared database, the base: its counts plus several times those
// of the user's own database. They are scored with Auto, the calibration, the prior
// and the Decision of the base. So a lesson counts from the next question on, moves little but
// documents that resemble it, and is taken back without a trace. It is safe for concurrent use,
// as long as both databases are open.
//
// The Layer of the base weighs a term by the base's share of the documents that have it. A
// document that repeats one taught three times gets the class of that; see model.Resemblance.
// Attributes are read from the base alone.
type View struct {
	base, own *Classifier
	alone     *Classifier // own, without a Decision
	weights   atomic.Pointer[Weights]

	mu   sync.Mutex
	last *summed
}

// Weights weigh the two posteriors of a View,
//
//	p(c) ∝ p_sum(c)^Sum p_own(c)^Own
//
// that of the sum of the counts, and that of the user's own database by itself; see package
// blend.
type Weights struct{ Sum, Own float64 }

// NewView returns the view of base of the user whose database is own.
func NewView(base, own *Classifier) (*View, error) {
	o := own.options
	o.Decision, o.Threshold = nil, 0
	alone, err := own.With(o)
	if err != nil {
		return nil, err
	}
	v := &View{base: base, own: own, alone: alone}
	v.Weigh(Weights{Sum: 1})
	return v, nil
}

// Weigh sets the weights of later answers.
func (v *View) Weigh(w Weights) { v.weights.Store(&w) }

// summed is the model of the base prepared for a sum of counts.
type summed struct {
	of   *prepared
	user []*count.Class // of own
	sums *sum.Sum       // nil if the base answers alone
	*prepared
}

// Calibration returns that of the base.
func (v *View) Calibration() (*calibration.Calibration, error) { return v.base.Calibration() }

// Classes returns the classes of both databases, with the documents of both, in order of
// name. A class that the base lacks has an ID that no class of the base has.
func (v *View) Classes() (classes []*count.Class, err error) {
	err = v.view(func(_, _ *store.Snapshot, p *summed) error {
		classes = p.classes
		return nil
	})
	return classes, err
}

// Classify is Classifier.Classify.
func (v *View) Classify(ctx context.Context, doc Document) (r Result, err error) {
	_, err = v.ask(ctx, &doc, (*question).answer, func(p *prepared, q *question) (err error) {
		r, err = v.base.result(p, q)
		return err
	})
	return r, err
}

// Explain is Classifier.Explain. The contributions are those to the sum, or to the posterior of
// the user's own database where that weighs more. With other Weights than those of a new View they do
// not add up to the log-odds.
func (v *View) Explain(ctx context.Context, doc Document) (e Explanation, err error) {
	w, err := v.ask(ctx, &doc, (*question).ask, func(p *prepared, q *question) (err error) {
		e, err = v.base.explanation(p, q)
		return err
	})
	if err != nil || w.Own <= w.Sum {
		return e, err
	}
	own, err := v.alone.Explain(ctx, doc)
	if errors.Is(err, ErrNoDocuments) || len(own.Classes) < 2 {
		return e, nil
	}
	own.Result = e.Result
	return own, err
}

// ask calls read to score a document, weighs its scores, and calls answer. It returns the
// weights.
func (v *View) ask(ctx context.Context, doc *Document, read reading, answer func(*prepared, *question) error) (Weights, error) {
	w := *v.weights.Load()
	if err := ctx.Err(); err != nil {
		return w, err
	}
	var own []ClassProbability
	if w != (Weights{Sum: 1}) {
		r, err := v.alone.Classify(ctx, *doc)
		if err != nil && !errors.Is(err, ErrNoDocuments) {
			return w, err
		}
		own = r.Posterior
	}
	return w, v.view(func(base, user *store.Snapshot, p *summed) error {
		q := questions.Get().(*question)
		defer questions.Put(q)
		if err := read(q, q.reader(base, user, p), p.prepared, doc); err != nil {
			return err
		}
		w.apply(p.classes, q.scores, own)
		return answer(p.prepared, q)
	})
}

func (q *question) reader(base *store.Snapshot, user model.Reader, p *summed) model.Reader {
	if p.sums == nil {
		return base
	}
	q.sums.Sum, q.sums.Shared, q.sums.User = p.sums, base, user
	return &q.sums
}

// view calls f with snapshots of both databases and the model prepared for their sum.
func (v *View) view(f func(base, user *store.Snapshot, p *summed) error) error {
	if v.own.db.Tags() {
		return ErrHasTags
	}
	return v.base.view(func(base *store.Snapshot, p *prepared) error {
		return v.own.db.View(func(user *store.Snapshot) error {
			s, err := v.prepare(base, user, p)
			if err != nil {
				return err
			}
			return f(base, user, s)
		})
	})
}

// prepare returns the model prepared for the sum, reusing the last one if neither database
// has changed. p is the model prepared for the base.
func (v *View) prepare(base, user *store.Snapshot, p *prepared) (*summed, error) {
	v.mu.Lock()
	last := v.last
	v.mu.Unlock()
	if last != nil && last.of == p && sameClasses(last.user, user.Classes()) {
		return last, nil
	}
	s, err := v.sum(base, totalsOf(user), p)
	if err == nil && !p.once {
		v.mu.Lock()
		v.last = s
		v.mu.Unlock()
	}
	return s, err
}

// sum prepares the model of p for the sum with the totals of the user. For a user who has no
// documents the base answers alone.
func (v *View) sum(base *store.Snapshot, user model.Totals, p *prepared) (*summed, error) {
	s := &summed{of: p, user: user.Classes, prepared: p}
	if count.WithDocuments(user.Classes) == 0 {
		return s, nil
	}
	t, err := allTotals(base)
	if err != nil {
		return nil, err
	}
	s.sums = sum.New(t, user)
	s.prepared = v.base.preparedFor(source{base, p.once}, s.sums, Auto{})
	s.record = p.record
	return s, nil
}

// LeaveOut calls f for about limit documents of the user, a sample that depends only on
// their ids, with the class of each and both posteriors, each without the document. It
// leaves out what Classifier.LeaveOut does, and documents that the base has learned.
func (v *View) LeaveOut(ctx context.Context, limit int, f func(class string, sum, own []ClassProbability) error) error {
	return v.alone.LeaveOut(ctx, limit, func(id count.DocID, class string, own []ClassProbability) error {
		var all []ClassProbability
		err := v.view(func(base, user *store.Snapshot, p *summed) (err error) {
			if entry, err := base.Entry(id); entry != nil || err != nil {
				return err
			}
			all, err = v.without(base, user, p.of, id)
			return err
		})
		if err != nil || all == nil {
			return err
		}
		return f(class, all, own)
	})
}

// without returns the posterior of a document of the user by the sum without it, nil if it was
// forgotten.
func (v *View) without(base, user *store.Snapshot, p *prepared, id count.DocID) ([]ClassProbability, error) {
	counted, err := user.Document(id)
	if errors.Is(err, store.ErrNoCounts) {
		return nil, nil
	}
	if counted == nil || err != nil {
		return nil, err
	}
	doc := Document{Bag: new(tokenize.Bag), Attributes: counted.Attributes}
	for _, t := range counted.Terms {
		doc.Bag.AddN(t.Term, int(t.N))
	}
	earlier := model.NewEarlier(totalsOf(user))
	earlier.Take(count.ClassNamed(user.Classes(), counted.Class), counted)
	s, err := v.sum(base, earlier.Totals(), p)
	if err != nil {
		return nil, err
	}
	q := new(question)
	if err := q.ask(q.reader(base, earlier.Reader(user), s), s.prepared, &doc); err != nil {
		return nil, err
	}
	return posteriorByName(learnedOf(s.classes, q.scores)), nil
}

// apply weighs the scores of the sum, which become logarithms of probabilities, with the
// posterior of the user's own database. A posterior of one class tells nothing.
func (w Weights) apply(classes []*count.Class, scores []float64, own []ClassProbability) {
	if len(own) < 2 {
		return
	}
	some, all := learnedOf(classes, slices.Clone(scores))
	names := make([]string, len(some))
	for i, class := range some {
		names[i] = class.Name
	}
	logs := LogPosterior(names, own)
	for i, class := range some {
		scores[slices.Index(classes, class)] = w.Own*logs[i] - w.Sum*numeric.Loss(all, i)
	}
}

// LogPosterior returns the logarithms of the probabilities of classes, which are in order of
// name. A class that the posterior lacks is as likely as each of them by chance; a posterior of
// one class tells nothing.
func LogPosterior(classes []string, posterior []ClassProbability) []float64 {
	n := float64(len(classes))
	logs := slices.Repeat([]float64{-math.Log(n)}, len(classes))
	if len(posterior) < 2 {
		return logs
	}
	for _, p := range posterior {
		if c, found := slices.BinarySearch(classes, p.Class); found {
			logs[c] = math.Log(float64(len(posterior))/n) - numeric.Loss([]float64{p.LogOdds, 0}, 0)
		}
	}
	return logs
}

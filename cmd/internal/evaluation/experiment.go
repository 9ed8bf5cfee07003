package evaluation

import (
	"context"
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

type experiment struct {
	ctx     context.Context
	corpus  *Corpus
	o       *Options
	report  *Report
	trained []int // learned documents, without duplicates
	tagged  eval.Tagged
}

func newExperiment(ctx context.Context, c *Corpus, o *Options, method string) *experiment {
	c.Sort()
	e := &experiment{ctx: ctx, corpus: c, o: o, report: &Report{
		Version: Version, Method: method, Seed: o.Seed, Analyzer: o.Analyzer, Raw: o.Raw,
		Notes: []string{}, Comparisons: []Comparison{},
	}}
	e.report.Models = e.models()
	if parts := decision.PartsOf(o.Decision); o.Baseline != nil && !parts.Prior.IsDefault() {
		e.note("%s answers by the most probable class, whatever prior was given", o.Baseline.Name())
	}
	return e
}

// models returns the models and the baseline, without answers.
func (e *experiment) models() (all []*Model) {
	add := func(name string) {
		all = append(all, &Model{Name: name, Results: &eval.Results{Classes: e.corpus.Classes}})
	}
	for _, m := range e.o.Models {
		add(m.Name())
	}
	if e.o.Baseline != nil {
		add(e.o.Baseline.Name())
	}
	return all
}

func (e *experiment) note(format string, args ...any) {
	e.report.Notes = append(e.report.Notes, fmt.Sprintf(format, args...))
}

// HeldOut trains on the documents of c without Test, and tests on the documents with
// Test, of which there must be some each.
func HeldOut(ctx context.Context, c *Corpus, o Options) (*Report, error) {
	e := newExperiment(ctx, c, &o, MethodHeldOut)
	defer o.done()
	given, test := c.split(func(i int) bool { return c.Docs[i].Test })
	e.trained = c.distinct(given)
	e.report.Copies = len(given) - len(e.trained)
	if n := c.shared(e.trained, test); n > 0 {
		e.note("%d of the documents asked about were learned too: their answers were known", n)
	}
	sizes := []int{len(e.trained)}
	if o.Curve {
		e.trained = c.shuffled(e.trained, o.Seed)
		sizes = eval.LogSizes(curveFirst, len(e.trained), curvePerDecade)
	}
	for _, size := range sizes {
		e.report.Models = e.models()
		if err := e.round(e.trained[:size], test); err != nil {
			return nil, err
		}
		if o.Curve {
			e.report.Curve = append(e.report.Curve, pointOf(size, e.report.Models, len(test)))
		}
	}
	return e.finish(test)
}

// round trains an empty database and the baseline, if there is one, on train and tests them on test.
func (e *experiment) round(train, test []int) error {
	return e.withDatabase(func(db *database) error {
		if err := db.learn(train); err != nil {
			return err
		}
		e.o.stage("asking", len(test))
		if err := db.ask(test); err != nil || e.o.Baseline == nil {
			return err
		}
		to := e.report.Models[len(e.report.Models)-1]
		e.o.stage("fitting "+to.Name, 0)
		variance, err := e.o.Baseline.Answer(e.ctx, e.corpus, train, test, e.o, func(i int, r *classify.Result) error {
			return to.add(e.corpus, i, r)
		})
		to.Variance = variance
		return err
	})
}

// Folds tests every document of c after training on the other folds (cross-validation).
func Folds(ctx context.Context, c *Corpus, o Options) (*Report, error) {
	e := newExperiment(ctx, c, &o, MethodFolds)
	defer o.done()
	e.report.Folds = o.Folds
	all := c.all()
	if len(all) < o.Folds {
		return nil, fmt.Errorf("%d folds of %s: give more documents or fewer folds", o.Folds, terminal.Counted(len(all), "document", "documents"))
	}
	folds, asked := c.Folds(all, o.Folds, o.Seed), []int(nil)
	for f := range o.Folds {
		train, test := c.split(func(i int) bool { return folds[i] == f })
		if err := e.round(c.distinct(train), test); err != nil {
			return nil, fmt.Errorf("fold %d: %w", f+1, err)
		}
		asked = append(asked, test...)
	}
	e.trained = c.distinct(all)
	e.report.Copies = len(all) - len(e.trained)
	if e.report.Copies > 0 {
		e.note("where a copy of a document was learned, the answer was known")
	}
	if !o.Tags {
		e.noteThinClasses(o.Folds)
	}
	return e.finish(asked)
}

// noteThinClasses says which classes are missing from folds.
func (e *experiment) noteThinClasses(folds int) {
	var few []string
	for class, n := range e.corpus.Count(e.corpus.all()) {
		if n > 0 && n < folds {
			few = append(few, fmt.Sprintf("%s (%d)", e.corpus.Classes[class], n))
		}
	}
	if few != nil {
		e.note("fewer documents than the %d folds, and one cannot be told in any: %s", folds, statistics.Some(few))
	}
}

// Prequential tests each document of c, in their order, and then learns it. A Baseline cannot.
func Prequential(ctx context.Context, c *Corpus, o Options) (*Report, error) {
	e := newExperiment(ctx, c, &o, MethodPrequential)
	defer o.done()
	o.stage("asking and learning", len(c.Docs))
	var asked []int
	err := e.withDatabase(func(db *database) error {
		for i := range c.Docs {
			answered, err := db.step(i)
			if err != nil {
				return err
			}
			if answered {
				asked = append(asked, i)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	e.trained = c.distinct(c.all())
	e.report.Copies = len(c.Docs) - len(e.trained)
	return e.finish(asked)
}

// step tests document i and learns it. It reports whether there was an answer: before
// anything is learned there is none. Learning a copy of a learned document changes
// nothing or, if the class differs, moves it.
func (d *database) step(i int) (answered bool, err error) {
	err = d.ask([]int{i})
	if answered = err == nil; errors.Is(err, classify.ErrNoDocuments) {
		d.report.Skipped++
	} else if err != nil {
		return false, err
	}
	doc, class := d.corpus.document(&d.bag, i), d.corpus.Classes[d.corpus.Docs[i].Class]
	if _, err = d.Train(d.ctx, class, doc); err != nil {
		return false, err
	}
	return answered, d.calibrate()
}

func (e *experiment) addTags(i int, r *tags.Result) {
	probability := make(map[string]float64, len(r.Scores))
	for _, s := range r.Scores {
		probability[s.Tag] = s.Probability
	}
	e.tagged.Add(count.Tags(e.corpus.Classes[e.corpus.Docs[i].Class]), r.Tags(), probability)
}

// The sizes of a curve: the smallest, and the number per decade.
const (
	curveFirst     = 20
	curvePerDecade = 3
)

// pointOf returns the means over the first n answers of each model.
func pointOf(docs int, all []*Model, n int) CurvePoint {
	p := CurvePoint{Docs: docs}
	for _, a := range all {
		right, loss := rightAndLoss(a.Results)
		p.Models = append(p.Models, CurveValues{a.Name, Number(eval.Mean(right[:n])), Number(eval.Mean(loss[:n]))})
	}
	return p
}

// Options say what to evaluate, and how.
type Options struct {
	// Models are evaluated on the same documents; at least one.
	Models []classify.Model

	// Analyzer is the spec of the analyzer that made the terms of the Corpus.
	Analyzer string

	// Raw asks for uncalibrated posteriors of the event models; see classify.Options.
	Raw bool

	// Decision chooses the answers, but not those of the baseline.
	Decision decision.Decision

	// Tags says that the classes of the Corpus are sets of tags, which package tags answers. Models,
	// Curve, Baseline and what else is about classes have no meaning then.
	Tags bool

	// Folds is the number of folds, at least 2; HeldOut and Prequential ignore it.
	Folds int

	// Seed seeds the folds, the order of a curve and the bootstrap.
	Seed uint64

	// Curve asks HeldOut for a learning curve.
	Curve bool

	// Baseline, unless nil, answers too, but not in Prequential.
	Baseline Baseline

	// Positive is the positive class. "" selects, of two classes, the one named spam or else
	// the rarer one, and of more classes none.
	Positive string

	// Progress is called when a stage of so many steps begins, and returns the bar that shows
	// them; nil shows no progress.
	Progress func(stage string, steps int64) *terminal.Bar

	bar *terminal.Bar // of the current stage
}

func (o *Options) stage(name string, steps int) {
	o.done()
	if o.Progress != nil {
		o.bar = o.Progress(name, int64(steps))
	}
}

func (o *Options) done() { o.bar.Done() }

// Baseline is a model that is compared with event models, and learns all documents at once.
type Baseline interface {
	// Name is its name among the models.
	Name() string

	// Answer learns the documents train of the corpus, and calls add with its answer to each of
	// test. It returns the variance of its prior.
	Answer(ctx context.Context, c *Corpus, train, test []int, o *Options, add func(i int, r *classify.Result) error) (variance float64, err error)
}

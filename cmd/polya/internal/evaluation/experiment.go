package evaluation

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// experiment is one evaluation under way.
type experiment struct {
	ctx     context.Context
	corpus  *Corpus
	o       *Options
	report  *Report
	answers []*answers // of the models, and of the yardstick
	trained []int      // documents that were learned, without copies
	whole   *answers   // of the yardstick at the end of a curve, else nil
}

func newExperiment(ctx context.Context, c *Corpus, o *Options, method string) *experiment {
	c.Sort()
	e := &experiment{ctx: ctx, corpus: c, o: o, report: &Report{
		Version: Version, Method: method, Seed: o.Seed, Analyzer: o.Analyzer, Raw: o.Raw, Threshold: o.Abstain.Threshold,
		Notes: []string{}, Comparisons: []Comparison{},
	}}
	e.answers = e.newAnswers()
	if o.Logistic && !isDefault(o.Decision) {
		e.note("logistic answers by the most probable class, whatever costs and priors were given")
	}
	if o.Logistic && o.Screen > 0 && !o.WordsOnly && c.hasAttributes() {
		e.note("logistic has all attributes: it screens none")
	}
	return e
}

func (e *experiment) newAnswers() []*answers {
	var all []*answers
	for _, m := range e.o.Models {
		all = append(all, newAnswers(m.Name(), e.corpus))
	}
	if e.o.Logistic {
		all = append(all, newAnswers(logisticName, e.corpus))
	}
	return all
}

func (e *experiment) note(format string, args ...any) {
	e.report.Notes = append(e.report.Notes, fmt.Sprintf(format, args...))
}

// HeldOut learns the documents of c that are not for asking only, and asks about
// those that are.
func HeldOut(ctx context.Context, c *Corpus, o Options) (*Report, error) {
	e := newExperiment(ctx, c, &o, MethodHeldOut)
	given, test := c.split()
	if len(given) == 0 || len(test) == 0 {
		return nil, errors.New("there must be documents to learn and documents to ask about")
	}
	e.trained = c.distinct(given)
	e.report.Copies = len(given) - len(e.trained)
	if n := c.shared(e.trained, test); n > 0 {
		e.note("%d of the documents asked about were learned too: their answers were known", n)
	}
	if o.Curve {
		if err := e.curve(test); err != nil {
			return nil, err
		}
	}
	err := e.round(e.trained, test, func(db *database) error { return e.describe(db) })
	if err != nil {
		return nil, err
	}
	return e.finish(test)
}

// round learns train into a new database, asks about test, and gives the database to
// then, unless that is nil.
func (e *experiment) round(train, test []int, then func(*database) error) (err error) {
	db, err := openDatabase(e.corpus, e.o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	e.o.stage("learning", len(train))
	if err := db.count(e.ctx, train); err != nil {
		return err
	}
	e.o.stage("fitting", 0)
	if err := db.fit(e.ctx); err != nil {
		return err
	}
	e.o.stage("asking", len(test))
	if err := db.ask(e.ctx, test, e.answers); err != nil {
		return err
	}
	switch last := len(e.answers) - 1; {
	case e.whole != nil:
		e.answers[last] = e.whole // it learned the same documents, and is dear
	case e.o.Logistic:
		if err := e.askYardstick(train, test, e.answers[last]); err != nil {
			return err
		}
	}
	if then != nil {
		return then(db)
	}
	return nil
}

// Folds asks about every document of c after having learned those of the other
// folds.
func Folds(ctx context.Context, c *Corpus, o Options) (*Report, error) {
	e := newExperiment(ctx, c, &o, MethodFolds)
	e.report.Folds = o.Folds
	all := c.all()
	if len(all) < o.Folds {
		return nil, fmt.Errorf("%d folds of %s: give more documents or fewer folds", o.Folds, plural(len(all), "document"))
	}
	folds := c.folds(all, o.Folds, o.Seed)
	for f := range o.Folds {
		var train, test []int
		for k, i := range all {
			if folds[k] == f {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		learned := c.distinct(train)
		if err := e.round(learned, test, nil); err != nil {
			return nil, fmt.Errorf("fold %d: %w", f+1, err)
		}
	}
	e.trained = c.distinct(all)
	e.report.Copies = len(all) - len(e.trained)
	if e.report.Copies > 0 {
		e.note("where a copy of a document was learned, the answer was known")
	}
	e.noteThinClasses(o.Folds)
	if err := e.describeAll(); err != nil {
		return nil, err
	}
	return e.finish(e.byOrder(folds))
}

// byOrder returns the documents in the order in which they were asked about.
func (e *experiment) byOrder(folds []int) []int {
	docs := e.corpus.all()
	slices.SortStableFunc(docs, func(i, j int) int { return folds[i] - folds[j] })
	return docs
}

// noteThinClasses says which classes are missing from folds.
func (e *experiment) noteThinClasses(folds int) {
	for class, n := range e.corpus.count(e.corpus.all()) {
		switch {
		case n == 1:
			e.note("class %s has one document, which cannot be told in any fold", e.corpus.Classes[class])
		case n < folds:
			e.note("class %s has only %d documents for %d folds", e.corpus.Classes[class], n, folds)
		}
	}
}

// describeAll learns all documents for what is told of the classes.
func (e *experiment) describeAll() (err error) {
	db, err := openDatabase(e.corpus, e.o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	e.o.stage("learning all", len(e.trained))
	if err := db.count(e.ctx, e.trained); err != nil {
		return err
	}
	e.o.stage("fitting all", 0)
	if err := db.fit(e.ctx); err != nil {
		return err
	}
	return e.describe(db)
}

// Prequential asks about each document of c, in their order, and then learns it.
func Prequential(ctx context.Context, c *Corpus, o Options) (_ *Report, err error) {
	if o.Logistic {
		return nil, errors.New("the yardstick cannot learn document by document")
	}
	e := newExperiment(ctx, c, &o, MethodPrequential)
	db, err := openDatabase(c, &o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s := stream{experiment: e, db: db}
	o.stage("asking and learning", len(c.Docs))
	var asked []int
	for i := range c.Docs {
		answered, err := s.step(i)
		if err != nil {
			return nil, err
		}
		if answered {
			asked = append(asked, i)
		}
		o.step(1)
	}
	e.trained = c.distinct(c.all())
	e.report.Copies = len(c.Docs) - len(e.trained)
	if err := e.describe(db); err != nil {
		return nil, err
	}
	return e.finish(asked)
}

// plural returns "1 document" or "3 documents".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

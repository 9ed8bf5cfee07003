package classify

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/tokenize"
)

// DefaultThreshold is the probability below which an answer is unsure: an
// answer that is more likely wrong than right is none.
const DefaultThreshold = 0.5

// Options say how to open a Classifier. The zero value opens the database for
// reading and writing, makes it if it is not there, and asks the default model.
type Options struct {
	// Analyzer is the spec of the analyzer; see package tokenize. A new
	// database keeps it, empty is tokenize.DefaultSpec. An existing one is
	// opened with its own if this is empty, and refused if it is another.
	Analyzer string

	// Model is the event model to ask; nil is DefaultModel().
	Model EventModel

	// Threshold is the probability below which an answer is unsure, 0 to 1; 0
	// is DefaultThreshold.
	Threshold float64

	// Store says how to open the file. Its Analyzer is not used.
	Store store.Options
}

// Classifier learns and classifies. It is safe for concurrent use: readers do
// not wait for trainers, and trainers share transactions.
type Classifier struct {
	db        *store.DB
	analyzer  *tokenize.Analyzer
	model     EventModel
	threshold float64

	refit sync.Mutex // held by who fits, so that trainers do not fit the same twice

	mu       sync.Mutex
	prepared *prepared // the scorer of the newest totals asked, or nil
	fitted   int       // how often fits have been kept
}

// prepared is a scorer with the totals that it was made from.
type prepared struct {
	classes []*store.Class
	fitted  int // Classifier.fitted before the snapshot began
	scorer  Scorer
	prior   []float64
}

// DefaultModel returns the event model of a Classifier that is not told another:
// of the three the quickest, and within a point of the best on every corpus
// measured.
func DefaultModel() EventModel { return Multinomial{} }

// Models returns the event models by name, each with its default parameters, in
// the order in which they are best shown.
func Models() []EventModel { return []EventModel{Multinomial{}, Bernoulli{}, DCM{}} }

// ParseModel returns the event model of that name.
func ParseModel(name string) (EventModel, error) {
	for _, m := range Models() {
		if m.Name() == name {
			return m, nil
		}
	}
	var names []string
	for _, m := range Models() {
		names = append(names, m.Name())
	}
	return nil, fmt.Errorf("no event model is called %.40q: want one of %s", name, strings.Join(names, ", "))
}

// Open opens the database at path. The errors are those of store.Open, and one
// for an analyzer spec that this program does not know.
func Open(path string, o Options) (*Classifier, error) {
	if !(o.Threshold >= 0 && o.Threshold <= 1) {
		return nil, fmt.Errorf("threshold %v: want a probability, 0 to 1", o.Threshold)
	}
	so := o.Store
	so.Analyzer = ""
	spec := ""
	if o.Analyzer != "" {
		a, err := tokenize.New(o.Analyzer)
		if err != nil {
			return nil, err
		}
		spec = a.Spec()
	}
	db, err := openStore(path, so, spec)
	if err != nil {
		return nil, err
	}
	a, err := tokenize.New(db.Analyzer())
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &Classifier{db: db, analyzer: a, model: o.Model, threshold: o.Threshold}
	if c.model == nil {
		c.model = DefaultModel()
	}
	if c.threshold == 0 {
		c.threshold = DefaultThreshold
	}
	return c, nil
}

// openStore opens the database with the spec asked for, or, if none is, with
// its own or, if it is new, the default.
func openStore(path string, o store.Options, spec string) (*store.DB, error) {
	o.Analyzer = spec
	if spec == "" {
		o.DefaultAnalyzer = tokenize.DefaultSpec
	}
	return store.Open(path, o)
}

// Close closes the database.
func (c *Classifier) Close() error { return c.db.Close() }

// Store returns the database, for what has to do with counts alone: backup,
// check, dump, classes.
func (c *Classifier) Store() *store.DB { return c.db }

// Analyzer returns the database's analyzer.
func (c *Classifier) Analyzer() *tokenize.Analyzer { return c.analyzer }

// Model returns the event model that is asked.
func (c *Classifier) Model() EventModel { return c.model }

// Train learns documents as class, all in one transaction, and returns when
// they are on the disk. A document that was learned as this class before
// changes nothing; one that was learned as another is moved.
func (c *Classifier) Train(ctx context.Context, class string, docs ...Document) (store.Applied, error) {
	var b Batch
	for _, doc := range docs {
		if err := b.Train(class, doc); err != nil {
			return store.Applied{}, err
		}
	}
	return c.Apply(ctx, &b)
}

// Forget takes documents away, exactly as they were learned, in one
// transaction. If one was never learned, the error wraps store.ErrNotLearned
// and nothing changes.
func (c *Classifier) Forget(ctx context.Context, docs ...Document) (store.Applied, error) {
	var b Batch
	for _, doc := range docs {
		if err := b.Forget(doc); err != nil {
			return store.Applied{}, err
		}
	}
	return c.Apply(ctx, &b)
}

// Relabel moves documents to class, in one transaction. If one was never
// learned, the error wraps store.ErrNotLearned and nothing changes.
func (c *Classifier) Relabel(ctx context.Context, class string, docs ...Document) (store.Applied, error) {
	var b Batch
	for _, doc := range docs {
		if err := b.Relabel(class, doc); err != nil {
			return store.Applied{}, err
		}
	}
	return c.Apply(ctx, &b)
}

// Apply does what the batch says in one transaction, and returns when it is on
// the disk. A context that has ended before keeps it from beginning.
func (c *Classifier) Apply(ctx context.Context, b *Batch) (store.Applied, error) {
	if err := ctx.Err(); err != nil {
		return store.Applied{}, err
	}
	applied, err := c.db.Apply(&b.delta)
	if err != nil || applied.Learned+applied.Moved+applied.Forgotten == 0 {
		return applied, err
	}
	// The documents are learned. Neither the end of ctx nor a fit that fails may
	// say otherwise; who trains next tries again. If somebody is fitting now,
	// that will do.
	if c.refit.TryLock() {
		defer c.refit.Unlock()
		_ = c.fitDue(context.WithoutCancel(ctx))
	}
	return applied, nil
}

// view calls f with a snapshot and the scorer for it.
func (c *Classifier) view(f func(*store.Snapshot, *prepared) error) error {
	c.mu.Lock()
	fitted := c.fitted
	c.mu.Unlock()
	return c.db.View(func(s *store.Snapshot) error {
		return f(s, c.scorer(s, fitted))
	})
}

// scorer returns the scorer for the totals of s, from the last question if
// nothing was learned and no fit kept since.
func (c *Classifier) scorer(s *store.Snapshot, fitted int) *prepared {
	classes := s.Classes()
	c.mu.Lock()
	p := c.prepared
	c.mu.Unlock()
	if p != nil && p.fitted == fitted && sameClasses(p.classes, classes) {
		return p
	}
	t := Totals{Classes: classes, Documents: s.Documents(), Vocabulary: s.Vocabulary()}
	model := c.model
	if m, ok := model.(DCM); ok && m.Fits == nil {
		m.Fits = readFits(s)
		model = m
	}
	p = &prepared{classes: classes, fitted: fitted, scorer: model.Prepare(t), prior: logPrior(t)}
	c.mu.Lock()
	c.prepared = p
	c.mu.Unlock()
	return p
}

// sameClasses says whether a and b are the same totals: those of a snapshot are
// immutable, so that the same memory is the same counts.
func sameClasses(a, b []*store.Class) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

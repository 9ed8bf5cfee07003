package classify

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/classify/overlap"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Classifier learns and classifies. It is safe for concurrent use: readers do
// not wait for trainers, and trainers share transactions. While nothing is learned it
// remembers what the terms of the last documents say, in 1 MB (two classes) to 10 MB
// for each question answered at the same time, until garbage is collected unasked.
type Classifier struct {
	db        *store.DB
	analyzer  *tokenize.Analyzer
	model     Model
	raw       bool
	decision  decision.Decision
	abstain   decision.Abstain
	selection Selection

	refitByHand bool

	attributes model.Attributes
	wordsOnly  bool
	screen     float64
	screenBy   overlap.Measure

	refit sync.Mutex // held by who fits, so that trainers do not fit the same twice

	calibrations calibrationCache
	recent       recent

	mu       sync.Mutex
	prepared map[string]*prepared // by identity of the model: for the newest totals asked
	fitted   int                  // how often fits have been kept

	choosing sync.Mutex
	choice   *choice // the newest made, or nil
}

// prepared is a scorer with the totals that it was made from.
type prepared struct {
	classes      []*count.Class
	attributes   []*count.AttributeTotals // of Totals
	say          []bool                   // which of those the scorer reads, nil for all
	fitted       int                      // Classifier.fitted before the snapshot began
	scorer       model.Scorer
	levels       bool                // whether the scorer reads Cell.U
	contributing *model.TermSums     // the same scorer, nil if it is not of that kind
	choice       *choice             // nil for all terms
	prior        []float64           // by class: what the document does not change
	unread       []float64           // by class: log prior, for a document without known terms
	calibrated   *calibration.Model  // nil if nothing was fitted
	against      *contradiction      // nil if none is looked for
	costs        *decision.CostTable // of the classes with documents, nil if there are no Costs
}

// maxPrepared bounds the models that are kept prepared.
const maxPrepared = 32

// Open opens the database at path. The errors are those of store.Open, and one
// for an analyzer spec that this program does not know, or for options that are
// out of range or do not go together.
func Open(path string, o Options) (*Classifier, error) {
	return open(o, func(so store.Options) (*store.DB, error) { return store.Open(path, so) })
}

// OpenMemory opens a database that no file keeps: a copy of data, which is what a
// database file holds (embedded in the program, or read by fs.ReadFile from an
// fs.FS), or a new one if data is empty; see store.OpenMemory. With
// Options.Store.ReadOnly it answers and learns nothing. All of it is gone after
// Close; Store().Backup writes it where it is to stay.
func OpenMemory(data []byte, o Options) (*Classifier, error) {
	return open(o, func(so store.Options) (*store.DB, error) { return store.OpenMemory(data, so) })
}

func open(o Options, openStore func(store.Options) (*store.DB, error)) (*Classifier, error) {
	if o.Model == nil {
		o.Model = Auto{}
	}
	if o.Decision == nil {
		o.Decision = decision.MostProbable{}
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	so, err := o.store()
	if err != nil {
		return nil, err
	}
	db, err := openStore(so)
	if err != nil {
		return nil, err
	}
	a, err := tokenize.New(db.Analyzer())
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", db.Path(), err)
	}
	return &Classifier{db: db, analyzer: a, model: o.Model, raw: o.Raw, decision: o.Decision, abstain: o.Abstain, selection: o.Selection, refitByHand: o.RefitByHand,
		attributes: o.Attributes, wordsOnly: o.WordsOnly, screen: o.Screen, screenBy: o.ScreenBy}, nil
}

// store returns the options of the store: it is opened with the spec asked for, or,
// if none is, with its own or, if it is new, the default.
func (o *Options) store() (store.Options, error) {
	so := o.Store
	so.Analyzer = ""
	if o.Analyzer == "" {
		so.DefaultAnalyzer = tokenize.DefaultSpec
		return so, nil
	}
	a, err := tokenize.New(o.Analyzer)
	if err == nil {
		so.Analyzer = a.Spec()
	}
	return so, err
}

// Close closes the database.
func (c *Classifier) Close() error { return c.db.Close() }

// Store returns the database, for what has to do with counts alone: backup,
// check, dump, classes.
func (c *Classifier) Store() *store.DB { return c.db }

// Analyzer returns the database's analyzer.
func (c *Classifier) Analyzer() *tokenize.Analyzer { return c.analyzer }

// Classes returns all classes in order of name: what was counted of each, and for
// how many documents. They are shared and must not be changed.
func (c *Classifier) Classes() (classes []*count.Class, err error) {
	err = c.db.View(func(s *store.Snapshot) error {
		classes = s.Classes()
		return nil
	})
	return classes, err
}

// Model returns the event model that is asked.
func (c *Classifier) Model() Model { return c.model }

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
	if keep := cmp.Or(b.delta.Keep, c.db.Ledger()); keep != count.LedgerFull {
		_ = c.db.View(func(s *store.Snapshot) error {
			c.recent.follow(&b.delta, s.Classes())
			return nil
		})
	}
	// The documents are learned. Neither the end of ctx, which ends a fit, nor a fit
	// that fails may say otherwise: the next training tries again. If somebody is
	// fitting now, that will do.
	if !c.refitByHand && c.refit.TryLock() {
		defer c.refit.Unlock()
		_ = c.fitDue(ctx)
		_ = c.calibrateDue(ctx, trainCalibration)
	}
	return applied, nil
}

// view calls f with a snapshot and the default model prepared for it.
func (c *Classifier) view(f func(*store.Snapshot, *prepared) error) error {
	return c.viewEach([]Model{c.model}, func(s *store.Snapshot, p []*prepared) error { return f(s, p[0]) })
}

// viewEach calls f with a snapshot and the models prepared for it.
func (c *Classifier) viewEach(models []Model, f func(*store.Snapshot, []*prepared) error) error {
	c.mu.Lock()
	fitted := c.fitted
	c.mu.Unlock()
	return c.db.View(func(s *store.Snapshot) error {
		all := make([]*prepared, len(models))
		for i, m := range models {
			var err error
			if all[i], err = c.prepare(s, m, fitted); err != nil {
				return err
			}
		}
		return f(s, all)
	})
}

// prepare returns the model prepared for the totals of s, from the last question
// if nothing was learned and no fit kept since.
func (c *Classifier) prepare(s *store.Snapshot, asked Model, fitted int) (*prepared, error) {
	classes, id := s.Classes(), identity(asked)
	c.mu.Lock()
	p := c.prepared[id]
	c.mu.Unlock()
	if p != nil && p.fitted == fitted && sameClasses(p.classes, classes) {
		return p, nil
	}
	p, err := c.newPrepared(s, asked)
	if err != nil {
		return nil, err
	}
	p.fitted = fitted
	if costs := decision.PartsOf(c.decision).Costs; costs != nil {
		some, _ := learnedOf(classes, make([]float64, len(classes)))
		p.costs = decision.NewCostTable(costs, some)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.prepared == nil || len(c.prepared) >= maxPrepared {
		c.prepared = make(map[string]*prepared)
	}
	c.prepared[id] = p
	return p, nil
}

// newPrepared prepares a model with what the database keeps for it.
func (c *Classifier) newPrepared(s *store.Snapshot, asked Model) (*prepared, error) {
	t, err := c.totals(s)
	if err != nil {
		return nil, err
	}
	classes := t.Classes
	one, ok := asked.(model.EventModel)
	chosen, err := c.choose(s, t, ok && one.Levels())
	if err != nil {
		return nil, err
	}
	if chosen != nil {
		t, asked = chosen.totals(t), chosen.fitted(asked)
	}
	if x := c.mixtureOf(s, t, asked); x != nil {
		return &prepared{classes: classes, attributes: t.Attributes, scorer: x, choice: chosen, prior: c.priorShift(t.Classes), unread: c.prior(t, 1)}, nil
	}
	stack, calibrated := c.bind(s, t, asked)
	scorer := stack.Prepare(t)
	p := &prepared{
		classes:      classes,
		attributes:   t.Attributes,
		say:          stack.Reads(t),
		scorer:       scorer,
		levels:       stack.Levels(),
		contributing: model.NewTermSums(scorer, len(classes)),
		choice:       chosen,
		prior:        c.prior(t, stack.PriorWeight),
		unread:       c.prior(t, 1),
		calibrated:   calibrated,
		against:      c.contradictionOf(t, calibrated, chosen),
	}
	if k := p.contributing; k != nil {
		k.Keep, k.Field = chosen.keep(), tokenize.OfField
		if p.against != nil {
			k.Strong = p.against.ratio
		}
	}
	return p, nil
}

// sameClasses says whether a and b are the same totals: those of a snapshot are
// immutable, so that the same memory is the same counts.
func sameClasses(a, b []*count.Class) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

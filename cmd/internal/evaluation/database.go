package evaluation

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/tokenize"
)

// A batch is applied when it reaches either limit.
const (
	batchDocuments = 16384
	batchBytes     = 32 << 20
)

// database is a classifier that is gone after Close.
type database struct {
	*classify.Classifier
	tagger *tags.Tagger           // of tags, else nil
	models []*classify.Classifier // by tested model
	corpus *Corpus
	o      *Options
	bag    tokenize.Bag // reused by training

	calibrated uint64 // number of documents at the last calibrate
}

// withDatabase calls f with an empty database with the default ledger, which fitting may need.
func (e *experiment) withDatabase(f func(*database) error) (err error) {
	o := classify.Options{
		Analyzer: e.o.Analyzer, Raw: e.o.Raw, Decision: e.o.Decision, Abstain: e.o.Abstain,
		Fitting: classify.FitInCall,
	}
	if e.o.Tags {
		o.Holds = classify.Tags
	}
	d := &database{corpus: e.corpus, o: e.o}
	if d.Classifier, err = classify.OpenMemory(nil, o); err != nil {
		return err
	}
	defer d.Close()
	if e.o.Tags {
		d.tagger, err = tags.New(d.Classifier, 0)
	}
	for _, m := range e.o.Models {
		with, failed := d.WithModel(m)
		d.models, err = append(d.models, with), cmp.Or(err, failed)
	}
	if err != nil {
		return err
	}
	return f(d)
}

func (d *database) learn(ctx context.Context, docs []int) error {
	d.o.stage("learning", len(docs))
	if err := d.count(ctx, docs); err != nil {
		return err
	}
	d.o.stage("fitting", 0)
	return d.fit(ctx)
}

func (d *database) count(ctx context.Context, docs []int) error {
	var b classify.Batch
	for k, i := range docs {
		doc := d.corpus.document(&d.bag, i)
		if err := b.Train(d.corpus.Classes[d.corpus.Docs[i].Class], doc); err != nil {
			return err
		}
		if b.Len() >= batchDocuments || b.Delta().Size() >= batchBytes || k == len(docs)-1 {
			if _, err := d.Apply(ctx, &b); err != nil {
				return err
			}
			b.Reset()
		}
		d.o.step(1)
	}
	return nil
}

// fit fits as after a large training.
func (d *database) fit(ctx context.Context) error {
	if err := d.Refit(ctx); err != nil {
		return err
	}
	return d.calibrate(ctx)
}

// calibrate calibrates the tested models if training has calibrated the database since
// the last call: training by itself calibrates only the default.
func (d *database) calibrate(ctx context.Context) error {
	if d.o.Raw {
		return nil
	}
	k, err := d.Calibration()
	if err != nil || k == nil || k.Documents == d.calibrated {
		return err
	}
	single := slices.DeleteFunc(slices.Clone(d.o.Models), func(m classify.Model) bool { // with a calibration of its own
		_, auto := m.(classify.Auto)
		return auto
	})
	if len(single) > 0 {
		if k, err = d.Calibrate(ctx, 0, single...); err != nil || k == nil {
			return err
		}
	}
	d.calibrated = k.Documents
	return nil
}

// askChunk is the number of answers held before they are added to the results.
const askChunk = 1024

// ask adds the answers for docs to the answers of each model, or of tags.
func (e *experiment) ask(db *database, docs []int, to []*Model) error {
	for chunk := range slices.Chunk(docs, askChunk) {
		answers, err := db.askTogether(e.ctx, chunk)
		if err != nil {
			return err
		}
		for k, i := range chunk {
			if db.tagger != nil {
				e.addTags(i, &answers[k].tags)
			}
			for m := range answers[k].models {
				if err := to[m].add(e.corpus, i, &answers[k].models[m]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// answered is what each model, or the tagger, says of a document.
type answered struct {
	models []classify.Result
	tags   tags.Result
}

func (d *database) answer(ctx context.Context, doc classify.Document) (a answered, err error) {
	if d.tagger != nil {
		a.tags, err = d.tagger.Score(ctx, doc)
		return a, err
	}
	for _, m := range d.models {
		r, failed := m.Classify(ctx, doc)
		a.models, err = append(a.models, r), cmp.Or(err, failed)
	}
	return a, err
}

// askTogether asks about several documents at once; the answers are in the order of docs.
func (d *database) askTogether(ctx context.Context, docs []int) ([]answered, error) {
	results, errs := make([]answered, len(docs)), make([]error, max(min(cmp.Or(d.o.Jobs, runtime.GOMAXPROCS(0)), len(docs)), 1))
	var wait sync.WaitGroup
	for w := range errs {
		wait.Go(func() {
			var bag tokenize.Bag
			for k := w; k < len(docs) && errs[w] == nil; k += len(errs) {
				results[k], errs[w] = d.answer(ctx, d.corpus.document(&bag, docs[k]))
				if errs[w] == nil {
					errs[w] = ctx.Err()
				}
				d.o.step(1)
			}
		})
	}
	wait.Wait()
	return results, cmp.Or(errs...)
}

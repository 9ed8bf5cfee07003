package evaluation

import (
	"cmp"
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

// database is the classifier of an experiment, which is gone after Close.
type database struct {
	*classify.Classifier
	*experiment
	tagger *tags.Tagger           // of tags, else nil
	asked  []*classify.Classifier // by tested model
	bag    tokenize.Bag           // reused by training

	calibrated uint64 // number of documents at the last calibrate
}

// withDatabase calls f with an empty database with the default ledger, which fitting may need.
func (e *experiment) withDatabase(f func(*database) error) (err error) {
	o := classify.Options{
		Analyzer: e.o.Analyzer, Raw: e.o.Raw, Decision: e.o.Decision, Fitting: classify.FitInCall,
	}
	if e.o.Tags {
		o.Holds = classify.Tags
	}
	d := &database{experiment: e}
	if d.Classifier, err = classify.OpenMemory(nil, o); err != nil {
		return err
	}
	defer d.Close()
	if e.o.Tags {
		d.tagger, err = tags.New(d.Classifier, 0)
	}
	for _, m := range e.o.Models {
		with, failed := d.WithModel(m)
		d.asked, err = append(d.asked, with), cmp.Or(err, failed)
	}
	if err != nil {
		return err
	}
	return f(d)
}

// learn learns documents, and fits as after a large training.
func (d *database) learn(docs []int) error {
	d.o.stage("learning", len(docs))
	var b classify.Batch
	for k, i := range docs {
		doc := d.corpus.document(&d.bag, i)
		if err := b.Train(d.corpus.Classes[d.corpus.Docs[i].Class], doc); err != nil {
			return err
		}
		if b.Len() >= batchDocuments || b.Delta().Size() >= batchBytes || k == len(docs)-1 {
			if _, err := d.Apply(d.ctx, &b); err != nil {
				return err
			}
			b.Reset()
		}
		d.o.bar.Add(1)
	}
	d.o.stage("fitting", 0)
	if err := d.Refit(d.ctx); err != nil {
		return err
	}
	return d.calibrate()
}

// calibrate calibrates the tested models if training has calibrated the database since
// the last call: training by itself calibrates only the default.
func (d *database) calibrate() error {
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
		if k, err = d.Calibrate(d.ctx, 0, single...); err != nil || k == nil {
			return err
		}
	}
	d.calibrated = k.Documents
	return nil
}

// askChunk is the number of answers held before they are added to the results.
const askChunk = 1024

// ask asks about documents, several at once, and adds the answers in order to those of each model, or
// of tags.
func (d *database) ask(docs []int) error {
	for chunk := range slices.Chunk(docs, askChunk) {
		answers, errs := make([]answered, len(chunk)), make([]error, min(runtime.GOMAXPROCS(0), len(chunk)))
		var wait sync.WaitGroup
		for w := range errs {
			wait.Go(func() {
				var bag tokenize.Bag
				for k := w; k < len(chunk) && errs[w] == nil; k += len(errs) {
					answers[k], errs[w] = d.answer(d.corpus.document(&bag, chunk[k]))
					d.o.bar.Add(1)
				}
			})
		}
		wait.Wait()
		err := cmp.Or(errs...)
		for k := 0; k < len(chunk) && err == nil; k++ {
			if d.tagger != nil {
				d.addTags(chunk[k], &answers[k].tags)
			}
			for m := range answers[k].models {
				err = cmp.Or(err, d.report.Models[m].add(d.corpus, chunk[k], &answers[k].models[m]))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answered is what each model, or the tagger, says of a document.
type answered struct {
	models []classify.Result
	tags   tags.Result
}

func (d *database) answer(doc classify.Document) (a answered, err error) {
	if d.tagger != nil {
		a.tags, err = d.tagger.Score(d.ctx, doc)
	}
	for _, m := range d.asked {
		r, failed := m.Classify(d.ctx, doc)
		a.models, err = append(a.models, r), cmp.Or(err, failed)
	}
	return a, cmp.Or(err, d.ctx.Err())
}

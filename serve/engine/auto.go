package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/drift"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// AutoSource is the ledger's source of automatically learned documents.
const AutoSource = "auto"

// Auto says which of its own answers an Engine learns (self-training). It helps with few
// classes and mail that changes with time, and does harm with many classes.
type Auto struct {
	// Error is the largest expected error of an answer that is learned: its calibrated
	// probability is at least 1-Error. 0 is .01.
	Error float64

	// People is the number of documents of a class that people must have taught before one
	// is learned automatically; 0 is 50. At least two classes must have that many.
	People uint64

	// Slack is the number of automatically learned documents by which a class may exceed its
	// share of the documents that people taught; 0 is 50.
	Slack int

	// Drift says when automatic learning stops by itself. If its Error is 0, Auto's is used.
	Drift drift.Options
}

// auto is the state of automatic learning.
type auto struct {
	o       Auto
	watch   *drift.Watch
	answers answers
	stopped atomic.Pointer[string] // why, nil if it goes on
	saving  sync.WaitGroup
}

// keyStopped is the key under which the shared database keeps why automatic learning has stopped.
const keyStopped = "serve/auto stopped"

func newAuto(o Auto) *auto {
	if o.Error <= 0 {
		o.Error = .01
	}
	if o.People == 0 {
		o.People = 50
	}
	if o.Slack <= 0 {
		o.Slack = 50
	}
	if o.Drift.Error <= 0 {
		o.Drift.Error = o.Error
	}
	return &auto{o: o, watch: drift.New(o.Drift)}
}

// watch returns the drift watch of automatic learning, nil if there is none.
func (e *Engine) watch() *drift.Watch {
	if e.auto == nil {
		return nil
	}
	return e.auto.watch
}

// AutoState is how automatic learning is doing.
type AutoState struct {
	On      bool   `json:"on"`      // it was asked for
	Stopped string `json:"stopped"` // why it has stopped by itself, "" if it has not
	drift.State
}

// AutoState returns how automatic learning is doing.
func (e *Engine) AutoState() AutoState {
	if e.auto == nil {
		return AutoState{}
	}
	s := AutoState{On: true, State: e.auto.watch.State()}
	if why := e.auto.stopped.Load(); why != nil {
		s.Stopped = *why
	}
	return s
}

// ResumeAuto restarts automatic learning after it has stopped by itself. Later answers
// are compared with the next ones.
func (e *Engine) ResumeAuto(ctx context.Context) error {
	if e.auto == nil {
		return nil
	}
	e.auto.watch.Reset()
	e.auto.stopped.Store(nil)
	c, err := e.shared.open(ctx, false)
	if c == nil || err != nil {
		return err
	}
	return c.Store().PutState(map[string][]byte{keyStopped: nil})
}

// stop ends automatic learning, also for later processes.
func (e *Engine) stop(why string) {
	if !e.auto.stopped.CompareAndSwap(nil, &why) {
		return
	}
	e.log.Warn("automatic learning has stopped", "reason", why)
	c := e.shared.current()
	if c == nil {
		return
	}
	e.shared.hold()
	e.auto.saving.Go(func() {
		defer e.shared.release()
		if err := c.Store().PutState(map[string][]byte{keyStopped: []byte(why)}); err != nil {
			e.log.Warn("cannot keep that automatic learning has stopped", "error", err)
		}
	})
}

// opened reads whether automatic learning has stopped in another process.
func (a *auto) opened(c *classify.Classifier) {
	_ = c.Store().View(func(s *store.Snapshot) error {
		if why := s.State(keyStopped); why != nil {
			text := string(why)
			a.stopped.CompareAndSwap(nil, &text)
		}
		return nil
	})
}

// maxAutoTerms is the number of distinct terms beyond which a message is not learned
// automatically: 99.9 % of the SpamAssassin corpus have fewer. A sender of made-up words
// could fill the database otherwise.
const maxAutoTerms = 10_000

// answered counts an answer and, if it is sure enough, queues its message to be learned,
// in the database d of its user or, if he has none, in the shared one. Nobody waits for
// that. A queue that is half full takes none.
func (e *Engine) answered(d *database, a *reply) {
	if e.auto == nil {
		return
	}
	e.auto.watch.Answered(a.Score, a.Probability, a.Unsure)
	e.auto.answers.put(a)
	if why := e.auto.watch.State().Drift; why != "" {
		e.stop(why)
	}
	if e.auto.stopped.Load() != nil || a.Unsure || !a.calibrated || 1-a.Probability > e.auto.o.Error || a.doc.Bag.Len() == 0 || a.doc.Bag.Len() > maxAutoTerms {
		return
	}
	if e.waiting.Load() > int64(e.options.MaxWaiting/2) {
		return
	}
	if d == nil {
		d = e.shared
	}
	doc := a.doc
	doc.Source = AutoSource
	_ = e.submit(d, &training{doc: doc, class: a.Class, auto: e.auto})
}

// taught tells the drift watch how probable the class taught was when the message was
// answered, if it was.
func (e *Engine) taught(id count.DocID, class string) {
	if e.auto == nil {
		return
	}
	a, found := e.auto.answers.take(id)
	if !found {
		return
	}
	e.auto.watch.Taught(a.of(class), a.class != class)
	if why := e.auto.watch.State().Drift; why != "" {
		e.stop(why)
	}
}

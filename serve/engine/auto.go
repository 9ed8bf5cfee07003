package engine

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/drift"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Auto says which of its own answers an Engine learns (self-training). It helps with few
// classes and mail that changes with time, and does harm with many classes.
type Auto struct {
	// Error is the largest expected error of an answer that is learned: its calibrated
	// probability is at least 1-Error. 0 is .01.
	Error float64 `toml:"error"`

	// People is the number of documents of a class that people must have taught before one
	// is learned automatically; 0 is 50. At least two classes must have that many.
	People uint64 `toml:"people"`

	// Slack is the number of automatically learned documents by which a class may exceed its
	// share of the documents that people taught; 0 is 50.
	Slack int `toml:"slack"`
}

// auto is the state of automatic learning. A nil auto learns nothing automatically.
type auto struct {
	o       Auto
	share   learn.Share
	watch   *drift.Watch
	shared  *learn.Database
	log     *slog.Logger
	answers answers
	stopped atomic.Pointer[string] // why, nil if it goes on
	saving  sync.WaitGroup
}

// keyStopped is the key under which the shared database keeps why automatic learning has stopped.
const keyStopped = "serve/auto stopped"

// maxAutoTerms is the number of distinct terms beyond which a message is not learned
// automatically: 99.9 % of the SpamAssassin corpus have fewer. A sender of made-up words
// could fill the database otherwise.
const maxAutoTerms = 10_000

func newAuto(o Auto, log *slog.Logger) *auto {
	if o.Error <= 0 {
		o.Error = .01
	}
	if o.Slack <= 0 {
		o.Slack = 50
	}
	return &auto{o: o, share: learn.Share{People: cmp.Or(o.People, 50), Slack: o.Slack}, watch: drift.New(o.Error), log: log}
}

// AutoState is how automatic learning is doing.
type AutoState struct {
	On      bool   `json:"on"`      // it was asked for
	Stopped string `json:"stopped"` // why it has stopped by itself, "" if it has not
	drift.State
}

func (a *auto) state() AutoState {
	if a == nil {
		return AutoState{}
	}
	s := AutoState{On: true, State: a.watch.State()}
	if why := a.stopped.Load(); why != nil {
		s.Stopped = *why
	}
	return s
}

func (a *auto) resume(ctx context.Context) error {
	if a == nil {
		return nil
	}
	a.watch.Reset()
	a.stopped.Store(nil)
	c, err := a.shared.Open(ctx, false)
	if c == nil || err != nil {
		return err
	}
	return c.Store().PutState(map[string][]byte{keyStopped: nil})
}

// stopIfDrifted ends automatic learning, also for later processes, if the mail has changed.
func (a *auto) stopIfDrifted() {
	why := a.watch.State().Drift
	if why == "" || !a.stopped.CompareAndSwap(nil, &why) {
		return
	}
	a.log.Warn("automatic learning has stopped", "reason", why)
	c := a.shared.Current()
	if c == nil {
		return
	}
	a.shared.Hold()
	a.saving.Go(func() {
		defer a.shared.Release()
		if err := c.Store().PutState(map[string][]byte{keyStopped: []byte(why)}); err != nil {
			a.log.Warn("cannot store that automatic learning has stopped", "error", err)
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

// answered counts an answer, and returns the training of its message if it is sure enough to
// be learned, or nil.
func (a *auto) answered(r *answer.Reply) *learn.Training {
	if a == nil {
		return nil
	}
	a.watch.Answered(r.Score, r.Probability, r.Unsure)
	a.answers.put(r)
	a.stopIfDrifted()
	if a.stopped.Load() != nil || r.Unsure || !r.Calibrated || 1-r.Probability > a.o.Error || r.Doc.Bag.Len() == 0 || r.Doc.Bag.Len() > maxAutoTerms {
		return nil
	}
	doc := r.Doc
	doc.Source = learn.AutoSource
	return &learn.Training{Doc: doc, Class: r.Class, Share: &a.share, Watch: a.watch}
}

// taught tells the drift watch how probable the class taught was when the message was
// answered, if it was. It returns the watch for the training, nil if there is none.
func (a *auto) taught(id count.DocID, class string) *drift.Watch {
	if a == nil {
		return nil
	}
	if g, found := a.answers.take(id); found {
		a.watch.Taught(g.of(class), g.class != class)
		a.stopIfDrifted()
	}
	return a.watch
}

package engine

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/drift"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// auto is the state of automatic learning. A nil auto learns nothing automatically.
type auto struct {
	o       Auto
	watch   *drift.Watch
	shared  *learn.Database
	log     *slog.Logger
	answers answers
	stopped atomic.Pointer[string] // why, nil if it goes on
	saving  sync.WaitGroup
}

// keyStopped is the key under which the shared database keeps why automatic learning has stopped.
const keyStopped = "serve/auto stopped"

// maxAutoTerms is the number of distinct terms, which 0.1 % of the SpamAssassin corpus exceed, beyond which a
// message is not learned automatically: made-up words could fill the database.
const maxAutoTerms = 10_000

func newAuto(o Auto, log *slog.Logger) *auto {
	o = Auto{Error: cmp.Or(max(o.Error, 0), .01), People: cmp.Or(max(o.People, 0), 50), Slack: cmp.Or(max(o.Slack, 0), 50)}
	return &auto{o: o, watch: drift.New(o.Error), log: log, answers: answers{of: make(map[count.DocID]string)}}
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

// answered counts an answer, and returns the training of its message, nil unless it is sure enough.
func (a *auto) answered(r *answer.Reply) *learn.Training {
	if a == nil {
		return nil
	}
	a.watch.Answered(r.Score, r.Probability, r.Unsure)
	a.answers.put(r.Doc.ID, r.Class)
	a.stopIfDrifted()
	if a.stopped.Load() != nil || r.Unsure || !r.Calibrated || 1-r.Probability > a.o.Error || r.Doc.Bag.Len() == 0 || r.Doc.Bag.Len() > maxAutoTerms {
		return nil
	}
	doc := r.Doc
	doc.Source = backend.AutoSource
	return &learn.Training{Doc: doc, Class: r.Class, Share: &a.o}
}

// taught tells the drift watch whether a message was answered as another class than the one taught.
func (a *auto) taught(id count.DocID, class string) {
	if a == nil {
		return
	}
	if answered, found := a.answers.take(id); found && answered != class {
		a.watch.Corrected()
		a.stopIfDrifted()
	}
}

// answers keeps the last answers by message, to compare them with what is taught.
type answers struct {
	mu    sync.Mutex
	of    map[count.DocID]string // class
	order []count.DocID          // in which they came
}

const answersKept = 10_000

func (l *answers) put(id count.DocID, class string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.of[id]; !known {
		l.order = append(l.order, id)
	}
	if l.of[id] = class; len(l.order) > answersKept {
		delete(l.of, l.order[0])
		l.order = l.order[1:]
	}
}

func (l *answers) take(id count.DocID) (class string, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	class, found = l.of[id]
	delete(l.of, id)
	return class, found
}

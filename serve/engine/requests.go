package engine

import (
	"context"
	"errors"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
)

// maxReasons is the largest number of reasons of an Answer.
const maxReasons = 20

// Classify classifies a message. The answer is unsure if too little was learned for its decision. The shared
// database answers users without their own, or whose database cannot be opened.
func (e *Engine) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	defer e.use()()
	a, err := e.respond(ctx, &question{request: &r, explain: explain})
	a.Reasons = a.Reasons[:min(len(a.Reasons), maxReasons)]
	return a.Answer, err
}

// Learn trains the message as class, or moves it there, or takes back what was learned of it if class is "",
// and returns when that is on disk. If ctx ends before, it may still be done.
func (e *Engine) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	defer e.use()()
	t := &learn.Training{Class: class}
	err := e.teach(ctx, r.User, class != "", func(c *classify.Classifier) error {
		leave, err := e.lanes.enter(ctx, len(r.Message))
		if err != nil {
			return err
		}
		defer leave()
		t.Doc = answer.Document(c, &r)
		t.Doc.Source = source(r.Source)
		return nil
	}, t)
	switch {
	case class == "" && errors.Is(err, store.ErrNotExist):
		return backend.Unchanged, nil
	case err != nil:
		return "", err // it may still be in progress
	}
	return t.Outcome, nil
}

// Classes lists the classes that may be learned, sorted: from the Options, the shared
// database and the user's.
func (e *Engine) Classes(ctx context.Context, user string) ([]string, error) {
	defer e.use()()
	if e.isClosed() {
		return nil, learn.ErrClosed
	}
	d, release, err := e.users.Acquire(ctx, user, false)
	if err != nil {
		return nil, err
	}
	defer release()
	return e.known(ctx, d)
}

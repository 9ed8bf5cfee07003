package engine

import (
	"context"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
)

// maxUser is the number of bytes kept of a user's name.
const maxUser = 255

// remember keeps an answer.
func (e *Engine) remember(r *backend.Request, a *reply) {
	if e.ring == nil {
		return
	}
	sender, subject := decisions.Fields(r.Message)
	e.ring.Add(backend.Decision{
		ID: a.doc.ID.String(), Time: time.Now(), User: e.userName(r.User), Source: source(r.Source),
		Sender: sender, Subject: subject, Class: a.Class, Probability: a.Probability, Unsure: a.Unsure,
	}, a.doc, r.Message)
}

// userName returns the name of a user in decisions.
func (e *Engine) userName(user string) string {
	if user != "" {
		user = e.users.users.Name(user)
	}
	return user[:min(len(user), maxUser)]
}

// Keeps reports whether decisions are kept.
func (e *Engine) Keeps() bool { return e.ring != nil }

// Decisions returns the last answers for a user, or for all if user is "", the newest
// first. There are none if Options.Decisions is nil.
func (e *Engine) Decisions(user string, limit int) ([]backend.Decision, error) {
	if e.ring == nil {
		return nil, nil
	}
	return e.ring.List(e.userName(user), limit)
}

// Teach learns the message of a decision as class, or moves it there, and also returns the
// class that it had before, or "" if it was not learned. The decision is the last one for
// the user, or for anybody if user is "", about the message whose id begins with id. It is
// learned in the database of the user who was answered: the shared one if the answer named
// no user or, if user is "", a user who cannot have one. The error is backend.ErrDecision or
// backend.ErrAmbiguous if the id does not identify a message, backend.ErrRecipients if the
// user is not clear, and otherwise as for Learn.
func (e *Engine) Teach(ctx context.Context, user, id, class, by string) (outcome backend.Outcome, from string, err error) {
	if e.isClosed() {
		return 0, "", errClosed
	}
	if e.ring == nil {
		return 0, "", backend.ErrDecision
	}
	users, doc, err := e.ring.Find(e.userName(user), id)
	if err != nil {
		return 0, "", err
	}
	if user == "" {
		if user, err = e.oneOf(users); err != nil {
			return 0, "", err
		}
	}
	t := &training{doc: doc, class: class}
	if err := e.teach(ctx, user, []*training{t}, by); err != nil {
		return 0, "", err // t may still be in progress
	}
	return t.outcome, t.from, nil
}

// teach learns or forgets the messages of decisions, in the database of one user.
func (e *Engine) teach(ctx context.Context, user string, list []*training, by string) error {
	d, err := e.of(ctx, user)
	if err != nil {
		return err
	}
	defer d.release()
	for _, t := range list {
		if t.class == "" {
			continue
		}
		if err := e.mayLearn(ctx, d, t.class); err != nil {
			return err
		}
	}
	if _, err := d.open(ctx, true); err != nil {
		return err
	}
	for _, t := range list {
		if t.doc.Source = source(by); t.class != "" {
			t.watch = e.watch()
			e.taught(t.doc.ID, t.class)
		}
	}
	return e.trainEach(ctx, d, list)
}

// oneOf returns the user whose database learns a message that was answered for several
// users; "" is the shared one.
func (e *Engine) oneOf(users []string) (user string, err error) {
	for i, u := range users {
		if _, _, has := e.users.place(u, true); !has {
			u = ""
		}
		if i > 0 && u != user {
			return "", backend.ErrRecipients
		}
		user = u
	}
	return user, nil
}

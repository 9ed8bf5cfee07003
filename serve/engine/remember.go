package engine

import (
	"context"

	"github.com/polya-classifier/polya/serve/backend"
)

// Keeps reports whether decisions are kept.
func (e *Engine) Keeps() bool {
	defer e.use()()
	return e.ring != nil
}

// Decisions returns the last answers for a user, or for all if user is "", the newest
// first, at most limit of them unless that is 0. There are none if Options.Decisions is nil.
func (e *Engine) Decisions(user string, limit int) ([]backend.Decision, error) {
	defer e.use()()
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
	defer e.use()()
	if e.ring == nil {
		return "", "", backend.ErrDecision
	}
	if id, err = e.ring.Find(e.userName(user), id); err != nil {
		return "", "", err
	}
	out, err := e.reviseAll(ctx, user, []backend.Revision{{ID: id, Class: class}}, by)
	if err != nil {
		return "", "", err // it may still be in progress
	}
	return out[0].Outcome, out[0].From, nil
}

// oneOf returns the user whose database learns a message that was answered for several
// users; "" is the shared one.
func (e *Engine) oneOf(users []string) (user string, err error) {
	for i, u := range users {
		if !e.users.Has(u) {
			u = ""
		}
		if i > 0 && u != user {
			return "", backend.ErrRecipients
		}
		user = u
	}
	return user, nil
}

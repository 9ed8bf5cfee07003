package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/serve/engine/learn"
)

// Keeps reports whether decisions are kept.
func (e *Engine) Keeps() bool {
	defer e.use()()
	return e.ring != nil
}

// Decisions returns the last answers for a user, or for all if user is "", the newest
// first, at most limit of them unless that is 0. There are none if Options.Decisions is nil.
func (e *Engine) Decisions(user string, limit int) []backend.Decision {
	defer e.use()()
	return e.ring.List(e.userName(user), limit)
}

// Find is decisions.Ring.Find of the answers that are kept.
func (e *Engine) Find(user, id string) (found string, err error) {
	defer e.use()()
	return e.ring.Find(e.userName(user), id)
}

// oneOf returns the one database of several users, by its user; "" is the shared one.
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

// Explain classifies a message and returns what the answer comes from. Nothing is kept.
func (e *Engine) Explain(ctx context.Context, r backend.Request) (answer.Explanation, error) {
	defer e.use()()
	a, err := e.respond(ctx, &question{request: &r, explain: true, untracked: true})
	if err != nil {
		return answer.Explanation{}, err
	}
	return e.explanation(ctx, r.User, &a, r.Message)
}

// Kept is a message that was answered.
type Kept struct {
	backend.Decision                    // the last
	Now              answer.Explanation // what the databases say now
	Learned          *backend.Entry     // what the ledger says, which Again does not ask; nil if the message is not learned
}

// Again classifies messages once more that were answered for a user, or for anybody if user
// is "", by their whole ids; with explain it also returns what the answers are computed from.
// It leaves out messages whose decisions are no longer kept. The answers are not kept.
func (e *Engine) Again(ctx context.Context, user string, ids []string, explain bool) ([]Kept, error) {
	defer e.use()()
	last, err := e.records(ctx, user, ids)
	if err != nil {
		return nil, err
	}
	var list []Kept
	for _, id := range ids {
		r := last[id]
		if r.users == nil {
			continue
		}
		k := Kept{Decision: r.Decision}
		if k.Now, err = e.again(ctx, &r, explain); err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

// record is the last decision about a message.
type record struct {
	decisions.Record
	users []string // for whom it was answered, nil if it is not kept
}

func (e *Engine) records(ctx context.Context, user string, ids []string) (map[string]record, error) {
	if e.isClosed() {
		return nil, learn.ErrClosed
	}
	found := make(map[string]record, len(ids))
	for _, id := range ids {
		found[id] = record{}
	}
	wanted := func(d *backend.Decision) bool { _, asked := found[d.ID]; return asked }
	err := e.ring.Each(e.userName(user), wanted, func(r *decisions.Record) error {
		users := found[r.ID].users
		if !slices.Contains(users, r.User) {
			users = append(users, r.User)
		}
		found[r.ID] = record{*r, users}
		return ctx.Err()
	})
	return found, err
}

func (e *Engine) again(ctx context.Context, r *record, explain bool) (answer.Explanation, error) {
	a, err := e.respond(ctx, &question{request: &backend.Request{User: r.User}, doc: &r.Doc, explain: explain, untracked: true})
	if err != nil {
		return answer.Explanation{}, err
	}
	a.Doc = r.Doc
	if !explain {
		return a.Explanation(nil)
	}
	return e.explanation(ctx, r.User, &a, r.Message)
}

// explanation returns what a reply is computed from; message is nil if it was not kept.
func (e *Engine) explanation(ctx context.Context, user string, a *answer.Reply, message []byte) (answer.Explanation, error) {
	d, release, err := e.users.Acquire(ctx, user, false)
	if err != nil {
		return answer.Explanation{}, err
	}
	defer release()
	if d == nil {
		return a.Explanation(message, e.shared.Current())
	}
	return a.Explanation(message, e.shared.Current(), d.Current())
}

// Revise learns or forgets messages that were answered for a user, or for anybody if user is "", by their whole
// ids, each in the database of the user who was answered, or in the shared one if he cannot have one. It returns
// what became of each, in their order. The error is backend.ErrDecision if one is not kept, backend.ErrRecipients
// if the user is not clear, and otherwise as for Learn; after an error some may have been learned.
func (e *Engine) Revise(ctx context.Context, user string, list []backend.Revision, by string) ([]backend.Revised, error) {
	defer e.use()()
	ids := make([]string, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	found, err := e.records(ctx, user, ids)
	if err != nil {
		return nil, err
	}
	of := make(map[string][]*learn.Training) // by the user whose database learns
	all := make([]*learn.Training, len(list))
	for i, r := range list {
		if found[r.ID].users == nil {
			return nil, backend.ErrDecision
		}
		owner := user
		if user == "" {
			if owner, err = e.oneOf(found[r.ID].users); err != nil {
				return nil, err
			}
		}
		all[i] = &learn.Training{Doc: found[r.ID].Doc, Class: r.Class}
		all[i].Doc.Source = source(cmp.Or(r.By, by))
		of[owner] = append(of[owner], all[i])
	}
	for owner, some := range of {
		if err := e.teach(ctx, owner, true, nil, some...); err != nil {
			return nil, err
		}
	}
	out := make([]backend.Revised, len(all))
	for i, t := range all {
		out[i] = backend.Revised{Outcome: t.Outcome, From: t.From}
	}
	return out, nil
}

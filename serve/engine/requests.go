package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// mostForRoom is how long a question waits until a user's database may be opened.
const mostForRoom = 5 * time.Second

// reopened is how often a question is retried after its database was closed to be reopened:
// once for a reload, twice if a command borrows it, or both at a time.
const reopened = 4

// accept returns why a request is refused before it is read.
func (e *Engine) accept(r *backend.Request) error {
	switch {
	case e.isClosed():
		return errClosed
	case len(r.Message) > e.options.MaxMessage:
		return backend.ErrSize
	}
	return nil
}

// of returns the database that learns for a user, who may have none yet. The caller
// releases it. While too many databases are in use it waits until ctx ends, and then
// returns backend.ErrBusy.
func (e *Engine) of(ctx context.Context, user string) (*database, error) {
	if user == "" || e.options.Users.Path == "" {
		e.shared.hold()
		return e.shared, nil
	}
	d, err := e.users.acquire(ctx, user, true)
	if d == nil && err == nil {
		err = backend.ErrUser
	}
	return d, err
}

// document returns the document of a request.
func document(c *classify.Classifier, r *backend.Request) classify.Document {
	if r.Cut {
		return mail.Excerpt(c, r.Message)
	}
	return mail.Document(c, r.Message)
}

// document returns the document of a training, once there is a place to process it.
func (e *Engine) document(ctx context.Context, c *classify.Classifier, r *backend.Request) (classify.Document, error) {
	leave, err := e.lanes.enter(ctx, len(r.Message))
	if err != nil {
		return classify.Document{}, err
	}
	defer leave()
	return document(c, r), nil
}

// truncated reports whether a part of a document was not read.
func truncated(b *tokenize.Bag) bool {
	for i := range b.Len() {
		if term, _ := b.At(i); bytes.HasPrefix(term, []byte("limit:")) {
			return true
		}
	}
	return false
}

// Classify classifies a message. The answer is unsure if the database has learned
// nothing, or nothing of a class that its decision needs. The shared database answers for
// a user who has none, or whose database cannot be opened or has no room because too many
// are in use.
func (e *Engine) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	a, err := e.respond(ctx, &question{request: &r, explain: explain})
	a.Reasons = a.Reasons[:min(len(a.Reasons), maxReasons)]
	return a.Answer, err
}

// respond answers a question. Unless aside is set it keeps the answer and may learn from it.
func (e *Engine) respond(ctx context.Context, q *question) (reply, error) {
	r := q.request
	if err := e.accept(r); err != nil {
		return reply{}, err
	}
	if e.asking.Add(1) > int64(e.options.MaxAnswers) {
		e.asking.Add(-1)
		return reply{}, backend.ErrBusy
	}
	defer e.asking.Add(-1)
	room, cancel := context.WithTimeout(ctx, forRoom(ctx))
	d, busy := e.users.acquire(room, r.User, false)
	cancel()
	if d != nil {
		defer d.release()
	}
	a, err := e.ask(ctx, d, q)
	if err != nil {
		return reply{}, err
	}
	if busy != nil {
		e.withoutRoom.Add(1)
	}
	if a.doc.Bag != nil {
		a.Truncated = truncated(a.doc.Bag)
	}
	if q.aside {
		return a, nil
	}
	if a.doc.Bag != nil {
		e.remember(r, &a)
	}
	if a.posterior != nil && busy == nil {
		e.answered(d, &a)
	}
	return a, nil
}

// forRoom returns how long a question waits for room for its user's database: a part of
// its time, so that the shared one can still answer.
func forRoom(ctx context.Context) time.Duration {
	if end, bounded := ctx.Deadline(); bounded {
		return min(mostForRoom, time.Until(end)/2)
	}
	return mostForRoom
}

// ask is classify, retried if a database was closed meanwhile.
func (e *Engine) ask(ctx context.Context, d *database, q *question) (reply, error) {
	a, err := e.classify(ctx, d, q)
	for again := 0; again < reopened && errors.Is(err, store.ErrClosed) && !e.isClosed(); again++ {
		a, err = e.classify(ctx, d, q)
	}
	return a, err
}

// classify answers from the shared database and from d, which is nil if the user has none.
func (e *Engine) classify(ctx context.Context, d *database, q *question) (reply, error) {
	if err := ctx.Err(); err != nil {
		return reply{}, err
	}
	base, err := e.shared.open(ctx, false)
	if err != nil {
		return reply{}, err
	}
	var own *classify.Classifier
	if d != nil {
		own, _ = d.open(ctx, false) // the error is in the log
	}
	leave, err := e.lanes.enter(ctx, len(q.request.Message))
	if err != nil {
		return reply{}, err
	}
	defer leave()
	switch {
	case own == nil:
		return e.answer(ctx, base, base, q)
	case base == nil:
		return e.answer(ctx, own, own, q)
	}
	classes, err := base.Classes()
	if err != nil {
		return reply{}, err
	}
	if e.untaught(classes) != decision.Sure {
		return e.answer(ctx, own, own, q)
	}
	v, err := d.viewOf(base, own)
	if err != nil {
		return reply{}, err
	}
	return e.answer(ctx, v, base, q)
}

// Learn trains the message as class, or moves it there, and returns when that is on disk.
// If ctx ends before, the message may still be learned.
func (e *Engine) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	if err := e.accept(&r); err != nil {
		return 0, err
	}
	d, err := e.of(ctx, r.User)
	if err != nil {
		return 0, err
	}
	defer d.release()
	if err := e.mayLearn(ctx, d, class); err != nil {
		return 0, err
	}
	c, err := d.open(ctx, true)
	if err != nil {
		return 0, err
	}
	doc, err := e.document(ctx, c, &r)
	if err != nil {
		return 0, err
	}
	e.taught(doc.ID, class)
	doc.Source = source(r.Source)
	return e.train(ctx, d, &training{doc: doc, class: class, watch: e.watch()})
}

// source returns a source as a ledger can keep it, and never AutoSource.
func source(s string) string {
	if s == AutoSource {
		return "people"
	}
	return s[:min(len(s), count.MaxNameBytes)]
}

// mayLearn returns backend.ErrClass unless the class is one of the Options or of the
// database.
func (e *Engine) mayLearn(ctx context.Context, d *database, class string) error {
	if slices.Contains(e.options.Spam, class) || slices.Contains(e.options.Classes, class) {
		return nil
	}
	for _, of := range []*database{d, e.shared} {
		some, err := of.classes(ctx)
		if err != nil {
			return err
		}
		if slices.Contains(some, class) {
			return nil
		}
	}
	return backend.ErrClass
}

// classes returns the names of the classes of a database, which may not exist.
func (d *database) classes(ctx context.Context) (names []string, err error) {
	c, err := d.open(ctx, false)
	if c == nil || err != nil {
		return nil, err
	}
	classes, err := c.Classes()
	for _, class := range classes {
		names = append(names, class.Name)
	}
	return names, err
}

// Forget takes back what was learned of the message, of whatever class, and returns when
// that is on disk.
func (e *Engine) Forget(ctx context.Context, r backend.Request) (backend.Outcome, error) {
	if err := e.accept(&r); err != nil {
		return 0, err
	}
	d, err := e.of(ctx, r.User)
	if err != nil {
		return 0, err
	}
	defer d.release()
	c, err := d.open(ctx, false)
	if c == nil || err != nil {
		return backend.Unchanged, err
	}
	doc, err := e.document(ctx, c, &r)
	if err != nil {
		return 0, err
	}
	return e.train(ctx, d, &training{doc: doc})
}

// Configured lists the classes that the Options name.
func (e *Engine) Configured() []string { return slices.Concat(e.options.Spam, e.options.Classes) }

// Classes lists the classes that may be learned, sorted: from the Options, the shared
// database and the user's.
func (e *Engine) Classes(ctx context.Context, user string) ([]string, error) {
	if e.isClosed() {
		return nil, errClosed
	}
	names := e.Configured()
	d, err := e.users.acquire(ctx, user, false)
	if err != nil {
		return nil, err
	}
	all := []*database{e.shared}
	if d != nil {
		defer d.release()
		all = append(all, d)
	}
	for _, d := range all {
		some, err := d.classes(ctx)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

package engine

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
)

const maxReasons = 20

// Classify classifies a message. The answer is unsure if too little was learned for its decision. The shared
// database answers users without their own, or whose database cannot be opened.
func (e *Engine) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	defer e.use()()
	a, err := e.respond(ctx, &question{request: &r, explain: explain})
	a.Reasons = a.Reasons[:min(len(a.Reasons), maxReasons)]
	return a.Answer, err
}

// reopened is how often a question is retried after its database was closed to be reopened:
// once for a reload, twice if another process writes it, or both at a time.
const reopened = 4

// question is a message to classify, or the document that was made of one.
type question struct {
	request   *backend.Request
	doc       *classify.Document // nil if it is to be made of the request
	explain   bool
	untracked bool // the answer is neither kept nor learned
}

func (q *question) document(c *classify.Classifier) classify.Document {
	if q.doc != nil {
		return *q.doc
	}
	return answer.Document(c, q.request)
}

// respond answers a question. Unless it is untracked it keeps the answer and may learn from it.
func (e *Engine) respond(ctx context.Context, q *question) (answer.Reply, error) {
	r := q.request
	if e.isClosed() {
		return answer.Reply{}, learn.ErrClosed
	}
	if e.asking.Add(1) > busy {
		e.asking.Add(-1)
		return answer.Reply{}, backend.ErrBusy
	}
	defer e.asking.Add(-1)
	d, release, err := e.users.Acquire(ctx, r.User, false)
	if err != nil {
		return answer.Reply{}, err
	}
	defer release()
	a, err := e.classify(ctx, d, q)
	for again := 0; again < reopened && errors.Is(err, store.ErrClosed) && !e.isClosed(); again++ {
		a, err = e.classify(ctx, d, q)
	}
	if err != nil || q.untracked {
		return a, err
	}
	if a.Doc.Bag != nil && e.ring != nil {
		e.remember(r, &a)
	}
	if a.Posterior != nil {
		e.learnAutomatically(d, &a)
	}
	return a, nil
}

// learnAutomatically counts an answer and, if it is sure enough and the queue less than half full, queues its
// message, in the database d of its user or, if he has none, in the shared one. Nobody waits for that.
func (e *Engine) learnAutomatically(d *learn.Database, a *answer.Reply) {
	if t := e.auto.answered(a); t != nil && e.waiting.Load() <= busy/2 {
		_ = e.submit(cmp.Or(d, e.shared), t)
	}
}

// classify answers from the shared database and from d, which is nil if the user has none.
func (e *Engine) classify(ctx context.Context, d *learn.Database, q *question) (answer.Reply, error) {
	if err := ctx.Err(); err != nil {
		return answer.Reply{}, err
	}
	base, err := e.shared.Open(ctx, false)
	if err != nil {
		return answer.Reply{}, err
	}
	var own *classify.Classifier
	if d != nil {
		own, _ = d.Open(ctx, false) // the error is in the log
	}
	leave, err := e.lanes.enter(ctx, len(q.request.Message))
	if err != nil {
		return answer.Reply{}, err
	}
	defer leave()
	switch {
	case own == nil && base == nil:
		return answer.Reply{Answer: e.answers.Unlearned(nil)}, nil
	case own == nil:
		return e.answers.Answer(ctx, base, q.document(base), q.explain)
	case base == nil:
		return e.answers.Answer(ctx, own, q.document(own), q.explain)
	}
	classes, err := base.Classes()
	if err != nil {
		return answer.Reply{}, err
	}
	if decision.Untaught(e.answers.Decision, classes) != decision.Sure {
		return e.answers.Answer(ctx, own, q.document(own), q.explain)
	}
	v, err := d.View(base, own)
	if err != nil {
		return answer.Reply{}, err
	}
	return e.answers.Answer(ctx, v, q.document(base), q.explain)
}

func (e *Engine) remember(r *backend.Request, a *answer.Reply) {
	sender, subject := decisions.Fields(r.Message)
	e.ring.Add(decisions.Record{Decision: backend.Decision{
		ID: a.Doc.ID.String(), Time: time.Now(), User: e.userName(r.User), Source: source(r.Source),
		Sender: sender, Subject: subject, Class: a.Class, Probability: a.Probability, Unsure: a.Unsure,
	}, Doc: a.Doc, Message: r.Message})
}

// A message takes up to 20 times its size in memory while its terms are counted and looked
// up. So only a few of the accepted messages are processed at a time and the others wait;
// long and short ones have separate places, so that no short one waits for a long one.
const (
	// longMessage is the size of a long message. 99 of 100 are shorter.
	longMessage = 128 << 10
	// shortLane and longLane are the messages of each kind processed at a time for each processor.
	shortLane, longLane = 8, 1
)

// lanes are the places of messages being processed.
type lanes struct{ short, long chan struct{} }

func newLanes() lanes {
	n := runtime.GOMAXPROCS(0)
	return lanes{make(chan struct{}, shortLane*n), make(chan struct{}, longLane*n)}
}

// enter waits for a place for a message of this size, which leave gives back.
func (l lanes) enter(ctx context.Context, size int) (leave func(), err error) {
	lane := l.short
	if size > longMessage {
		lane = l.long
	}
	select {
	case lane <- struct{}{}:
		return func() { <-lane }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

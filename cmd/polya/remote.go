package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/early"
	"github.com/polya-classifier/polya/cmd/internal/holdings"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/control"
	"github.com/polya-classifier/polya/serve/daemon"
)

// remote runs commands about one document in a daemon, for processes that use the control
// socket: the same code on the open database.
type remote struct {
	mu     sync.Mutex
	opened *classify.Classifier
	as     map[string]*classify.Classifier // by the flags of a command: opened with its options
}

// maxAs is the number of Classifiers kept in as.
const maxAs = 16

// holding is the open database of a daemon, for one command.
type holding struct {
	path string // of the document on standard input
	with func(classify.Options) (*classify.Classifier, error)
}

// run runs a command, unless the asking process has to run it itself.
func (r *remote) run(ctx context.Context, db daemon.Databases, q *control.Command) (control.Result, error) {
	b, ok := early.ParseBrief(q.Args)
	if !ok {
		return control.Result{}, control.ErrDeclined
	}
	result := new(control.Result)
	do := func(c *classify.Classifier) error {
		if c.Store().Path() != q.Database || b.Class != "" && !slices.Contains(holdings.Names(c.Store()), b.Class) {
			return control.ErrDeclined
		}
		*result = r.execute(ctx, c, &b, q)
		return nil
	}
	var err error
	if b.Changes() {
		err = db.Change(ctx, q.User, do)
	} else {
		err = db.Use(ctx, q.User, do)
	}
	failed := !b.Changes() && result.Code == exitTrouble // perhaps because the file was lent meanwhile
	if err != nil || failed {                            // the asking process finds out why
		return control.Result{}, control.ErrDeclined
	}
	return *result, nil
}

func (r *remote) execute(ctx context.Context, c *classify.Classifier, b *early.Brief, q *control.Command) control.Result {
	var out, errs bytes.Buffer
	p := &program{
		Streams:       &terminal.Streams{Stdin: bytes.NewReader(q.Document), Stdout: &out, Stderr: &errs},
		stopListening: func() {},
		database:      q.Database,
	}
	p.holding = &holding{b.Path, func(o classify.Options) (*classify.Classifier, error) { return r.with(c, b, q.Args, o) }}
	code := p.execute(ctx, p.root(q.Args), q.Args)
	return control.Result{Code: code, Out: out.String(), Err: errs.String()}
}

// with returns c with the options of a command. Commands with the same flags share one,
// so that its caches serve later answers.
func (r *remote) with(c *classify.Classifier, b *early.Brief, args []string, o classify.Options) (*classify.Classifier, error) {
	if b.Changes() {
		return c.With(o)
	}
	key := strings.Join(slices.Delete(slices.Clone(args), b.At, b.At+1), "\x00")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened != c || len(r.as) == maxAs {
		r.opened, r.as = c, make(map[string]*classify.Classifier)
	}
	if r.as[key] == nil {
		made, err := c.With(o)
		if err != nil {
			return nil, err
		}
		r.as[key] = made
	}
	return r.as[key], nil
}

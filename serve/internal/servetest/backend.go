// Package servetest has what the tests of the listeners share: a classifier that is
// simple to foresee, listeners, and the programs that the tests need.
package servetest

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/serve/backend"
)

// A Backend knows the classes ham, spam and werbung, and the users alice, bob and
// bob@example.test. A message has the class it was learned as; else it is spam if its
// body has the word plum, unsure if it has the word perhaps, and else ham.
type Backend struct {
	// Before is called before each call, unless it is nil, and its error returned.
	Before func(ctx context.Context, r backend.Request) error

	mu      sync.Mutex
	learned map[string]string // by user and body
	calls   []backend.Request
}

var (
	classes = []string{"ham", "spam", "werbung"}
	users   = []string{"", "alice", "bob", "bob@example.test"}
)

func (b *Backend) begin(ctx context.Context, r backend.Request) (key string, err error) {
	if b.Before != nil {
		if err := b.Before(ctx, r); err != nil {
			return "", err
		}
	}
	if !slices.Contains(users, r.User) {
		return "", backend.ErrUser
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r.Message = bytes.Clone(r.Message)
	b.calls = append(b.calls, r)
	return r.User + "\n" + string(body(r.Message)), ctx.Err()
}

// body returns the body as mail systems preserve it: with LF line ends and none at the end.
func body(message []byte) []byte {
	message = bytes.ReplaceAll(message, []byte("\r\n"), []byte("\n"))
	if _, after, found := bytes.Cut(message, []byte("\n\n")); found {
		message = after
	}
	return bytes.TrimRight(message, "\n")
}

// Calls returns the requests answered so far.
func (b *Backend) Calls() []backend.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.calls)
}

// Classify answers for a message.
func (b *Backend) Classify(ctx context.Context, r backend.Request, explain bool) (backend.Answer, error) {
	if !slices.Contains(users, r.User) {
		r.User = ""
	}
	k, err := b.begin(ctx, r)
	if err != nil {
		return backend.Answer{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	a := backend.Answer{Class: "ham", Probability: .9876, Score: -6.3, Threshold: 1}
	switch class := b.learned[k]; {
	case class == "werbung":
		a.Class = class
	case class == "spam", class == "" && bytes.Contains(body(r.Message), []byte("plum")):
		a = backend.Answer{Class: "spam", Probability: .9987, Spam: true, Score: 9.58, Threshold: 1}
	case class == "" && bytes.Contains(body(r.Message), []byte("perhaps")):
		a = backend.Answer{Class: "spam", Probability: .6, Unsure: true, Score: .58, Threshold: 1}
	}
	if explain {
		a.Reasons = []backend.Reason{{Term: "plum", Count: 2, Bits: 3.5}, {Term: "a\r\nb", Count: 1, Bits: -1}}
	}
	return a, nil
}

// Learn keeps the class of a message, or takes it back.
func (b *Backend) Learn(ctx context.Context, r backend.Request, class string) (backend.Outcome, error) {
	if class != "" && !slices.Contains(classes, class) {
		return "", backend.ErrClass
	}
	k, err := b.begin(ctx, r)
	if err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.learned[k]
	if b.learned == nil {
		b.learned = map[string]string{}
	}
	b.learned[k] = class
	switch {
	case was == class:
		return backend.Unchanged, nil
	case was == "":
		return backend.Learned, nil
	case class == "":
		return backend.Forgotten, nil
	default:
		return backend.Moved, nil
	}
}

// Classes lists the classes.
func (b *Backend) Classes(ctx context.Context, user string) ([]string, error) {
	_, err := b.begin(ctx, backend.Request{User: user})
	return classes, err
}

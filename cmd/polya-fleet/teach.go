package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
)

// atOnce is how many messages are taught at a time: a node publishes waiting messages together.
const atOnce = 32

// teacher asks the node on this machine, over the socket beside its database.
type teacher struct {
	client  *client.Client
	ask     func(*client.Client, backend.Request) (backend.Outcome, error)
	working sync.WaitGroup
	places  chan struct{}

	mu     sync.Mutex
	counts map[backend.Outcome]int
	failed error // the first
}

// train teaches messages to the fleet, through the node on this machine.
func train(ctx context.Context, args []string, out, log io.Writer) error {
	f := flag.NewFlagSet("train", flag.ContinueOnError)
	user := f.String("user", "", "")
	args, err := parse(f, args, log, 2, math.MaxInt)
	if err != nil {
		return err
	}
	class, messages := args[1], args[2:]
	return teach(ctx, args[0], messages, out, func(c *client.Client, r backend.Request) (backend.Outcome, error) {
		r.User = *user
		return c.Learn(ctx, r, class)
	})
}

// forget takes messages back.
func forget(ctx context.Context, args []string, out, log io.Writer) error {
	f := flag.NewFlagSet("forget", flag.ContinueOnError)
	user := f.String("user", "", "")
	args, err := parse(f, args, log, 1, math.MaxInt)
	if err != nil {
		return err
	}
	return teach(ctx, args[0], args[1:], out, func(c *client.Client, r backend.Request) (backend.Outcome, error) {
		r.User = *user
		return c.Forget(ctx, r)
	})
}

// teach calls ask for each message, with the node whose configuration is in file.
func teach(ctx context.Context, file string, messages []string, out io.Writer, ask func(*client.Client, backend.Request) (backend.Outcome, error)) error {
	if len(messages) == 0 {
		messages = []string{"-"}
	}
	c, err := config.Load(file)
	if err != nil {
		return err
	}
	d, err := c.Daemon()
	if err != nil {
		return err
	}
	t := &teacher{ask: ask, client: client.Of(d.Database.Path, 2*c.Wait), places: make(chan struct{}, atOnce), counts: make(map[backend.Outcome]int)}
	if t.client == nil {
		return fmt.Errorf("%s: no node answers beside it", d.Database.Path)
	}
	err = t.walk(ctx, messages)
	said := []string{}
	for _, o := range []backend.Outcome{backend.Learned, backend.Moved, backend.Forgotten, backend.Unchanged} {
		if n := t.counts[o]; n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, o))
		}
	}
	if len(said) > 0 {
		fmt.Fprintln(out, strings.Join(said, ", "))
	}
	return err
}

// walk calls ask for each message of paths, until one fails. What cannot be read, and what is no
// message, is left out, and is an error in the end.
func (t *teacher) walk(ctx context.Context, paths []string) (err error) {
	for _, path := range paths {
		unread := corpus.Walk(ctx, path, corpus.Options{Several: true}, func(d *corpus.Document) error {
			if d.Binary != "" {
				err = errors.Join(err, fmt.Errorf("%s: %s is no message", d.Path, d.Binary))
				return nil
			}
			t.places <- struct{}{}
			if t.failure() != nil {
				<-t.places
				return errStop
			}
			from, r := d.Path, backend.Request{Message: bytes.Clone(d.Content), Cut: d.Cut, Source: "polya-fleet"}
			t.working.Go(func() {
				defer func() { <-t.places }()
				o, err := t.ask(t.client, r)
				t.mu.Lock()
				defer t.mu.Unlock()
				if err != nil && t.failed == nil {
					t.failed = fmt.Errorf("%s: %w", from, err)
				}
				if err == nil {
					t.counts[o]++
				}
			})
			return nil
		})
		if errors.Is(unread, errStop) || ctx.Err() != nil {
			break
		}
		err = errors.Join(err, unread)
	}
	t.working.Wait()
	return errors.Join(err, cmp.Or(t.failure(), ctx.Err()))
}

// errStop ends a walk after a failure.
var errStop = errors.New("a message was not taught")

func (t *teacher) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

package main

import (
	"bytes"
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
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/control/client"
)

// atOnce is how many messages are taught at a time: a node publishes those that wait together.
const atOnce = 32

// teacher asks the node of this machine, by the socket beside its database.
type teacher struct {
	client  *client.Client
	ask     func(*client.Client, []byte) (backend.Outcome, error)
	working sync.WaitGroup
	places  chan struct{}

	mu     sync.Mutex
	counts map[backend.Outcome]int
	failed error // the first
}

// train teaches messages to the fleet, by the node of this machine.
func train(ctx context.Context, args []string, out, log io.Writer) error {
	args, err := parse(flag.NewFlagSet("train", flag.ContinueOnError), args, log, 2, math.MaxInt)
	if err != nil {
		return err
	}
	class, messages := args[1], args[2:]
	return teach(ctx, args[0], messages, out, func(c *client.Client, message []byte) (backend.Outcome, error) {
		return c.Learn(ctx, backend.Request{Message: message, Source: "polya-fleet"}, class)
	})
}

// forget takes messages back.
func forget(ctx context.Context, args []string, out, log io.Writer) error {
	args, err := parse(flag.NewFlagSet("forget", flag.ContinueOnError), args, log, 1, math.MaxInt)
	if err != nil {
		return err
	}
	return teach(ctx, args[0], args[1:], out, func(c *client.Client, message []byte) (backend.Outcome, error) {
		return c.Forget(ctx, backend.Request{Message: message})
	})
}

// teach asks for each message, by the node whose configuration is in file.
func teach(ctx context.Context, file string, messages []string, out io.Writer, ask func(*client.Client, []byte) (backend.Outcome, error)) error {
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

// walk asks for each message of paths, until one fails.
func (t *teacher) walk(ctx context.Context, paths []string) error {
	defer t.working.Wait()
	for _, path := range paths {
		err := corpus.Walk(ctx, path, corpus.Options{Several: true}, func(d *corpus.Document) error {
			t.places <- struct{}{}
			if err := t.failure(); err != nil {
				<-t.places
				return err
			}
			from, message := d.Path, bytes.Clone(d.Content)
			t.working.Go(func() {
				defer func() { <-t.places }()
				o, err := t.ask(t.client, message)
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
		t.working.Wait()
		if failed := t.failure(); failed != nil && !errors.Is(err, failed) {
			err = errors.Join(err, failed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *teacher) failure() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

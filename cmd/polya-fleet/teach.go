package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
)

// atOnce is how many messages are taught at a time: a node publishes waiting messages together.
const atOnce = 32

// teach has the node on this machine learn messages as class, or forget them if that is "".
func (a *call) teach(ctx context.Context, messages []string, class string) error {
	c, err := config.Load(a.args[0])
	if err != nil {
		return err
	}
	d, err := c.Daemon()
	if err != nil {
		return err
	}
	node := client.Of(d.Database.Path, 2*c.Wait)
	if node == nil {
		return fmt.Errorf("%s: no node answers beside it", d.Database.Path)
	}
	if len(messages) == 0 {
		messages = []string{"-"}
	}
	counts, err := walk(ctx, messages, atOnce, func(r backend.Request) (backend.Outcome, error) {
		r.User = a.user
		return node.Learn(ctx, r, class)
	})
	said := []string{}
	for _, o := range []backend.Outcome{backend.Learned, backend.Moved, backend.Forgotten, backend.Unchanged} {
		if n := counts[o]; n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, o))
		}
	}
	if len(said) > 0 {
		a.Printf("%s\n", strings.Join(said, ", "))
	}
	return err
}

// walk calls ask for each message of paths, several at a time, until one fails, and counts what came
// of them. What cannot be read, and what is no message, is left out, and is an error in the end.
func walk(whole context.Context, paths []string, several int, ask func(backend.Request) (backend.Outcome, error)) (counts map[backend.Outcome]int, err error) {
	counts = map[backend.Outcome]int{}
	var mu sync.Mutex
	asked, ctx := errgroup.WithContext(whole)
	asked.SetLimit(several)
	for _, path := range paths {
		unread := corpus.Walk(ctx, path, corpus.Options{Several: true}, func(d *corpus.Document) error {
			if d.Binary != "" {
				err = errors.Join(err, fmt.Errorf("%s: %s is no message", d.Path, d.Binary))
				return nil
			}
			from, r := d.Path, backend.Request{Message: bytes.Clone(d.Content), Cut: d.Cut, Source: "polya-fleet"}
			asked.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				o, err := ask(r)
				if err != nil {
					return fmt.Errorf("%s: %w", from, err)
				}
				mu.Lock()
				defer mu.Unlock()
				counts[o]++
				return nil
			})
			return ctx.Err()
		})
		if ctx.Err() != nil {
			break
		}
		err = errors.Join(err, unread)
	}
	return counts, errors.Join(err, cmp.Or(asked.Wait(), whole.Err()))
}

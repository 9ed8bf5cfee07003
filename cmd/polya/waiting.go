package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/crash"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// waitVariable is the environment variable that stands for --wait.
const waitVariable = "POLYA_WAIT"

// noteAfter is how long a command waits before it says so on a terminal.
const noteAfter = 2 * time.Second

// waiting is how long to wait for a database that others use.
type waiting struct {
	text string // of --wait
	ctx  context.Context
}

func (w *waiting) flag(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&w.text, "wait", "", "wait up to `TIME` for a database in use: 10s, 2m, 0 (default 10s to\nread, 30s to write)")
}

// options sets how long to wait. Without --wait and POLYA_WAIT the store decides.
func (w *waiting) options(o *store.Options) error {
	name, text := "--wait", w.text
	if text == "" {
		name, text = waitVariable, os.Getenv(waitVariable)
	}
	if text == "" {
		return nil
	}
	d, err := parseWait(text)
	if err != nil {
		return fmt.Errorf("%s %q is no time to wait: want one as 10s, 2m or 0", name, text)
	}
	o.Timeout = max(d, 1) // 0 would be the default
	return nil
}

// parseWait reads a duration, or a number of seconds.
func parseWait(s string) (time.Duration, error) {
	if n, err := strconv.ParseUint(s, 10, 24); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	return d, err
}

// openClassifier opens a database, and waits for it if it is in use.
func (p *program) openClassifier(path string, o classify.Options) (*classify.Classifier, error) {
	o.Store.Share = true
	if err := p.waiting.options(&o.Store); err != nil {
		return nil, err
	}
	return opened(p, path, func() (*classify.Classifier, error) { return classify.Open(path, o) })
}

// openStore opens a database to read it, and waits for it if it is in use.
func (p *program) openStore(path string) (*store.DB, error) {
	o := store.Options{ReadOnly: true, Share: true}
	if err := p.waiting.options(&o); err != nil {
		return nil, err
	}
	return opened(p, path, func() (*store.DB, error) { return store.Open(path, o) })
}

// opened calls open, until Ctrl-C.
func opened[T any](p *program, path string, open func() (T, error)) (T, error) {
	ctx := p.waiting.ctx
	if ctx == nil {
		return waited(open()) // a signal ends the process
	}
	var db T
	var err error
	var fault *crash.Crash
	done := make(chan struct{})
	go func() {
		defer close(done)
		fault = crash.Catch(func() { db, err = open() })
	}()
	note := time.NewTimer(noteAfter)
	defer note.Stop()
	for {
		select {
		case <-done:
			if fault != nil {
				panic(fault)
			}
			return waited(db, err)
		case <-ctx.Done():
			var none T
			return none, fmt.Errorf("%s: %w while it was in use", path, ctx.Err())
		case <-note.C:
			if terminal.IsTerminal(p.Stderr) {
				p.Note(fmt.Errorf("%s is in use by another process: waiting; Ctrl-C gives up", path))
			}
		}
	}
}

// waited says what to do about a database that is still in use.
func waited[T any](db T, err error) (T, error) {
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w, or wait longer by --wait or %s", err, waitVariable)
	}
	return db, err
}

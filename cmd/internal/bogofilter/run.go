package bogofilter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/polya-classifier/polya/cmd/internal/incoming"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/store"
)

// field is the name of the field with the answer.
const field = "X-Bogosity"

// The exit codes.
const (
	spam    = 0
	ham     = 1
	unsure  = 2
	Trouble = 3
)

var names = [...]string{spam: "Spam", ham: "Ham", unsure: "Unsure"}

type run struct {
	*Options
	*incoming.Database

	code    int // of the last message
	failed  bool
	changed int // messages learned or taken back
}

// Run executes a command line and returns its exit code. Without an answer it outputs a
// message unchanged.
func Run(ctx context.Context, o *Options, db *incoming.Database) int {
	r := &run{Options: o, Database: db}
	r.say(r.do(ctx))
	switch {
	case r.failed:
		return Trouble
	case o.Embed:
		return 0
	}
	return r.code
}

// say prints an error, after which the exit code is Trouble.
func (r *run) say(err error) {
	if err != nil {
		r.failed = true
		r.Complain(err)
	}
}

func (r *run) do(ctx context.Context) (err error) {
	if r.In != "" {
		in, err := os.Open(r.In)
		if err != nil {
			return err
		}
		defer in.Close()
		r.Stdin = in
	}
	if r.Out != "" && r.Pass { // else it stays empty
		out, err := os.Create(r.Out)
		if err != nil {
			return err
		}
		defer func() { r.say(out.Close()) }()
		r.Stdout = out
	}
	if r.Learn == "" && !r.Forget {
		return r.each(func(name string, m *incoming.Message) error { return r.classify(ctx, name, m) })
	}
	defer func() { r.counted(r.changed) }()
	return r.each(func(_ string, m *incoming.Message) error { return r.change(ctx, m) })
}

// counted says with -v how many messages were learned.
func (r *run) counted(n int) {
	switch {
	case !r.Options.Verbose:
	case n == 1:
		fmt.Fprintln(r.Stderr, "# 1 message")
	default:
		fmt.Fprintf(r.Stderr, "# %d messages\n", n)
	}
}

func (r *run) change(ctx context.Context, m *incoming.Message) error {
	err := r.Ask(func() error { return r.Teach(ctx, m, "bogofilter", r.Learn) })
	if err == nil {
		r.changed++
	}
	r.say(err)
	if r.Pass {
		return m.Unchanged(r.Stdout)
	}
	return nil
}

func (r *run) classify(ctx context.Context, name string, m *incoming.Message) error {
	write := func(w io.Writer) error { return nil }
	if r.Pass {
		write = m.Unchanged
	}
	r.say(r.Ask(func() error {
		a, err := r.Classify(ctx, m)
		if r.Update && errors.Is(err, store.ErrNotExist) { // a missing database has learned nothing
			a, err = backend.Answer{Unsure: true}, nil
		}
		if err != nil {
			return err
		}
		if r.code = class(&a); r.Pass {
			write = m.Edited([]header.Field{{Name: field, Value: value(&a)}}, forged)
		} else {
			write = func(w io.Writer) error { return r.print(w, name, &a) }
		}
		if r.Update && r.code != unsure {
			r.update(ctx, m)
		}
		return nil
	}))
	return write(r.Stdout)
}

// update learns a message as its answer. If that fails the answer is still printed.
func (r *run) update(ctx context.Context, m *incoming.Message) {
	if err := r.Teach(ctx, m, "auto", [...]string{spam: SpamClass, ham: hamClass}[r.code]); err != nil {
		r.Complain(fmt.Errorf("not learned: %w", err))
	} else {
		r.counted(1)
	}
}

// print prints the line about a message, if one was asked for. Some have the name of the input.
func (r *run) print(w io.Writer, name string, a *backend.Answer) (err error) {
	letter, p := names[class(a)][:1], spamicity(a)
	if name != "" && (r.Fixed > 0 || r.Options.Verbose && !r.Terse) {
		name += " "
	} else {
		name = ""
	}
	switch {
	case r.Fixed > 1:
		_, err = fmt.Fprintf(w, "%s%.16f\n", name, p)
	case r.Fixed == 1:
		_, err = fmt.Fprintf(w, "%s%s %.6g\n", name, letter, p)
	case r.Terse:
		_, err = fmt.Fprintf(w, "%s %.6f\n", letter, p)
	case r.Options.Verbose:
		_, err = fmt.Fprintf(w, "%s%s: %s\n", name, field, value(a))
	}
	return err
}

func class(a *backend.Answer) int {
	switch {
	case a.Unsure:
		return unsure
	case a.Spam:
		return spam
	}
	return ham
}

func spamicity(a *backend.Answer) float64 { return 1 / (1 + math.Exp2(-a.Score)) }

func value(a *backend.Answer) string {
	return fmt.Sprintf("%s, tests=bogofilter, spamicity=%.6f, version=polya", names[class(a)], spamicity(a))
}

func forged(name string) bool { return name == "x-bogosity" }

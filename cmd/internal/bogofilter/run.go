package bogofilter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/polya-classifier/polya/cmd/internal/incoming"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
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

// run is one run of the command.
type run struct {
	*Options
	*terminal.Streams
	*incoming.Asker
	complain func(error) // prints an error
	in       io.Reader
	out      io.Writer

	code    int // of the last message
	failed  bool
	changed int // messages learned or taken back
}

// Run executes a command line and returns its exit code. Without an answer it outputs a
// message unchanged.
func Run(ctx context.Context, o *Options, s *terminal.Streams, a *incoming.Asker, complain func(error)) int {
	r := &run{Options: o, Streams: s, Asker: a, complain: complain}
	err := r.do(ctx)
	if err != nil {
		complain(err)
	}
	switch {
	case err != nil || r.failed:
		return Trouble
	case o.Embed:
		return 0
	}
	return r.code
}

func (r *run) do(ctx context.Context) (err error) {
	in, err := r.input(r.Stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := r.output(r.Stdout)
	if err != nil {
		return err
	}
	r.in, r.out = in, out
	err = r.each(func(name string, m *incoming.Message) error {
		if r.Learn != "" || r.Forget {
			return r.change(ctx, m)
		}
		return r.classify(ctx, name, m)
	})
	if closed := out.Close(); err == nil {
		err = closed
	}
	if r.Learn != "" || r.Forget {
		r.counted(r.changed)
	}
	return err
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

// change learns a message or takes it back.
func (r *run) change(ctx context.Context, m *incoming.Message) error {
	err := r.Ask(func(b backend.Backend) (err error) {
		if r.Forget {
			_, err = b.Forget(ctx, m.Request("bogofilter"))
		} else {
			_, err = b.Learn(ctx, m.Request("bogofilter"), r.Learn)
		}
		return err
	})
	if err != nil {
		r.failed = true
		r.complain(err)
	} else {
		r.changed++
	}
	if r.Pass {
		return m.Unchanged(r.out)
	}
	return nil
}

// classify answers about a message.
func (r *run) classify(ctx context.Context, name string, m *incoming.Message) error {
	var a backend.Answer
	write := func(w io.Writer) error { return nil }
	if r.Pass {
		write = m.Unchanged
	}
	err := r.Ask(func(b backend.Backend) (err error) {
		a, err = b.Classify(ctx, m.Request(""), false)
		if r.Update && errors.Is(err, store.ErrNotExist) { // a missing database has learned nothing
			a, err = backend.Answer{Unsure: true}, nil
		}
		if err != nil {
			return err
		}
		r.code = class(&a)
		if r.Pass {
			write = m.Edited([]header.Field{{Name: field, Value: value(&a)}}, forged)
		} else {
			write = func(w io.Writer) error { return r.print(w, name, &a) }
		}
		if r.Update && r.code != unsure {
			r.update(ctx, b, m)
		}
		return nil
	})
	if err != nil {
		r.failed = true
		r.complain(err)
	}
	return write(r.out)
}

// update learns a message as its answer. If that fails the answer is still printed.
func (r *run) update(ctx context.Context, b backend.Backend, m *incoming.Message) {
	class := [...]string{spam: SpamClass, ham: hamClass}[r.code]
	if _, err := b.Learn(ctx, m.Request("auto"), class); err != nil {
		r.complain(fmt.Errorf("not learned: %w", err))
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

// class returns the exit code of an answer.
func class(a *backend.Answer) int {
	switch {
	case a.Unsure:
		return unsure
	case a.Spam:
		return spam
	}
	return ham
}

// spamicity returns the probability that the message is spam.
func spamicity(a *backend.Answer) float64 { return 1 / (1 + math.Exp2(-a.Score)) }

// value returns the value of the field.
func value(a *backend.Answer) string {
	return fmt.Sprintf("%s, tests=bogofilter, spamicity=%.6f, version=polya", names[class(a)], spamicity(a))
}

func forged(name string) bool { return name == "x-bogosity" }

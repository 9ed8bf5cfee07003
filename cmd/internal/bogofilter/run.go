package bogofilter

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/polya-classifier/polya/cmd/internal/incoming"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/store"
)

// Streams are what a command reads and writes.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Complain       func(error) // prints an error
}

// run is one run of the command.
type run struct {
	*Options
	Streams
	in      io.Reader
	out     io.Writer
	open    func() (backend.Backend, error)
	backend backend.Backend // nil until the first message is read

	code    int // of the last message
	failed  bool
	changed int // messages learned or taken back
}

// Run executes a command line and returns its exit code. Without an answer it outputs a
// message unchanged. It calls open after the first message was read.
func Run(ctx context.Context, o *Options, s Streams, open func() (backend.Backend, error)) int {
	r := &run{Options: o, Streams: s, open: open}
	if err := r.do(ctx); err != nil {
		s.Complain(err)
		return Trouble
	}
	switch {
	case r.failed:
		return Trouble
	case o.Embed:
		return 0
	}
	return r.code
}

func (r *run) do(ctx context.Context) (err error) {
	in, closeIn, err := r.input(r.Stdin)
	if err != nil {
		return err
	}
	defer closeIn()
	out, closeOut, err := r.output(r.Stdout)
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
	if closed := closeOut(); err == nil {
		err = closed
	}
	if r.Verbose && (r.Learn != "" || r.Forget) {
		fmt.Fprintf(r.Stderr, "# %s\n", messages(r.changed))
	}
	return err
}

func messages(n int) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}

// change learns a message or takes it back.
func (r *run) change(ctx context.Context, m *incoming.Message) error {
	err := r.guarded(func() error {
		if r.Forget {
			_, err := r.backend.Forget(ctx, m.Request("bogofilter"))
			return err
		}
		_, err := r.backend.Learn(ctx, m.Request("bogofilter"), r.Learn)
		return err
	})
	if err != nil {
		r.failed = true
		r.Complain(err)
	} else {
		r.changed++
		r.log(r.registered())
	}
	if r.Pass {
		return m.Unchanged(r.out)
	}
	return nil
}

// classify answers about a message.
func (r *run) classify(ctx context.Context, name string, m *incoming.Message) error {
	write := m.Unchanged
	err := r.guarded(func() error {
		a, err := r.ask(ctx, m)
		if err != nil {
			return err
		}
		r.code = class(&a)
		if r.Pass {
			write = m.Edited([]header.Field{{Name: Field, Value: value(&a)}}, forged)
		} else {
			r.print(name, &a)
		}
		r.log(fmt.Sprintf("%s: %s, spamicity=%.6f, version=polya", Field, names[r.code], spamicity(&a)))
		if r.Update && r.code != Unsure {
			r.update(ctx, m)
		}
		return nil
	})
	if err != nil {
		r.failed = true
		r.Complain(err)
	}
	if r.Pass {
		return write(r.out)
	}
	return nil
}

// ask returns the answer. With -u a missing database counts as one that has learned nothing.
func (r *run) ask(ctx context.Context, m *incoming.Message) (backend.Answer, error) {
	a, err := r.backend.Classify(ctx, m.Request(""), false)
	if r.Update && errors.Is(err, store.ErrNotExist) {
		return backend.Answer{Unsure: true}, nil
	}
	return a, err
}

// update learns a message as its answer. If that fails the answer is still printed.
func (r *run) update(ctx context.Context, m *incoming.Message) {
	class := [...]string{Spam: SpamClass, Ham: HamClass}[r.code]
	if _, err := r.backend.Learn(ctx, m.Request("auto"), class); err != nil {
		r.Complain(fmt.Errorf("not learned: %w", err))
	} else if r.Verbose {
		fmt.Fprintf(r.Stderr, "# %s\n", messages(1))
	}
}

func (r *run) print(name string, a *backend.Answer) {
	line, named := r.line(a)
	if named && name != "" {
		line = name + " " + line
	}
	if line != "" {
		fmt.Fprintln(r.out, line)
	}
}

// registered returns the system log's line about a message that was learned or forgotten.
func (r *run) registered() string {
	switch {
	case r.Learn == SpamClass:
		return "register-s, 1 message"
	case r.Learn == HamClass:
		return "register-n, 1 message"
	}
	return "unregister, 1 message"
}

func (r *run) log(line string) {
	if r.Syslog {
		toSyslog(line)
	}
}

func forged(name string) bool { return name == "x-bogosity" }

// guarded opens the backend and calls work. It returns a panic as an error.
func (r *run) guarded(work func() error) error {
	return incoming.Guarded(func() (err error) {
		if r.backend == nil {
			r.backend, err = r.open()
		}
		if err == nil {
			err = work()
		}
		return err
	})
}

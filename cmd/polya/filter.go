package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/bogofilter"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/incoming"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
)

// defaultSpam is the class of --is.
const defaultSpam = "spam"

type filterFlags struct {
	deciding
	exitCode, tempFail, bogofilter bool
}

func filterCommand(p *program) *cobra.Command {
	var f filterFlags
	cmd := &cobra.Command{
		Use:   "filter [--is CLASS] | filter --bogofilter OPTIONS",
		Short: "pass a message on with its class in the header",
		Example: `    polya filter < message.eml
    polya filter --exit-code < message.eml
    polya filter --bogofilter -p -e -u < message.eml`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.filter(cmd, &f, args) },
	}
	f.deciding.flags(p, cmd, "answer whether it is `CLASS`, and that only if it is surely so; '' answers\nthe most probable class")
	f.is = defaultSpam
	cmd.Flags().Lookup("is").DefValue = f.is
	cmd.Flags().BoolVar(&f.exitCode, "exit-code", false, "answer by exit code alone, as 'polya classify --is'")
	cmd.Flags().BoolVar(&f.tempFail, "tempfail", false, "on failure print nothing and end with exit code 75, for the mail server\nto try again")
	cmd.Flags().BoolVar(&f.bogofilter, "bogofilter", false, "stand in for bogofilter, with its options; goes first")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { // pflag stops at an error
		asked := func(flag string) bool { return slices.Contains(os.Args, flag) }
		f.exitCode, f.tempFail = f.exitCode || asked("--exit-code"), f.tempFail || asked("--tempfail")
		return p.misfiltered(&f, command.FlagError(cmd, err))
	})
	return cmd
}

// filter is a command that passes a message on. Whatever fails, the message is not lost.
func (p *program) filter(cmd *cobra.Command, f *filterFlags, args []string) error {
	switch {
	case f.bogofilter:
		return p.misfiltered(f, misuse(cmd, "--bogofilter goes first, as in 'polya filter --bogofilter -p -e'"))
	case len(args) > 0:
		return p.misfiltered(f, misuse(cmd, "filter reads standard input and takes no arguments, not %q", args[0]))
	}
	o, err := f.options(cmd)
	if err != nil {
		return p.misfiltered(f, err)
	}
	m, err := incoming.Read(p.Stdin, incoming.Limit())
	if err != nil {
		return p.notPassed(err)
	}
	// The daemon uses its own decision rule: another one needs the file.
	own := slices.ContainsFunc([]string{setting.Is, setting.FPR, setting.Threshold, setting.Cost}, cmd.Flags().Changed)
	asker := p.asker(o, !own)
	var pass func() error
	err = asker.Ask(func(b backend.Backend) error {
		a, err := b.Classify(cmd.Context(), m.Request(""), false)
		if err == nil {
			p.noteUnknown(cmd.Context(), b, o.Settings, &a)
			pass = p.passed(f, m, &a)
		}
		return err
	})
	if err != nil {
		return p.failed(f, m, p.filterError(err))
	}
	return pass()
}

// noteUnknown says that the class asked about may be mistyped: it makes every answer unsure.
func (p *program) noteUnknown(ctx context.Context, b backend.Backend, asked setting.Values, a *backend.Answer) {
	is := asked[setting.Is]
	if !a.Unsure || is == "" || is == defaultSpam {
		return
	}
	if classes, err := b.Classes(ctx, ""); err == nil && !slices.Contains(classes, is) {
		p.Complain(fmt.Errorf("no class %q, and so every message is unsure; 'polya class list' prints the classes", is))
	}
}

// options turns the flags into options of a Classifier.
func (f *filterFlags) options(cmd *cobra.Command) (classify.Options, error) {
	given := f.given(cmd)
	given[setting.Is] = f.is
	return classify.Options{Settings: given}, checkGiven(cmd, given)
}

// passed returns a function that passes m on with its answer or returns an exit code.
func (p *program) passed(f *filterFlags, m *incoming.Message, a *backend.Answer) func() error {
	if f.exitCode {
		v := verdict{is: f.is}
		v.add(a.Class, a.Unsure)
		return v.code
	}
	write := m.Edited([]header.Field{{Name: backend.ResultField, Value: a.Field()}}, header.Ours)
	return func() error { return p.notPassed(write(p.Stdout)) }
}

// misfiltered passes the message on although the command is not understood.
func (p *program) misfiltered(f *filterFlags, misuse error) error {
	if f.exitCode || f.tempFail || terminal.IsTerminal(p.Stdin) {
		return p.failed(f, nil, misuse)
	}
	m, err := incoming.Read(p.Stdin, incoming.Limit())
	if err != nil {
		return p.notPassed(err)
	}
	return p.failed(f, m, misuse)
}

// failed passes m on unchanged and says why, or asks for another try if a flag says so.
func (p *program) failed(f *filterFlags, m *incoming.Message, err error) error {
	switch {
	case f.tempFail:
		p.Complain(err)
		return answerCode(exitTempFail)
	case f.exitCode || m == nil:
		return err
	}
	p.Complain(err)
	return p.notPassed(m.Unchanged(p.Stdout))
}

// notPassed makes the caller keep the message if err is an error of reading or writing it.
func (p *program) notPassed(err error) error {
	if err == nil {
		return nil
	}
	p.Complain(err)
	return answerCode(exitTempFail)
}

// filterError adds advice to an error.
func (p *program) filterError(err error) error {
	path, pathErr := p.Path()
	if pathErr != nil {
		return err
	}
	return command.OpenError(path, err)
}

// asker returns what answers about single messages: the daemon, if it may be asked and is there,
// or the file.
func (p *program) asker(o classify.Options, daemon bool) *incoming.Asker {
	return &incoming.Asker{Open: func() (backend.Backend, error) {
		path, err := p.Path()
		if err != nil {
			return nil, err
		}
		db := &incoming.Database{Path: path, Asked: o, Open: p.OpenClassifier}
		timeout, err := p.Timeout()
		if daemon {
			db.Daemon = client.Of(path, cmp.Or(timeout, client.DefaultTimeout))
		}
		return db, err
	}}
}

// bogofilterArguments returns the options of bogofilter, if polya is called by a link of
// that name or by 'filter --bogofilter'. What stands before 'filter' names the database.
func bogofilterArguments(name string, args []string) (options []string, ok bool) {
	if strings.TrimSuffix(filepath.Base(name), ".exe") == "bogofilter" {
		return args, true
	}
	i := slices.Index(args, "filter")
	if i < 0 || i+1 == len(args) || args[i+1] != "--bogofilter" || i > 0 && !strings.HasPrefix(args[0], "--") {
		return nil, false
	}
	return slices.Concat(args[:i], args[i+2:]), true
}

// bogofilter stands in for bogofilter, and returns its exit code.
func (p *program) bogofilter(args []string) int {
	o, err := bogofilter.Parse(args)
	if err != nil {
		p.Complain(err)
		if o.Pass {
			m, err := incoming.Read(p.Stdin, incoming.Limit())
			if err == nil {
				err = m.Unchanged(p.Stdout)
			}
			if err != nil {
				p.Complain(err)
			}
		}
		return bogofilter.Trouble
	}
	switch {
	case o.Help:
		fmt.Fprint(p.Stdout, p.Text("bogofilter"))
		return 0
	case o.Version:
		fmt.Fprintf(p.Stdout, "%s\nin place of bogofilter version 1.2.5\n", p.Version())
		return 0
	}
	p.Database, p.Wait = o.Database, o.Wait
	if o.Folder != "" {
		p.Database = filepath.Join(o.Folder, "polya.db")
	}
	asker := p.asker(classify.Options{Settings: setting.Values{setting.Is: bogofilter.SpamClass}}, true)
	if o.Learn != "" || o.Update {
		open := asker.Open
		asker.Open = func() (backend.Backend, error) {
			if err := p.makeBogofilterFolder(&o); err != nil {
				return nil, err
			}
			return open()
		}
	}
	return bogofilter.Run(context.Background(), &o, p.Streams, asker, func(err error) { p.Complain(p.filterError(err)) })
}

// makeBogofilterFolder makes the folder of a database that is to be made, as bogofilter does.
func (p *program) makeBogofilterFolder(o *bogofilter.Options) error {
	if o.Folder != "" {
		return os.MkdirAll(o.Folder, 0o700)
	}
	path, err := p.Path()
	if err != nil {
		return err
	}
	return command.MakeDefaultFolder(path)
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/bogofilter"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/incoming"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
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
		return p.failed(&f, nil, command.FlagError(cmd, err))
	})
	return cmd
}

// filter is a command that passes a message on. Whatever fails, the message is not lost.
func (p *program) filter(cmd *cobra.Command, f *filterFlags, args []string) error {
	switch {
	case f.bogofilter:
		return p.failed(f, nil, command.Misuse(cmd, "--bogofilter goes first, as in 'polya filter --bogofilter -p -e'"))
	case len(args) > 0:
		return p.failed(f, nil, command.Misuse(cmd, "filter reads standard input and takes no arguments, not %q", args[0]))
	}
	db := &incoming.Database{Program: p.Program, Settings: f.given(cmd)}
	db.Alone = len(db.Settings) > 0 // the daemon uses its own decision rule: another one needs the file
	db.Settings[setting.Is] = f.is
	if err := checkGiven(cmd, db.Settings); err != nil {
		return p.failed(f, nil, err)
	}
	m, err := incoming.Read(p.Stdin, incoming.Limit())
	if err != nil {
		return p.notPassed(err)
	}
	var pass func() error
	err = db.Ask(func() error {
		a, err := db.Classify(cmd.Context(), m)
		if err == nil {
			if a.Unsure && f.is != "" && f.is != defaultSpam && !db.HasClass(f.is) { // it may be mistyped
				p.Complain(fmt.Errorf("no class %q, and so every message is unsure; 'polya class list' prints the classes", f.is))
			}
			pass = p.passed(f, m, &a)
		}
		return err
	})
	if err != nil {
		return p.failed(f, m, err)
	}
	return pass()
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

// pass passes the message on unchanged.
func (p *program) pass() error {
	m, err := incoming.Read(p.Stdin, incoming.Limit())
	if err != nil {
		return err
	}
	return m.Unchanged(p.Stdout)
}

// failed passes m on unchanged and says why, or asks for another try if a flag says so. m is nil if the
// command was not understood: somebody may have typed it.
func (p *program) failed(f *filterFlags, m *incoming.Message, err error) error {
	switch {
	case f.tempFail:
		return p.notPassed(err)
	case f.exitCode || m == nil && terminal.IsTerminal(p.Stdin):
		return err
	}
	p.Complain(err)
	if m == nil {
		return p.notPassed(p.pass())
	}
	return p.notPassed(m.Unchanged(p.Stdout))
}

// notPassed makes the caller keep the message if err is an error of reading or writing it.
func (p *program) notPassed(err error) error {
	if err == nil {
		return nil
	}
	p.Complain(err)
	return command.AnswerCode(command.TempFail)
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
			_ = p.notPassed(p.pass())
		}
		return bogofilter.Trouble
	}
	switch {
	case o.Help:
		p.Printf("%s", p.Text("bogofilter"))
		return p.Exit(p.Lost)
	case o.Version:
		p.Printf("%s\nin place of bogofilter version 1.2.5\n", p.Version())
		return p.Exit(p.Lost)
	}
	p.Database, p.Wait = o.Database, o.Wait
	if o.Folder != "" {
		p.Database = filepath.Join(o.Folder, "polya.db")
	}
	if o.Folder != "" && (o.Learn != "" || o.Update) {
		_ = os.MkdirAll(o.Folder, 0o700) // as bogofilter does; opening has the error
	}
	return bogofilter.Run(context.Background(), &o, &incoming.Database{Program: p.Program, Settings: setting.Values{setting.Is: bogofilter.SpamClass}})
}

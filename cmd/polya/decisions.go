package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
)

func decisionsCommand(p *program) *cobra.Command {
	user, limit := "", 20
	cmd := &cobra.Command{
		Use:   "decisions",
		Short: "print the last answers of the daemon, and teach it by them",
		Example: `    polya decisions -n 50
    polya decisions teach 5f0c21d9 spam`,
		Args: command.Known,
		RunE: func(*cobra.Command, []string) error { return p.decisions(user, limit) },
	}
	command.NumberFlag(cmd, &limit, "decisions", "n", 0, "print the last `N` decisions, 0 for all")
	cmd.Flags().StringVar(&user, "user", "", "print only those for user `NAME`")
	p.JSONFlag(cmd)
	cmd.AddCommand(teachCommand(p))
	return cmd
}

func teachCommand(p *program) *cobra.Command {
	user := ""
	cmd := &cobra.Command{
		Use:     "teach ID CLASS",
		Short:   "learn the message of a decision as CLASS",
		Example: "    polya decisions teach 5f0c21d9 spam",
		Args:    command.Needs(2, 2, "the id of a decision and a class"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkClassName(cmd, args[1]); err != nil {
				return err
			}
			return p.teach(user, args[0], args[1])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) != 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return p.completeClasses(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "teach what was answered for user `NAME`")
	return cmd
}

// askDaemon calls ask with a client of the daemon, and adds the database's path to errors.
func (p *program) askDaemon(timeout time.Duration, ask func(*client.Client) error) error {
	path := p.Path()
	if path == "" {
		return command.ErrNoPath
	}
	wait, err := p.Timeout()
	if err != nil {
		return err
	}
	daemon := client.Of(path, cmp.Or(wait, timeout))
	if daemon != nil {
		err = ask(daemon)
	}
	switch gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, backend.ErrUser); {
	case daemon == nil, errors.Is(err, client.ErrAbsent) && gone:
		return fmt.Errorf("no daemon serves %s; 'polyad serve' starts one, --db or POLYA_DB names another database", path)
	case err == nil:
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

// idDigits are the leading digits of ids that are printed: of 30,000 ids two begin with the same ones
// in one case of half a million.
const idDigits = 12

func (p *program) decisions(user string, limit int) error {
	var kept client.Decisions
	err := p.askDaemon(client.DefaultTimeout, func(c *client.Client) (err error) {
		kept, err = c.Decisions(user, limit)
		return err
	})
	if err != nil {
		return err
	}
	return terminal.Results(p.Streams, kept.Decisions, func() error {
		if len(kept.Decisions) == 0 {
			p.Note(errors.New("the daemon keeps no answers yet"))
			return nil
		}
		t := terminal.Table{Numeric: []bool{false, false, false, true}}
		t.Add("id", "time", "class", "probability", "user", "source", "sender", "subject")
		for _, d := range kept.Decisions {
			class := terminal.Printable(d.Class)
			if d.Unsure {
				class = "unsure"
			}
			t.Add(terminal.Printable(d.ID[:min(idDigits, len(d.ID))]), d.Time.Local().Format(time.DateTime), class,
				fmt.Sprintf("%.4f", d.Probability), terminal.OrDash(d.User), terminal.OrDash(d.Source), terminal.OrDash(d.Sender), terminal.OrDash(d.Subject))
		}
		return t.Write(p.Stdout)
	})
}

func (p *program) teach(user, id, class string) error {
	var done client.Trained
	err := p.askDaemon(command.HandoverTimeout, func(c *client.Client) (err error) {
		done, err = c.Teach(user, id, class, "decisions")
		return err
	})
	switch {
	case errors.Is(err, backend.ErrClass):
		_ = p.read(func(c *classify.Classifier) error { // who may teach may perhaps not read
			err = statistics.NoSuch(c.Store(), class)
			return nil
		})
		return err
	case errors.Is(err, backend.ErrDecision):
		return fmt.Errorf("%w of the id %q; 'polya decisions' lists them", err, id)
	case err != nil:
		return err
	}
	switch done.Outcome {
	case backend.Moved:
		p.Printf("moved from %s to %s\n", terminal.Printable(cmp.Or(done.From, strings.Join(done.FromTags, ","), "no tags")), terminal.Printable(class))
	case backend.Learned:
		p.Printf("learned\n")
	default:
		p.Printf("already learned\n")
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func checkCommand(p *program) *cobra.Command {
	repair := false
	var o store.Options
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "check the database for damage, and repair it",
		Example: "    polya check --db backup.polya\n    polya check --repair",
		Args:    command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.Analyzer != "" && !repair:
				return command.Misuse(cmd, "--analyzer is for --repair")
			case !repair:
				return p.check(cmd.Context(), nil)
			}
			return p.check(cmd.Context(), &o)
		},
	}
	p.JSONFlag(cmd)
	cmd.Flags().BoolVar(&repair, "repair", false, "rebuild a damaged database from what is left of it")
	analyzerFlag(cmd, &o.Analyzer, "`SPEC` of the analyzer, if the damaged file has lost it")
	return cmd
}

// checked is the result of 'polya check'. The numbers cover what it could read, which is
// less than everything if something is damaged.
type checked struct {
	Database string   `json:"database"`
	Problems []string `json:"problems"`
	store.Report
	Repaired *repaired `json:"repaired,omitempty"`
}

func (p *program) check(ctx context.Context, repair *store.Options) error {
	path := p.Path()
	c := &checked{Database: path, Problems: []string{}}
	switch err := c.look(ctx, p, path); {
	case repair != nil && errors.Is(err, store.ErrNotPolya) && !errors.Is(err, store.ErrEmpty):
		c.Problems = append(c.Problems, "start of the file is damaged") // or it never was a database
	case err != nil:
		return err
	}
	if len(c.Problems) > 0 && repair != nil {
		if err := p.repair(ctx, c, *repair); err != nil {
			return err
		}
	}
	if err := p.Result(c, func() error { p.printCheck(c); return nil }); err != nil {
		return err
	}
	if len(c.Problems) > 0 && (c.Repaired == nil || len(c.Repaired.Lost) > 0) {
		return command.AnswerCode(command.No)
	}
	return nil
}

// look checks the database. An error of opening or reading it is a problem like others.
func (c *checked) look(ctx context.Context, p *program, path string) error {
	problem := func(err error) {
		text := err.Error()
		if damaged, ok := errors.AsType[*store.CorruptError](err); ok {
			text = damaged.Error()
		}
		if !slices.Contains(c.Problems, text) {
			c.Problems = append(c.Problems, text)
		}
	}
	db, err := p.openStore(path)
	if err == nil {
		defer db.Close()
		c.Report, err = db.Check(ctx, problem)
	}
	if _, damaged := errors.AsType[*store.CorruptError](err); damaged {
		problem(err)
		return nil
	}
	if info, missing := os.Stat(path); errors.Is(err, store.ErrEmpty) && missing == nil && info.Size() > 0 {
		return nil // made, as by a process that was killed then
	}
	return command.OpenError(path, err)
}

func (p *program) printCheck(c *checked) {
	for _, problem := range c.Problems {
		p.Printf("%s\n", terminal.Printable(problem))
	}
	switch n := len(c.Problems); {
	case c.Repaired != nil:
		p.printRepaired(c.Database, c.Repaired)
	case n > 0:
		p.Printf("%s: %s; 'polya restore' brings a backup back, 'polya load' a dump, and 'polya check --repair' saves the documents of a full ledger\n", terminal.Printable(c.Database), terminal.Counted(n, "problem", "problems"))
	default:
		p.Printf("%s: ok; %s, %s, %s, %s, %s, %s\n", terminal.Printable(c.Database),
			terminal.Counted(c.Documents, "document", "documents"), terminal.Counted(c.Classes, "class", "classes"),
			terminal.Counted(c.Vocabulary, "term", "terms"), terminal.Counted(c.Tables, "count table", "count tables"),
			terminal.Counted(c.Records, "log record", "log records"), terminal.Counted(c.Entries, "ledger entry", "ledger entries"))
	}
}

// repaired is the result of 'polya check --repair'.
type repaired struct {
	Damaged   string   `json:"damaged"`
	Documents uint64   `json:"documents"`
	Rebuilt   []string `json:"rebuilt"`
	Lost      []string `json:"lost"`
	Missing   []string `json:"missing"`
}

func (p *program) repair(ctx context.Context, c *checked, o store.Options) error {
	wait := p.StartBar("repairing", 0)
	r, err := command.Alone(p.Program, c.Database, func(timeout time.Duration) (store.Repaired, error) {
		o.Timeout = timeout
		return store.Repair(ctx, c.Database, o)
	})
	wait.Done()
	if err != nil {
		return command.OpenError(c.Database, err)
	}
	if r.Damaged == "" { // somebody has repaired it meanwhile
		c.Problems = []string{}
		return nil
	}
	c.Repaired = &repaired{Damaged: r.Damaged, Documents: r.Documents, Rebuilt: append([]string{}, r.Rebuilt...), Lost: append([]string{}, r.Lost...), Missing: []string{}}
	for _, id := range r.Missing {
		c.Repaired.Missing = append(c.Repaired.Missing, id.String())
	}
	return nil
}

// fewMissing is how many lost documents are named. JSON names all.
const fewMissing = 20

func (p *program) printRepaired(path string, r *repaired) {
	for _, line := range r.Rebuilt {
		p.Printf("made anew: %s\n", terminal.Printable(line))
	}
	for _, line := range r.Lost {
		if strings.HasPrefix(line, "the name of class ") {
			line += ", which 'class rename' changes"
		}
		p.Printf("lost: %s\n", terminal.Printable(line))
	}
	for i, id := range r.Missing {
		if i == fewMissing {
			p.Printf("lost: %s more; --json names them all\n", terminal.Counted(len(r.Missing)-i, "document", "documents"))
			break
		}
		p.Printf("lost: document %s\n", id)
	}
	if len(r.Lost) > 0 {
		p.Printf("'polya calibrate' fits anew what was fitted to the counts\n")
	}
	p.Printf("%s: repaired, %s; the damaged file is %s\n", terminal.Printable(path), terminal.Counted(r.Documents, "document", "documents"), terminal.Printable(r.Damaged))
}

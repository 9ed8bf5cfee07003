package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

func dumpCommand(p *program) *cobra.Command {
	var ledger, force bool
	output := ""
	cmd := &cobra.Command{
		Use:   "dump",
		Short: "write the counts as text",
		Example: `    polya dump --ledger -o polya.dump
    polya dump --ledger | gzip > polya.dump.gz`,
		Args: command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := p.openToRead()
			if err != nil {
				return err
			}
			defer db.Close()
			write := func(w io.Writer) error { return db.Dump(cmd.Context(), w, ledger) }
			if output == "" || output == "-" {
				w := bufio.NewWriterSize(p.Stdout, 1<<16)
				if err := write(w); err != nil {
					return err
				}
				return w.Flush()
			}
			return outfile.Write(output, db.Path(), force, write)
		},
	}
	cmd.Flags().BoolVar(&ledger, "ledger", false, "write the ledger of documents too")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, when the dump is complete")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "replace FILE if it is there")
	return cmd
}

func loadCommand(p *program) *cobra.Command {
	var o classify.Options
	again := false
	cmd := &cobra.Command{
		Use:   "load FILE|-",
		Short: "add the counts of a dump",
		Example: `    polya load --db new.polya polya.dump
    gunzip -c polya.dump.gz | polya load --db new.polya -`,
		Args: command.Needs(1, 1, "the file of a dump (or -)"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.load(cmd, o, args[0], again) },
	}
	creatingFlags(cmd, &o)
	p.JSONFlag(cmd)
	cmd.Flags().BoolVar(&again, "again", false, "load it although it was loaded before")
	return cmd
}

func (p *program) load(cmd *cobra.Command, options classify.Options, path string, again bool) error {
	opened, err := p.openInput(path)
	if err != nil {
		return err
	}
	defer opened.Close()
	in, name := bufio.NewReaderSize(opened, 1<<16), reading.InputName(path)
	_, _ = in.Peek(1) // before others are kept from the database; an error comes again
	isNew := !command.Exists(p.Path())
	if options.Holds = classify.Either; options.Analyzer == "" && isNew {
		options.Analyzer, options.Holds = dumpHead(in)
	}
	db, err := p.OpenCreate(options)
	if err != nil {
		return err
	}
	defer closeCreated(db, isNew)
	before := statistics.Names(db.Store())
	bar := reading.NewBar(p.Streams, []string{path}, corpus.Options{})
	untracked := countUntracked(db)
	applied, err := db.Store().Load(cmd.Context(), again, io.TeeReader(in, bar))
	bar.Done()
	if errors.Is(err, store.ErrOverlap) {
		err = fmt.Errorf("%w; load it into a new database, and 'polya merge' that", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, orAgain(err))
	}
	p.reportAdding("loaded", db.Store(), applied, before)
	if countUntracked(db) > untracked && options.Store.Ledger != count.LedgerNone {
		p.Note(fmt.Errorf("%s: counts alone, as 'polya dump --ledger' was not asked for the documents: "+
			"what it holds can be neither forgotten nor moved, and nothing is calibrated on it", name))
	}
	return learning.Refit(cmd.Context(), p.Streams, db)
}

// orAgain says how to load the same dump again.
func orAgain(err error) error {
	if errors.Is(err, store.ErrLoaded) {
		err = fmt.Errorf("%w; --again adds it nevertheless", err)
	}
	return err
}

func (p *program) openInput(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(p.Stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", path, outfile.PlainError(err))
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: this is a folder; load takes the file of a dump", path)
	}
	return f, nil
}

// dumpHead returns the analyzer that the second line of a dump names, "" if it is not a
// dump, and whether the dump has classes or tags. It only peeks.
func dumpHead(in *bufio.Reader) (analyzer string, holds classify.Holds) {
	head, _ := in.Peek(1024)
	lines := strings.SplitN(string(head), "\n", 3)
	if len(lines) < 3 || !strings.HasPrefix(lines[0], "polya-dump\t") {
		return "", classify.Classes
	}
	if strings.HasSuffix(lines[0], "\ttags") {
		holds = classify.Tags
	}
	spec, _ := strings.CutPrefix(lines[1], "analyzer\t")
	return spec, holds
}

func (p *program) reportAdding(verb string, db *store.DB, a store.Applied, before []string) {
	statistics.Report(p.Streams, db, a, before, "%s %s, moved %s, already learned %s", verb,
		terminal.Counted(a.Learned, "document", "documents"), terminal.Grouped(a.Moved), terminal.Grouped(a.Already))
}

// countUntracked returns how many documents are not in the ledger.
func countUntracked(db *classify.Classifier) (n uint64) {
	classes, _ := db.Classes()
	for _, c := range classes {
		n += c.Untracked
	}
	return n
}

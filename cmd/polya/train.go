package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/internal/spelling"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type trainFlags struct {
	classify.Options
	documents command.Documents
	tagFlags
	folders, allTags bool
	observes         bool
	newClass, moves  bool
	dated            bool
	uncalibrated     bool
	source           string
}

func trainCommand(p *program) *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use:   "train CLASS PATH… | train --tag TAG… PATH… | train --folders DIR… | train FILE | train --labelled PATH…",
		Short: "learn documents as a class",
		Example: `    polya train spam ~/Maildir/.Junk
    polya train ham ~/Maildir
    polya train ham letter.eml archive.mbox.gz
    polya train --folders --exclude 'Lists.*' ~/Maildir
    polya train --class-column species iris.csv
    polya train --tag travel --tag family letter.eml`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.train(cmd, &f, args) },
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if f.folders || f.documents.Labelled || len(f.names) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return p.classArguments(1, cobra.ShellCompDirectiveDefault)(cmd, args, word)
		},
	}
	cmd.Flags().BoolVar(&f.folders, "folders", false, "each folder in DIR is a class")
	cmd.Flags().BoolVar(&f.documents.Labelled, "labelled", false, "each document states its class")
	f.tagFlags.flags(p, cmd)
	cmd.Flags().BoolVar(&f.allTags, "tags", false, "with --folders and --labelled: the class is a list of tags, separated by commas")
	f.common(p, cmd)
	f.documents.ColumnFlags(cmd)
	newClassFlag(cmd, &f.newClass)
	cmd.Flags().BoolVar(&f.moves, "move", false, "allow moving any number of documents from one class to another")
	return cmd
}

func observeCommand(p *program) *cobra.Command {
	f := trainFlags{observes: true}
	cmd := &cobra.Command{
		Use:     "observe PATH…",
		Short:   "learn documents without tags, as what tags are told from",
		Example: "    polya observe --subfolders ~/Maildir",
		Args:    command.Needs(1, -1, "a path"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.train(cmd, &f, args) },
	}
	f.common(p, cmd)
	return cmd
}

func (f *trainFlags) common(p *program, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.source, "source", "", "`NAME` of the source that teaches, for 'polya undo --source'")
	cmd.Flags().BoolVar(&f.dated, "dated", false, "enter each document in the ledger as learned at its own date")
	uncalibratedFlag(cmd, &f.uncalibrated)
	f.documents.Flags(p.Program, cmd)
	creatingFlags(cmd, &f.Options)
}

func (p *program) train(cmd *cobra.Command, f *trainFlags, args []string) error {
	class, paths, err := f.arguments(cmd, args)
	if err != nil {
		return err
	}
	options := f.Options
	options.Fitting = classify.FitByHand // Training.Fit does it, once
	if f.observes || f.allTags || len(f.names) > 0 {
		options.Holds = classify.Tags
	}
	open := func() (*classify.Classifier, error) { return p.OpenCreate(options) }
	return p.over(cmd, paths, &f.documents, open, func(db *classify.Classifier, r *reading.Reader) error {
		var err error
		switch ofTags := db.Store().Tags() || class == ""; {
		case f.newClass:
		case ofTags:
			err = f.tagFlags.checkNew(cmd, db.Store())
		default:
			err = checkNewClass(cmd, db.Store(), class, paths)
		}
		if err != nil {
			return err
		}
		t := learning.NewTraining(db, r, class)
		t.Source, t.Ledger, t.Moves = f.source, options.Store.Ledger, f.moves || db.Store().Tags()
		r.Folders, t.Dated, t.OnlyNew, t.Unfitted = f.folders, f.dated, f.observes, f.uncalibrated
		if made := db.Store().Ledger(); t.Keep() != made {
			p.Note(fmt.Errorf("%s was made with --ledger %s: --ledger %s applies only to documents that this training learns anew", r.Database, made, t.Keep()))
		}
		if err = p.learn(cmd.Context(), t, paths); t.Done() > 0 {
			err = cmp.Or(err, remember(cmd, db, r))
		}
		return err
	})
}

func (p *program) learn(ctx context.Context, t *learning.Training, paths []string) error {
	err := t.Run(ctx, paths)
	if err == nil || t.Done() > 0 {
		statistics.Learned(p.Streams, t.Classifier.Store(), t.Applied, t.Before)
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	t.Reader.Attributes.Note(p.Streams)
	if note := t.Repeats.Note(); note != "" && t.Keep() != count.LedgerNone { // without a ledger every document is learned
		p.Note(errors.New(note))
	}
	if t.Overruled > 0 {
		p.Note(fmt.Errorf("documents that state another class: %d; --labelled learns the stated one", t.Overruled))
	}
	if t.Undated > 0 {
		p.Note(fmt.Errorf("documents that have no date of their own, or one to come: %d; --dated enters them as learned now", t.Undated))
	}
	return cmp.Or(err, t.Fit())
}

func (f *trainFlags) arguments(cmd *cobra.Command, args []string) (class string, paths []string, err error) {
	ofTags := f.observes || len(f.names) > 0
	if len(args) == 1 && !ofTags && !f.folders {
		info, err := os.Stat(args[0])
		f.documents.Labelled = f.documents.Labelled || err == nil && !info.IsDir()
	}
	switch {
	case ofTags:
		if class, err = count.TagSet(f.names...); err != nil {
			return "", nil, command.Misuse(cmd, "--tag: %w", err)
		}
		if f.folders || f.documents.Labelled || f.allTags {
			return "", nil, command.Misuse(cmd, "train takes --tag, or --folders or --labelled with --tags")
		}
		return class, args, command.Needs(1, -1, "a path")(cmd, args)
	case f.allTags && !f.folders && !f.documents.Labelled:
		return "", nil, command.Misuse(cmd, "train --tags needs --folders or --labelled; --tag names a tag")
	case f.folders && f.documents.Labelled:
		return "", nil, command.Misuse(cmd, "train takes --folders or --labelled, not both")
	case f.folders || f.documents.Labelled:
		return "", args, command.Needs(1, -1, "a path")(cmd, args)
	case len(args) < 2:
		return "", nil, command.Misuse(cmd, "train needs a class and a path, --folders, or a file whose documents state their class")
	case args[0] == "-":
		return "", nil, command.Misuse(cmd, "train needs the class before -, which is standard input")
	}
	return args[0], args[1:], checkClassName(cmd, args[0])
}

func newClassFlag(cmd *cobra.Command, insists *bool) {
	cmd.Flags().BoolVar(insists, "new-class", false, "make CLASS although its name looks like a mistake")
}

// checkNewClass refuses a class that the database does not have and whose name is
// probably a path or a mistyped class. paths are the other arguments.
func checkNewClass(cmd *cobra.Command, db *store.DB, class string, paths []string) error {
	classes := statistics.Names(db)
	if slices.Contains(classes, class) {
		return nil
	}
	const insist = "; --new-class makes a class of that name"
	exists := command.Exists(class) && !slices.ContainsFunc(paths, func(path string) bool { return isIn(path, class) })
	if exists || strings.ContainsRune(class, '/') || strings.ContainsRune(class, filepath.Separator) {
		return command.Misuse(cmd, "%q is a path and no class yet, and %s wants a class before the paths%s", class, cmd.Name(), insist)
	}
	if meant := spelling.Meant(class, classes); meant != "" {
		return command.Misuse(cmd, "no class %q yet%s%s", class, meant, insist)
	}
	return nil
}

// isIn reports whether path is dir or in it, judging by their text: 'polya train spam
// spam/' is unambiguous.
func isIn(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// checkClassName refuses a class name, given as an argument, that nobody could read or
// type again. The store refuses other invalid names.
func checkClassName(cmd *cobra.Command, name string) error {
	if strings.TrimSpace(name) == "" {
		return command.Misuse(cmd, "class name %q: want one that is not empty", name)
	}
	if err := count.CheckClass(name); err != nil {
		return command.Misuse(cmd, "%w", err)
	}
	return nil
}

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/spelling"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

func relabelCommand(p *program) *cobra.Command {
	var f command.Documents
	var tags tagFlags
	var newClass, none bool
	cmd := &cobra.Command{
		Use:   "relabel CLASS PATH|ID… | relabel --tag TAG… PATH|ID…",
		Short: "move learned documents to another class, or give them other tags",
		Example: `    polya relabel ham newsletter.eml
    polya relabel --tag travel --tag family letter.eml
    polya relabel --no-tags letter.eml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if none && len(tags.names) > 0 {
				return misuse(cmd, "relabel takes --tag or --no-tags, not both")
			}
			if none || len(tags.names) > 0 {
				return p.retag(cmd, &f, &tags, newClass, args)
			}
			if err := needs(2, -1, "a class and the path or id of a document")(cmd, args); err != nil {
				return err
			}
			return p.relabel(cmd, &f, newClass, args[0], args[1:])
		},
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveDefault),
	}
	tags.flags(p, cmd)
	cmd.Flags().BoolVar(&none, "no-tags", false, "take all tags from the documents")
	newClassFlag(cmd, &newClass)
	f.Flags(p.Program, cmd)
	return cmd
}

// tagFlags holds the tags of documents.
type tagFlags struct{ names []string }

func (f *tagFlags) flags(p *program, cmd *cobra.Command) {
	command.RepeatedFlag(cmd, &f.names, "tag", "the documents have `TAG`; may be repeated. See 'polya help tags'")
	p.completeClassFlag(cmd, "tag")
}

// checkNew refuses a tag that the database does not have and that is probably mistyped.
func (f *tagFlags) checkNew(cmd *cobra.Command, db *store.DB) error {
	names := statistics.Names(db)
	for _, tag := range f.names {
		if meant := spelling.Meant(tag, names); meant != "" && !slices.Contains(names, tag) {
			return misuse(cmd, "no tag %q yet%s; --new-class makes a tag of that name", tag, meant)
		}
	}
	return nil
}

// retag replaces the tags of learned documents by the tags of the flags.
func (p *program) retag(cmd *cobra.Command, f *command.Documents, tags *tagFlags, isNew bool, args []string) error {
	if err := needs(1, -1, "the path or id of a document")(cmd, args); err != nil {
		return err
	}
	set, err := count.TagSet(tags.names...)
	if err != nil {
		return misuse(cmd, "--tag: %w", err)
	}
	return p.move(cmd, f, set, args, func(db *store.DB) error {
		switch {
		case !db.Tags():
			return command.OpenError(db.Path(), fmt.Errorf("%s: %w", db.Path(), classify.ErrHasClasses))
		case isNew:
			return nil
		}
		return tags.checkNew(cmd, db)
	})
}

func (p *program) relabel(cmd *cobra.Command, f *command.Documents, newClass bool, class string, args []string) error {
	if err := checkClassName(cmd, class); err != nil {
		return err
	}
	return p.move(cmd, f, class, args, func(db *store.DB) error {
		switch {
		case db.Tags():
			return command.OpenError(db.Path(), fmt.Errorf("%s: %w", db.Path(), classify.ErrHasTags))
		case newClass:
			return nil
		}
		if err := checkNewClass(cmd, db, class, args); err != nil || slices.Contains(statistics.Names(db), class) {
			return err
		}
		return fmt.Errorf("%w; --new-class makes it", statistics.NoSuch(db, class))
	})
}

// move moves documents to a class, unless check refuses it.
func (p *program) move(cmd *cobra.Command, f *command.Documents, class string, args []string, check func(*store.DB) error) error {
	var before []string
	named := func(db *store.DB) error {
		before = statistics.Names(db)
		return check(db)
	}
	return p.revise(cmd, f, args, false, class, named, func(r *learning.Revision) {
		statistics.Report(p.Streams, r.Classifier.Store(), r.Applied, statistics.NewSince(before), "moved %s, already there %s",
			terminal.Grouped(r.Applied.Moved), terminal.Grouped(r.Applied.Already))
	})
}

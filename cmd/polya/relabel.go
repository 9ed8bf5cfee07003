package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/spelling"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

func relabelCommand(p *program) *cobra.Command {
	var f command.Documents
	var tags tagFlags
	var newClass, none, yes bool
	cmd := &cobra.Command{
		Use:   "relabel CLASS PATH|ID… | relabel --tag TAG… PATH|ID…",
		Short: "move learned documents to another class, or give them other tags",
		Example: `    polya relabel ham newsletter.eml
    polya relabel --tag travel --tag family letter.eml
    polya relabel --no-tags letter.eml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if none && len(tags.names) > 0 {
				return command.Misuse(cmd, "relabel takes --tag or --no-tags, not both")
			}
			return p.relabel(cmd, &f, &tags, none || len(tags.names) > 0, newClass, yes, args)
		},
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveDefault),
	}
	tags.flags(p, cmd)
	cmd.Flags().BoolVar(&none, "no-tags", false, "take all tags from the documents")
	newClassFlag(cmd, &newClass)
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "move the documents of a folder, not only say how many they are")
	f.Flags(p.Program, cmd)
	return cmd
}

// tagFlags holds the tags of documents.
type tagFlags struct{ names []string }

func (f *tagFlags) flags(p *program, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.names, "tag", nil, "the documents have `TAG`; may be repeated. See 'polya help tags'")
	p.completeClassFlag(cmd, "tag")
}

// checkNew refuses a tag that the database does not have and that is probably mistyped.
func (f *tagFlags) checkNew(cmd *cobra.Command, db *store.DB) error {
	names := statistics.Names(db)
	for _, tag := range f.names {
		if meant := spelling.Meant(tag, names); meant != "" && !slices.Contains(names, tag) {
			return command.Misuse(cmd, "no tag %q yet%s; --new-class makes a tag of that name", tag, meant)
		}
	}
	return nil
}

// relabel moves learned documents to the class that args begin with or, if it retags, replaces
// their tags by those of the flags.
func (p *program) relabel(cmd *cobra.Command, f *command.Documents, tags *tagFlags, retags, isNew, yes bool, args []string) error {
	least, what := 2, "a class and the path or id of a document"
	if retags {
		least, what = 1, "the path or id of a document"
	}
	if err := command.Needs(least, -1, what)(cmd, args); err != nil {
		return err
	}
	class, documents := args[0], args[1:]
	if retags {
		set, err := count.TagSet(tags.names...)
		if err != nil {
			return command.Misuse(cmd, "--tag: %w", err)
		}
		class, documents = set, args
	} else if err := checkClassName(cmd, class); err != nil {
		return err
	}
	var before []string
	return p.revise(cmd, f, documents, false, yes, class, func(db *store.DB) error {
		before = statistics.Names(db)
		switch {
		case retags && !db.Tags():
			return command.OpenError(db.Path(), fmt.Errorf("%s: %w", db.Path(), classify.ErrHasClasses))
		case !retags && db.Tags():
			return command.OpenError(db.Path(), fmt.Errorf("%s: %w", db.Path(), classify.ErrHasTags))
		case isNew || !retags && slices.Contains(before, class):
			return nil
		case retags:
			return tags.checkNew(cmd, db)
		}
		if err := checkNewClass(cmd, db, class, documents); err != nil {
			return err
		}
		return fmt.Errorf("%w; --new-class makes it", statistics.NoSuch(db, class))
	}, func(db *store.DB, a store.Applied) {
		statistics.Report(p.Streams, db, a, before, "moved %s, already there %s",
			terminal.Grouped(a.Moved), terminal.Grouped(a.Already))
	})
}

package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/spelling"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type relabelFlags struct {
	command.Documents
	tagFlags
	newClass, noTags bool
}

// retags reports whether documents get other tags, not another class.
func (f *relabelFlags) retags() bool { return f.noTags || len(f.names) > 0 }

func relabelCommand(p *program) *cobra.Command {
	var f relabelFlags
	cmd := &cobra.Command{
		Use:   "relabel CLASS PATH|ID… | relabel --tag TAG… PATH|ID…",
		Short: "move learned documents to another class, or give them other tags",
		Example: `    polya relabel ham newsletter.eml
    polya relabel --tag travel --tag family letter.eml
    polya relabel --no-tags letter.eml`,
		RunE:              func(cmd *cobra.Command, args []string) error { return p.relabel(cmd, &f, args) },
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveDefault),
	}
	f.tagFlags.flags(p, cmd)
	cmd.Flags().BoolVar(&f.noTags, "no-tags", false, "take all tags from the documents")
	newClassFlag(cmd, &f.newClass)
	f.Documents.Flags(p.Program, cmd)
	return cmd
}

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

// relabel moves learned documents to the class that args begin with or, if the flags name tags,
// replaces their tags by these.
func (p *program) relabel(cmd *cobra.Command, f *relabelFlags, args []string) error {
	class, documents, err := f.arguments(cmd, args)
	if err != nil {
		return err
	}
	ids, paths := learning.Named(documents)
	return p.over(cmd, paths, &f.Documents, nil, func(db *classify.Classifier, r *reading.Reader) error {
		before := statistics.Names(db.Store())
		if err := f.check(cmd, db.Store(), class, documents); err != nil {
			return err
		}
		move := learning.Revision{Classifier: db, Reader: r, Class: class}
		err := move.Run(cmd.Context(), ids, paths)
		if err == nil || move.Done() > 0 {
			statistics.Report(p.Streams, db.Store(), move.Applied, before, "moved %s, already there %s",
				terminal.Grouped(move.Applied.Moved), terminal.Grouped(move.Applied.Already))
		}
		return err
	})
}

// arguments returns the class, or set of tags, and the paths and ids of the documents.
func (f *relabelFlags) arguments(cmd *cobra.Command, args []string) (class string, documents []string, err error) {
	switch {
	case f.noTags && len(f.names) > 0:
		return "", nil, command.Misuse(cmd, "relabel takes --tag or --no-tags, not both")
	case !f.retags():
		if err = command.Needs(2, -1, "a class and the path or id of a document")(cmd, args); err != nil {
			return "", nil, err
		}
		return args[0], args[1:], checkClassName(cmd, args[0])
	}
	if err = command.Needs(1, -1, "the path or id of a document")(cmd, args); err != nil {
		return "", nil, err
	}
	if class, err = count.TagSet(f.names...); err != nil {
		err = command.Misuse(cmd, "--tag: %w", err)
	}
	return class, args, err
}

// check refuses a database of the other kind, and a class or tag that it does not have.
func (f *relabelFlags) check(cmd *cobra.Command, db *store.DB, class string, documents []string) error {
	switch retags := f.retags(); {
	case retags && !db.Tags():
		return command.OpenError(db.Path(), fmt.Errorf("%s: %w", db.Path(), classify.ErrHasClasses))
	case !retags && db.Tags():
		return command.OpenError(db.Path(), fmt.Errorf("%s: %w", db.Path(), classify.ErrHasTags))
	case f.newClass || !retags && slices.Contains(statistics.Names(db), class):
		return nil
	case retags:
		return f.checkNew(cmd, db)
	}
	return cmp.Or(checkNewClass(cmd, db, class, documents), fmt.Errorf("%w; --new-class makes it", statistics.NoSuch(db, class)))
}

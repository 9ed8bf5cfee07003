package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

func classCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "class list | rename OLD NEW | merge FROM INTO | delete NAME",
		Short: "list, rename, merge or delete classes",
		Example: `    polya class rename junk spam
    polya class merge hma ham
    polya class delete --yes test`,
		Args: command.Known,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return command.Misuse(cmd, "class needs one of list, rename, merge and delete")
		},
	}
	cmd.AddCommand(classListCommand(p), classRenameCommand(p), classMergeCommand(p), classDeleteCommand(p))
	return cmd
}

func classListCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "print the classes and what they hold",
		Example: "    polya class list --json",
		Args:    command.Needs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			i, err := p.statistics("")
			switch {
			case err != nil:
				return err
			case i.Tags != nil:
				return terminal.Results(p.Streams, i.Tags, func() error { return i.PrintTags(p.Streams) })
			}
			return terminal.List(p.Streams, i.Classes)
		},
	}
	p.JSONFlag(cmd)
	return cmd
}

func classRenameCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "rename OLD NEW",
		Short:   "give a class another name",
		Example: "    polya class rename junk spam",
		Args:    command.Needs(2, 2, "the old and the new name of a class"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkClassName(cmd, args[1]); err != nil {
				return err
			}
			return p.change(func(c *classify.Classifier) error {
				err := tags.RenameClass(cmd.Context(), c.Store(), args[0], args[1])
				switch {
				case errors.Is(err, store.ErrNoClass):
					return statistics.NoSuch(c.Store(), args[0])
				case err == nil:
					p.Printf("%s: renamed %s to %s\n", terminal.Printable(c.Store().Path()), terminal.Printable(args[0]), terminal.Printable(args[1]))
				}
				return err
			})
		},
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveNoFileComp),
	}
}

func classDeleteCommand(p *program) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:               "delete NAME",
		Short:             "forget a class with all its documents",
		Example:           "    polya class delete --yes test",
		Args:              command.Needs(1, 1, "the name of a class"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.deleteClass(cmd.Context(), args[0], yes) },
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "delete it, not only say how many documents it has")
	return cmd
}

func (p *program) deleteClass(ctx context.Context, name string, yes bool) error {
	open := p.read // a dry run keeps nobody else from the database
	if yes {
		open = p.change
	}
	return open(func(c *classify.Classifier) error {
		db := c.Store()
		all, err := c.Classes() // it may have no documents
		class, missing := statistics.Class(db, name)
		if missing != nil && (err != nil || count.ClassNamed(all, name) < 0) {
			return missing
		}
		with := terminal.Counted(class.Docs, "document", "documents")
		does, did := "forget class %s with %s", "deleted class %s with %s"
		if db.Tags() {
			does, did = "take tag %s from %s", "took tag %s from %s"
		}
		if !yes {
			return fmt.Errorf("%s: "+does+"? say --yes", db.Path(), name, with)
		}
		if err := tags.DeleteClass(ctx, db, name); err != nil {
			return err
		}
		p.Printf("%s: "+did+"; %s\n", terminal.Printable(db.Path()), terminal.Printable(name), with, statistics.Now(db, nil))
		return nil
	})
}

func classMergeCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:               "merge FROM INTO",
		Short:             "move all documents of a class to another",
		Example:           "    polya class merge hma ham",
		Args:              command.Needs(2, 2, "the class to move from and the one to move into"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.mergeClass(cmd.Context(), args[0], args[1]) },
		ValidArgsFunction: p.classArguments(2, cobra.ShellCompDirectiveNoFileComp),
	}
}

func (p *program) mergeClass(ctx context.Context, from, into string) error {
	if from == into {
		return fmt.Errorf("class %s cannot be merged with itself; name another", terminal.Printable(from))
	}
	return p.change(func(c *classify.Classifier) error {
		db := c.Store()
		class, err := statistics.Class(db, from)
		if err != nil {
			return err
		}
		if _, err := statistics.Class(db, into); err != nil {
			return fmt.Errorf("%w, and 'polya class rename' gives one another name", err)
		}
		if err = tags.MergeClass(ctx, db, from, into); err != nil {
			return err
		}
		p.Printf("%s: moved %s of %s to %s; %s\n", terminal.Printable(db.Path()), terminal.Counted(class.Docs, "document", "documents"),
			terminal.Printable(from), terminal.Printable(into), statistics.Now(db, nil))
		return learning.Refit(ctx, p.Streams, c)
	})
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
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
			return misuse(cmd, "class needs one of list, rename, merge and delete")
		},
	}
	cmd.AddCommand(classListCommand(p), classRenameCommand(p), classMergeCommand(p), classDeleteCommand(p))
	return cmd
}

func classListCommand(p *program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "print the classes and what they hold",
		Example: "    polya class list --json",
		Args:    needs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			i, err := p.statistics("")
			if err != nil || p.Quiet {
				return err
			}
			switch {
			case i.Tags != nil && asJSON:
				return terminal.EachJSON(p.Streams, i.Tags)
			case i.Tags != nil:
				return i.PrintTags(p.Streams)
			case asJSON:
				return terminal.EachJSON(p.Streams, i.Classes)
			}
			return statistics.PrintClasses(p.Streams, i.Classes)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func classRenameCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "rename OLD NEW",
		Short:   "give a class another name",
		Example: "    polya class rename junk spam",
		Args:    needs(2, 2, "the old and the new name of a class"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkClassName(cmd, args[1]); err != nil {
				return err
			}
			return p.change(func(c *classify.Classifier) error {
				err := learning.RenameClass(cmd.Context(), c, args[0], args[1])
				if err == nil {
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
		Example:           "    polya class delete test",
		Args:              needs(1, 1, "the name of a class"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.deleteClass(cmd.Context(), args[0], yes) },
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (p *program) deleteClass(ctx context.Context, name string, yes bool) error {
	// Ask without holding the database, which others may need meanwhile.
	docs, path, tags, err := p.classDocuments(name)
	if err != nil {
		return err
	}
	if !yes && !p.DryRun {
		question := "%s: forget class %s with %s?"
		if tags {
			question = "%s: take tag %s from %s?"
		}
		question = fmt.Sprintf(question, terminal.Printable(path), terminal.Printable(name), terminal.Counted(int(docs), "document", "documents"))
		if err := p.confirm(question); err != nil {
			return err
		}
	}
	return p.change(func(c *classify.Classifier) error {
		if err := learning.DeleteClass(ctx, c, name); err != nil {
			return err
		}
		p.Printf("%s: deleted class %s with %s; %s\n", terminal.Printable(path), terminal.Printable(name), terminal.Counted(int(docs), "document", "documents"), statistics.Now(c.Store(), nil))
		return nil
	})
}

func (p *program) classDocuments(name string) (docs uint64, path string, tags bool, err error) {
	err = p.read(func(c *classify.Classifier) error {
		path, tags = c.Store().Path(), c.Store().Tags()
		class, err := statistics.Class(c.Store(), name)
		if err == nil {
			docs = class.Docs
			return nil
		}
		return c.Store().View(func(s *store.Snapshot) error {
			if s.Class(name) == nil {
				return err
			}
			return nil // it has no documents
		})
	})
	return docs, path, tags, err
}

// confirm asks a question on the terminal; any answer but yes is an error.
func (p *program) confirm(question string) error {
	if !terminal.IsTerminal(p.Stdin) {
		return fmt.Errorf("%s say --yes", question)
	}
	fmt.Fprintf(p.Stderr, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(p.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return answerCode(exitNo)
}

func classMergeCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:               "merge FROM INTO",
		Short:             "move all documents of a class to another",
		Example:           "    polya class merge hma ham",
		Args:              needs(2, 2, "the class to move from and the one to move into"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.mergeClass(cmd.Context(), args[0], args[1]) },
		ValidArgsFunction: p.classArguments(2, cobra.ShellCompDirectiveNoFileComp),
	}
}

func (p *program) mergeClass(ctx context.Context, from, into string) error {
	if from == into {
		return fmt.Errorf("class %s cannot be merged with itself; name another", terminal.Printable(from))
	}
	c, err := p.openWrite(classify.Options{Holds: classify.Either})
	if err != nil {
		return err
	}
	defer c.Close()
	db := c.Store()
	class, err := statistics.Class(db, from)
	if err != nil {
		return err
	}
	if _, err := statistics.Class(db, into); err != nil {
		return fmt.Errorf("%w, and 'polya class rename' gives one another name", err)
	}
	err = learning.MergeClass(ctx, c, from, into)
	if errors.Is(err, store.ErrNoClass) { // another process was faster
		return fmt.Errorf("%w; 'polya class list' prints the classes", err)
	}
	if err != nil {
		return err
	}
	p.Printf("%s: moved %s of %s to %s; %s\n", terminal.Printable(db.Path()), terminal.Counted(int(class.Docs), "document", "documents"),
		terminal.Printable(from), terminal.Printable(into), statistics.Now(db, nil))
	return learning.Refit(ctx, p.Streams, c)
}

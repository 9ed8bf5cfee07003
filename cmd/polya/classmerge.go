package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
	"github.com/polya-classifier/polya/cmd/polya/internal/learning"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func classMergeCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "merge FROM INTO",
		Short:   "move all documents of a class to another",
		Example: "    polya class merge hma ham",
		Args:    needs(2, 2, "the class to move from and the one to move into"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.mergeClass(cmd.Context(), args[0], args[1]) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return p.completeClass(nil)
		},
	}
}

func (p *program) mergeClass(ctx context.Context, from, into string) error {
	if from == into {
		return fmt.Errorf("class %s cannot be merged with itself; name another", terminal.Printable(from))
	}
	c, err := p.openWrite(classify.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	db := c.Store()
	class := holdings.Class(db, from)
	if class == nil {
		return holdings.NoSuchClass(db.Path(), from)
	}
	if holdings.Class(db, into) == nil {
		return fmt.Errorf("%w, and 'polya class rename' gives one another name", holdings.NoSuchClass(db.Path(), into))
	}
	err = db.MergeClass(from, into)
	if errors.Is(err, store.ErrNoClass) { // another process was faster
		return fmt.Errorf("%w; 'polya class list' prints the classes", err)
	}
	if err != nil {
		return err
	}
	p.Printf("%s: moved %s of %s to %s; %s\n", terminal.Printable(db.Path()), terminal.Counted(int(class.Docs), "document", "documents"),
		terminal.Printable(from), terminal.Printable(into), holdings.Now(db, nil))
	return learning.Refit(ctx, p.Streams, c)
}

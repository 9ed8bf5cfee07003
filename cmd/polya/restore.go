package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

const restoreHelp = `Check BACKUP, a file that 'polya backup' has written, and put a copy of it in the
place of the database, in one step. What was there stays beside it, with .replaced
at the end of its name. This is refused while a program has the database open: what
that learned afterwards would be lost.`

func restoreCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "restore BACKUP",
		Short:   "bring a backup back",
		Long:    restoreHelp,
		Example: "    polya restore polya.backup",
		Args:    needs(1, 1, "a file that 'polya backup' has written"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.restore(cmd.Context(), args[0]) },
	}
}

func (p *program) restore(ctx context.Context, backup string) error {
	path, err := p.databasePath()
	if err != nil {
		return err
	}
	if err := makeDefaultFolder(path); err != nil {
		return err
	}
	var patience store.Options
	if err := p.waiting.options(&patience); err != nil {
		return err
	}
	size := int64(0)
	if info, err := os.Stat(backup); err == nil {
		size = info.Size()
	}
	wait := p.NewWait("restoring", size)
	r, err := opened(p, path, func() (store.Restored, error) {
		return store.Restore(ctx, path, backup, store.RestoreOptions{Timeout: patience.Timeout})
	})
	wait.Done()
	switch {
	case errors.Is(err, store.ErrNotExist):
		return fmt.Errorf("%s: no such file to restore", backup)
	case errors.Is(err, store.ErrNotPolya):
		return err
	case err != nil:
		return openError(path, err)
	}
	p.Printf("%s: restored from %s, %s, %s bytes", terminal.Printable(path), terminal.Printable(backup), terminal.Counted(r.Documents, "document", "documents"), terminal.Grouped(r.Bytes))
	if r.Before != "" {
		p.Printf("; what was there is now %s", terminal.Printable(r.Before))
	}
	p.Printf("\n")
	return nil
}

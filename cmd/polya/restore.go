package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func restoreCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "restore BACKUP",
		Short:   "bring a backup back",
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
	timeout, err := p.waiting.timeout()
	if err != nil {
		return err
	}
	wait := p.NewFileWait("restoring", backup)
	r, err := opened(p, path, func() (store.Restored, error) {
		return store.Restore(ctx, path, backup, store.Options{Timeout: timeout})
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

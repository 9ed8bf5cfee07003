package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func backupCommand(p *program) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "backup FILE|-",
		Short: "copy the database",
		Example: `    polya backup polya.backup
    polya backup - | ssh host 'cat > polya.db'`,
		Args: command.Needs(1, 1, "a file to write, or -"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.backup(cmd.Context(), args[0], force) },
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "replace FILE if it is there")
	return cmd
}

func (p *program) backup(ctx context.Context, output string, force bool) error {
	db, err := p.openToRead()
	if err != nil {
		return err
	}
	defer db.Close()
	copied := func(w io.Writer) (int64, error) {
		if _, err := db.Check(ctx, nil); err != nil {
			return 0, fmt.Errorf("not copied: %w", err)
		}
		return db.Backup(ctx, w)
	}
	if output == "-" {
		if terminal.IsTerminal(p.Stdout) {
			return errors.New("a database is not for a terminal; name a file, or send it to another program")
		}
		_, err := copied(p.Stdout)
		return err
	}
	size, wait := int64(0), p.StartBar("copying", 0)
	err = outfile.Write(output, db.Path(), force, func(w io.Writer) (err error) {
		size, err = copied(w)
		return err
	})
	wait.Done()
	if err != nil {
		return err
	}
	p.Printf("%s: copied to %s, %s bytes\n", terminal.Printable(db.Path()), terminal.Printable(output), terminal.Grouped(size))
	return nil
}

func restoreCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "restore BACKUP",
		Short:   "bring a backup back",
		Example: "    polya restore polya.backup",
		Args:    command.Needs(1, 1, "a file that 'polya backup' has written"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.restore(cmd.Context(), args[0]) },
	}
}

func (p *program) restore(ctx context.Context, backup string) error {
	path := p.Path()
	if err := command.MakeDefaultFolder(path); err != nil {
		return err
	}
	r, err := p.replace(ctx, path, backup)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return fmt.Errorf("%s: no such file to restore", backup)
	case errors.Is(err, store.ErrNotPolya):
		return fmt.Errorf("%w; 'polya load' reads a dump", err)
	case err != nil:
		return command.OpenError(path, err)
	}
	p.Printf("%s: restored from %s, %s, %s bytes%s\n", terminal.Printable(path), terminal.Printable(backup),
		terminal.Counted(r.Documents, "document", "documents"), terminal.Grouped(r.Bytes), replaced(r.Before))
	return nil
}

func (p *program) replace(ctx context.Context, path, by string) (store.Restored, error) {
	wait := p.StartBar("restoring", 0)
	defer wait.Done()
	return command.Alone(p.Program, path, func(timeout time.Duration) (store.Restored, error) {
		return store.Restore(ctx, path, by, store.Options{Timeout: timeout})
	})
}

// replaced says where the file is that replace has replaced.
func replaced(before string) string {
	if before == "" {
		return ""
	}
	return "; what was there is now " + terminal.Printable(before)
}

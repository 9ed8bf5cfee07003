package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/outfile"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

func backupCommand(p *program) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "backup FILE|-",
		Short: "copy the database",
		Example: `    polya backup polya.backup
    polya backup - | ssh host 'cat > polya.db'`,
		Args: needs(1, 1, "a file to write, or -"),
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
	if output == "-" {
		if terminal.IsTerminal(p.Stdout) {
			return errors.New("a database is not for a terminal; name a file, or send it to another program")
		}
		_, err := db.Backup(ctx, p.Stdout)
		return err
	}
	size, err := db.Size()
	if err != nil {
		return err
	}
	bar := p.NewByteBar(size)
	err = outfile.Write(output, db.Path(), force, func(w io.Writer) (err error) {
		size, err = db.Backup(ctx, io.MultiWriter(w, bar))
		return err
	})
	bar.Done()
	if err != nil {
		return err
	}
	p.Printf("%s: copied to %s, %s bytes\n", terminal.Printable(db.Path()), terminal.Printable(output), terminal.Grouped(size))
	return nil
}

package main

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/outfile"
)

func dumpCommand(p *program) *cobra.Command {
	var ledger, force bool
	output := ""
	cmd := &cobra.Command{
		Use:   "dump",
		Short: "write the counts as text",
		Example: `    polya dump --ledger -o polya.dump
    polya dump --ledger | gzip > polya.dump.gz`,
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := p.openToRead()
			if err != nil {
				return err
			}
			defer db.Close()
			write := func(w io.Writer) error { return db.Dump(cmd.Context(), w, ledger) }
			if output == "" || output == "-" {
				w := bufio.NewWriterSize(p.Stdout, 1<<16)
				if err := write(w); err != nil {
					return err
				}
				return w.Flush()
			}
			return outfile.Write(output, db.Path(), force, write)
		},
	}
	cmd.Flags().BoolVar(&ledger, "ledger", false, "write the ledger of documents too")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, when the dump is complete")
	cmd.Flags().BoolVarP(&force, "force", "f", false, "replace FILE if it is there")
	return cmd
}

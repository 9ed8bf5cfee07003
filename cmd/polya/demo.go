package main

import (
	"cmp"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/testdata"
)

func demoCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "show how it works on sample mail",
		Example: "    polya demo",
		Args:    command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := outfile.TempFolder("polya-demo-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			if err := cmp.Or(os.CopyFS(dir, testdata.Mail), os.Chdir(dir)); err != nil {
				return err
			}
			defer os.Chdir(os.TempDir()) // Windows removes no current folder
			quiet := p.Quiet
			for _, shown := range shownCommands {
				args := append([]string{"--db", "demo.db"}, shown.args...)
				p.Printf("# %s:\n$ polya %s\n", shown.why, terminal.ShellWords(args...))
				if quiet {
					args = append(args, "--quiet")
				}
				root := p.root(args)
				root.SetArgs(slices.Clone(args))
				if err := root.ExecuteContext(cmd.Context()); err != nil {
					return err
				}
				p.Printf("\n")
			}
			p.Printf("%s", whatNext[1:])
			return nil
		},
	}
}

// shownCommands are what the demo runs in a folder of sample mail.
var shownCommands = []struct {
	why  string
	args []string
}{
	{"Learn some mail, of which each folder is a class", []string{"train", "--folders", "mail/train"}},
	{"Ask about mail that it has not seen before, in folders of its class", []string{"classify", "mail/held/spam", "mail/held/work"}},
	{"Ask why", []string{"explain", "-n", "5", "mail/held/spam/003.eml"}},
}

const whatNext = `
What to do next, with mail of your own:

    polya train spam ~/Maildir/.Junk       learn a folder, an mbox or a file
    polya train ham ~/Maildir
    polya classify message.eml             ask about a message
    polya explain message.eml              ask why
    polya help                             all commands
`

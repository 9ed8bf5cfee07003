// Polya-lab studies what polya has learned: event models of the textbooks with all their
// parameters, baselines and curves, language models, and what can be learned from a few
// examples. See 'polya-lab help' and docs/textbook.md.
package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// texts has the text of each command in a file of its name.
//
//go:embed help/*.txt
var texts embed.FS

// lab is the state that all commands share.
type lab struct {
	*terminal.Streams
	database string // of --db
}

func main() {
	l := &lab{Streams: &terminal.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}}
	if err := l.root().Execute(); err != nil {
		l.complain(err)
		os.Exit(3)
	}
}

// complain prints what went wrong, a line for each error.
func (l *lab) complain(err error) {
	var many reading.Troubles
	if !errors.As(err, &many) {
		many = reading.Troubles{err}
	}
	for _, err := range many {
		fmt.Fprintf(l.Stderr, "polya-lab: %s\n", terminal.Printable(strings.ReplaceAll(err.Error(), "\n", "; ")))
	}
}

func (l *lab) root() *cobra.Command {
	root := &cobra.Command{
		Use: "polya-lab", Short: "study event models and concepts with what polya has learned",
		SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&l.database, "db", "", "database `FILE`")
	flags.BoolVarP(&l.Quiet, "quiet", "q", false, "print no results and no notes, only errors")
	root.SetOut(l.Stdout)
	root.SetErr(l.Stderr)
	root.AddCommand(evalCommand(l), classifyCommand(l), explainCommand(l), languageCommand(l), estimateCommand(l),
		sharesCommand(l), similarCommand(l), ruleCommand(l), gameCommand(l), posteriorCommand(l))
	for _, c := range root.Commands() {
		text, _ := texts.ReadFile("help/" + c.Name() + ".txt")
		c.Long = strings.TrimSpace(string(text))
	}
	return root
}

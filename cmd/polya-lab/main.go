// Polya-lab studies what polya has learned: event models of the textbooks with all their
// parameters, baselines and curves, language models, and what can be learned from a few
// examples. See 'polya-lab help' and docs/textbook.md.
package main

import (
	"embed"
	"os"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
)

// texts has the text of each command in a file of its name.
//
//go:embed help/*.txt
var texts embed.FS

// lab is the state that all commands share.
type lab struct{ *command.Program }

func main() {
	l := &lab{command.New("polya-lab", texts)}
	os.Exit(l.Execute(l.root(), os.Args[1:]))
}

func (l *lab) root() *cobra.Command {
	root := l.Root("study event models and concepts with what polya has learned")
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { l.Listen(cmd) }
	root.AddCommand(evalCommand(l), classifyCommand(l), explainCommand(l), languageCommand(l), estimateCommand(l),
		sharesCommand(l), similarCommand(l), ruleCommand(l), gameCommand(l), posteriorCommand(l))
	return root
}

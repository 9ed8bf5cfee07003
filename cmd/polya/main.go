// Polya sorts mail and other documents into classes that it learns from
// examples, and keeps what it has learned in one file. See 'polya help'.
package main

import (
	"embed"
	"os"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
)

// program is the state that all commands share.
type program struct{ *command.Program }

func main() {
	growStack()
	p, args := &program{command.New("polya", helpTexts)}, os.Args[1:]
	if options, ok := bogofilterArguments(os.Args[0], args); ok {
		os.Exit(p.bogofilter(options))
	}
	os.Exit(p.Execute(p.root(args), args))
}

func (p *program) root(args []string) *cobra.Command {
	root := p.Root("sort mail and other documents into classes learned from examples")
	root.PersistentPreRun = p.listen
	commands := p.commands(args)
	root.AddCommand(commands...)
	if len(commands) == len(commandMakers()) {
		root.AddCommand(topics()...)
	}
	return root
}

// helpTexts has the text of each command and topic in a file of its name:
// help/class-merge.txt for class merge.
//
//go:embed help/*.txt
var helpTexts embed.FS

// topics returns the topics of 'polya help' beside the commands, as commands that cannot be
// run.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "analyzer", Aliases: []string{"analyser", "spec"}, Short: "how documents become terms: the settings of --analyzer"},
		{Use: "flags", Aliases: []string{"flag", "exit"}, Short: "the flags of every command, the database, and exit codes"},
		{Use: "models", Aliases: []string{"model"}, Short: "the event models and their parameters"},
		{Use: "paths", Aliases: []string{"path", "formats", "format", "maildir", "mbox"}, Short: "how files, folders and standard input are read"},
		{Use: "tags", Aliases: []string{"tag", "labels"}, Short: "several tags for a document, in place of one class"},
		{Use: "values", Aliases: []string{"value", "attr", "attrs", "attribute", "table", "tables", "csv"}, Short: "attributes: named values of documents beside their words"},
	}
}

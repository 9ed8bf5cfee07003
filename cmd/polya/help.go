package main

import (
	"embed"

	"github.com/spf13/cobra"
)

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
		{Use: "values", Aliases: []string{"value", "attr", "attrs", "attribute"}, Short: "attributes: named values of documents beside their words"},
	}
}

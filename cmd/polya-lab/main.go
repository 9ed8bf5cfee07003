// Polya-lab studies what polya has learned: event models of the textbooks with all their
// parameters, baselines and curves, language models, and what can be learned from a few
// examples. See 'polya-lab help' and docs/textbook.md.
package main

import (
	"embed"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
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
	root.AddCommand(evalCommand(l), classifyCommand(l), languageCommand(l),
		sharesCommand(l), similarCommand(l), ruleCommand(l), gameCommand(l), posteriorCommand(l))
	return root
}

func (l *lab) flags(cmd *cobra.Command, d *command.Documents) {
	d.WalkFlags(cmd)
	d.ColumnFlags(cmd)
}

func (l *lab) with(o classify.Options, do func(*classify.Classifier) error) error {
	o.Store.ReadOnly = true
	return l.With(o, do)
}

// over opens the database, and calls do with it and a reader of documents.
func (l *lab) over(cmd *cobra.Command, d *command.Documents, o classify.Options, do func(*classify.Classifier, *reading.Reader) error) error {
	walk, err := d.Walk(l.Program, cmd)
	if err != nil {
		return err
	}
	return l.with(o, func(c *classify.Classifier) error {
		r := &reading.Reader{Streams: l.Streams, Options: walk, Analyzer: c.Analyzer(), Database: c.Store().Path()}
		if r.Attributes, err = d.Attributes(cmd, c.Store()); err == nil {
			err = do(c, r)
		}
		if errors.Is(err, classify.ErrNoDocuments) {
			err = fmt.Errorf("%s: %w", c.Store().Path(), err)
		}
		return err
	})
}

// Polyad answers mail servers, programs and people from what polya has learned, as a daemon, and
// files the mail of mailboxes. See 'polyad help'.
package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// helpTexts has the text of each command in a file of its name.
//
//go:embed help/*.txt
var helpTexts embed.FS

// program is the state that all commands share.
type program struct{ *command.Program }

func main() {
	p := &program{command.New("polyad", helpTexts)}
	os.Exit(p.Execute(p.root(), os.Args[1:]))
}

func (p *program) root() *cobra.Command {
	root := p.Root("answer mail servers, programs and people, and file mail")
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		if cmd.Name() != "serve" { // it listens by itself
			p.Listen(cmd)
		}
	}
	root.AddCommand(p.commands()...)
	return root
}

func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{
		serveCommand(p), watchCommand(p), demoCommand(p),
		command.CompletionCommand(p.Program), command.VersionCommand(p.Program),
	}
}

// settingsRead reports that a configuration is valid, or its errors.
func (p *program) settingsRead(path, name string, err error) error {
	if err == nil {
		p.Printf("%s: the configuration is right\n", terminal.Printable(path))
		return nil
	}
	return p.ComplainEach(orInit(err, path, name))
}

func orInit(err error, path, name string) error {
	if errors.Is(err, fs.ErrNotExist) && !command.Exists(path) {
		return fmt.Errorf("%w; 'polyad %s --init' writes one", err, name)
	}
	return err
}

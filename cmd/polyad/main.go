// Polyad answers mail servers, programs and people from what polya has learned, as a daemon, and
// files the mail of mailboxes. See 'polyad help'.
package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
	os.Exit(p.Execute(p.root(os.Args[1:]), os.Args[1:]))
}

func (p *program) root(args []string) *cobra.Command {
	root := p.Root("answer mail servers, programs and people, and file mail")
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		switch cmd.Name() {
		case "serve", "demo": // these listen by themselves
		default:
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
	return p.complainEach(orInit(err, path, name))
}

func orInit(err error, path, name string) error {
	if errors.Is(err, fs.ErrNotExist) && !command.Exists(path) {
		return fmt.Errorf("%w; 'polyad %s --init' writes one", err, name)
	}
	return err
}

// complainEach prints errors that were joined, each in a line of its own.
func (p *program) complainEach(err error) error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	for _, err := range many.Unwrap() {
		p.Complain(err)
	}
	return command.AnswerCode(command.Trouble)
}

func (p *program) writeFile(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: exists already; change it, or remove it first", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		p.Printf("%s: written\n", terminal.Printable(path))
	}
	return err
}

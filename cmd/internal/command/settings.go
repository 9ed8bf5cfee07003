package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// ComplainEach prints errors that were joined, each in a line of its own, and returns an AnswerCode.
// Any other error it returns.
func (p *Program) ComplainEach(err error) error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok || !strings.Contains(err.Error(), "\n") { // it is one error
		return err
	}
	for _, err := range many.Unwrap() {
		if err := p.ComplainEach(err); err != AnswerCode(Trouble) {
			p.Complain(err)
		}
	}
	return AnswerCode(Trouble)
}

// WriteNew makes a file that is not there yet, and its folders, and says so.
func (p *Program) WriteNew(path string, text []byte, mode os.FileMode) error {
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
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // or half of it would be taken for all
		return err
	}
	p.Printf("%s: written\n", terminal.Printable(path))
	return nil
}

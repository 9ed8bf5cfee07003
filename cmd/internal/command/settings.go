package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/newfile"
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
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: exists already; change it, or remove it first", path)
	}
	newfile.RemoveLeftOver(path, ".new-")
	f, err := newfile.Create(path, ".new-") // half of it would be taken for all
	if err == nil {
		defer f.Discard()
		_, err = f.Write(text)
		if err = errors.Join(err, f.Chmod(mode), f.Sync()); err == nil {
			err = f.Replace(nil)
		}
	}
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("%s: cannot be written: %w", path, p.Err)
	}
	if err != nil {
		return err
	}
	p.Printf("%s: written\n", terminal.Printable(path))
	return nil
}

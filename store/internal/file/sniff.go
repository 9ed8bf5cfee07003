package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
)

// sniff refuses a file that is plainly something else before bbolt sees it.
func (f *File) sniff() error {
	exists := f.options.MustExist || f.options.ReadOnly
	// Opening a pipe would wait for somebody at its other end.
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && exists:
		return fault.ErrNotExist
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.Plain(err)
	case !info.Mode().IsRegular():
		return errNotRegular()
	case info.Size() == 0 && exists:
		return errNothing()
	case info.Size() == 0:
		return nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return fault.Plain(err)
	}
	defer file.Close()
	if f.options.ReadOnly {
		readAhead(file, info.Size())
	}
	m := pages.ReadMetas(file)
	if !m.Found {
		return fault.ErrNotPolya
	}
	need := m.Newest.Pages * m.Newest.PageSize
	if info, err = file.Stat(); err == nil && uint64(info.Size()) < need {
		return &fault.Error{What: "end of the file", Err: fmt.Errorf("%d of %d bytes are there", info.Size(), need)}
	}
	if !m.Newest.Valid || f.sniffPages(file, m.Newest) == nil {
		return nil
	}
	return f.confirmDamage(file)
}

// sniffPages checks the pages on which bbolt might never end: a reader follows the
// branches, and a writer also reads the list of free pages or, without one, all pages.
func (f *File) sniffPages(file *os.File, m pages.Meta) error {
	if f.options.ReadOnly || m.Listed {
		return pages.CheckBranches(file, m, f.options.Access)
	}
	return pages.Check(file)
}

// confirmDamage checks pages that seem damaged again, while nobody can write them.
func (f *File) confirmDamage(file *os.File) error {
	b, err := bolt.Open(f.path, 0, &bolt.Options{Timeout: f.options.Timeout, ReadOnly: true})
	if err != nil {
		return fault.Bolt(err)
	}
	defer b.Close()
	m := pages.ReadMetas(file)
	if !m.Newest.Valid {
		return nil // bbolt says what is wrong
	}
	return fault.Page(f.sniffPages(file, m.Newest))
}

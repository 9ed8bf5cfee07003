package corpus

import (
	"errors"
	"fmt"
)

// maxFailures is how many errors are kept in full: a wrong folder can give one per file,
// a wrong file one per line.
const maxFailures = 100

// failures collects errors that did not stop a walk.
type failures struct {
	errs  []error
	count int
}

func (f *failures) add(err error) {
	f.count++
	if len(f.errs) < maxFailures {
		f.errs = append(f.errs, err)
	}
}

func (f *failures) join() error {
	errs := f.errs
	if more := f.count - len(errs); more > 0 {
		errs = append(errs, fmt.Errorf("and %d more errors", more))
	}
	return errors.Join(errs...)
}

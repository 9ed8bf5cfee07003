package main

import "errors"

// troubles are errors that did not stop a command.
type troubles []error

func (t troubles) Error() string { return errors.Join(t...).Error() }

func (t troubles) Unwrap() []error { return t }

// orNil returns the troubles as an error, nil if there are none.
func (t troubles) orNil() error {
	if len(t) == 0 {
		return nil
	}
	return t
}

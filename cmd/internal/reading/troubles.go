package reading

import "errors"

// Troubles are errors that did not stop a command.
type Troubles []error

// Error implements error.
func (t Troubles) Error() string { return errors.Join(t...).Error() }

// Unwrap lets errors.Is and errors.As look at each.
func (t Troubles) Unwrap() []error { return t }

// OrNil returns the troubles as an error, nil if there are none.
func (t Troubles) OrNil() error {
	if len(t) == 0 {
		return nil
	}
	return t
}

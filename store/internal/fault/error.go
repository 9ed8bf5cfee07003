package fault

import "fmt"

// Error is returned when part of a database is damaged.
type Error struct {
	What string // the record or table, "log record 17" or "count table 3fff…"
	Err  error  // what is wrong with it, may be nil
}

// Error says what is damaged.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.What + " is damaged"
	}
	return fmt.Sprintf("%s is damaged: %v", e.What, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Page returns the error of a damaged page, nil if err is nil.
func Page(err error) error {
	if err == nil {
		return nil
	}
	return &Error{What: "page of the file", Err: err}
}

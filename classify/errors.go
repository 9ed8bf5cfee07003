package classify

import "errors"

// ErrNoDocuments is the error of a question to a database without documents.
var ErrNoDocuments = errors.New("the database has learned no documents; train it first")

// The errors of Open for a database that contradicts Options.Holds, and of a question
// about classes to a database of tags.
var (
	ErrHasTags    = errors.New("the database has tags, and no classes")
	ErrHasClasses = errors.New("the database has classes, and no tags")
)

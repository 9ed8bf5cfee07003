package classify

import (
	"errors"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// ErrNoDocuments is the error of a question to a database without documents.
var ErrNoDocuments = errors.New("the database has learned no documents; train it first")

// The errors of Open for a database that contradicts Options.Holds, and of a question
// about classes to a database of tags.
var (
	ErrHasTags    = errors.New("the database has tags, and no classes")
	ErrHasClasses = errors.New("the database has classes, and no tags")
)

// The errors of opening a database and of learning that a program may want to
// distinguish, by errors.Is. They come from packages store and count, which have more.
var (
	ErrNotExist   = store.ErrNotExist   // Open, to read: there is no such file
	ErrNotPolya   = store.ErrNotPolya   // Open: the file is something else
	ErrInUse      = store.ErrInUse      // Open and trainings: another process has the database for long
	ErrReadOnly   = store.ErrReadOnly   // trainings: the database was opened to read, or the file cannot be written
	ErrReplaced   = store.ErrReplaced   // trainings: another file has taken the database's place
	ErrClosed     = store.ErrClosed     // any call after Close
	ErrNotLearned = count.ErrNotLearned // Forget and Relabel: the document was never learned
	ErrNoCounts   = store.ErrNoCounts   // Forget and Relabel: the ledger has only a digest, and the document given is not what was learned
	ErrInvalid    = count.ErrInvalid    // a class name, term or attribute that cannot be counted
)

// An AnalyzerError is the error of Open for a database of another analyzer, and an
// AttributeError the error for a document with an attribute that was learned as another kind.
type (
	AnalyzerError  = store.AnalyzerError
	AttributeError = count.AttributeError
)

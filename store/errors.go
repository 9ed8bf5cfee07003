package store

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// These errors can occur when opening a database.
var (
	// ErrNotPolya is returned when a file is not a polya database.
	ErrNotPolya = fault.ErrNotPolya

	// ErrEmpty is returned, with ErrNotPolya, when a file holds nothing at all, not
	// even another's: it has no bytes, or bbolt's pages without a bucket, which is
	// what a process leaves that is killed while it makes a database. Opened for
	// writing, it becomes one.
	ErrEmpty = fault.ErrEmpty

	// ErrNotExist is returned when there is no such file and none may be made.
	ErrNotExist = fault.ErrNotExist

	// ErrNoLock is returned when the file system does not lock files, so that
	// another process could write the file at the same time.
	ErrNoLock = fault.ErrNoLock

	// ErrInUse is returned when others, or this process itself, have had the file open
	// for longer than Options.Timeout: another that changes it, or one that reads while
	// this one wants to commit.
	ErrInUse = fault.ErrInUse
)

// These errors can occur when changing a database.
var (
	// ErrReadOnly is returned when a database that was opened read-only, or
	// lies in a file that may not be written, is asked to change.
	ErrReadOnly = fault.ErrReadOnly

	// ErrReplaced is returned by whatever would change a database, and by Close, from when
	// its file is no longer the one that has the path, or has been written by somebody
	// else. Nothing has changed then, and nothing more can be learned until it is opened
	// again.
	ErrReplaced = fault.ErrReplaced

	// ErrClosed is returned when a database is used after Close.
	ErrClosed = fault.ErrClosed

	// ErrNoCounts is returned when a document is to be forgotten or moved of
	// which the ledger keeps only a digest, and the counts given are missing or
	// not those that were learned. Nothing has changed then.
	ErrNoCounts = errors.New("the ledger keeps no counts of this document, and the text given is not what was learned")

	// ErrNoClass is returned when a class is named that the database does not have.
	ErrNoClass = totals.ErrNoClass

	// ErrClassExists is returned when a class would get the name of another.
	ErrClassExists = errors.New("class exists already")

	// ErrFollows is returned when a database that follows a log is to be changed by anything
	// but that. Nothing has changed then.
	ErrFollows = errors.New("the database follows a log, by which alone it is changed")

	// ErrOtherLog is returned when a database that follows one log is to follow another.
	ErrOtherLog = errors.New("the database follows another one")

	// ErrOverlap is returned when two databases are merged that learned the
	// same documents, and the ledger cannot tell their counts apart.
	ErrOverlap = errors.New("both databases learned the same documents")

	// ErrLoaded is returned when a dump is loaded, or a database merged, that was added
	// before, or when a dump is loaded into the database that it is of, and no ledger knows
	// all of the documents: they would count twice. Nothing has changed then. LoadAgain and
	// MergeOptions.Again add it nevertheless.
	ErrLoaded = errors.New("it is there already, and its documents would count twice")
)

// ErrTags is returned when counts of tags are to be added to those of classes, or the other
// way round.
var ErrTags = errors.New("one has tags, and the other classes")

// FormatVersion is the version of the file format that this program reads and writes.
const FormatVersion = stored.FormatVersion

// FormatError is returned when a file was written by another polya: its format
// version is not FormatVersion, or one of its feature flags is unknown here.
type FormatError = stored.FormatError

// AnalyzerError is returned when a database was made with another analyzer
// than the one asked for, so that its terms would not be those of new
// documents.
type AnalyzerError struct {
	Have string // the spec in the database
	Want string // the spec asked for
}

// Error names both specs.
func (e *AnalyzerError) Error() string {
	return fmt.Sprintf("database was made with analyzer %s, not %s; open it with its own, or train a new one", clip(e.Have), clip(e.Want))
}

// clip quotes s for a message, of which it may be no more than a part.
func clip(s string) string {
	const most = 100
	q := strconv.Quote(s)
	if len(q) > most {
		q = q[:most] + "…"
	}
	return q
}

// CorruptError is returned when part of a database is damaged: What is the record or table,
// "log record 17", and Err, which may be nil, what is wrong with it. Check finds all that
// is, and Repair saves what is left.
type CorruptError = fault.Error

package store

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// These errors can occur when opening a database.
var (
	// ErrNotPolya is returned when a file is not a polya database.
	ErrNotPolya = fault.ErrNotPolya

	// ErrEmpty is returned, with ErrNotPolya, when a file holds no data at all: it has no
	// bytes, or bbolt's pages without a bucket, as a process leaves them that is killed
	// while it makes a database. Opened for writing, the file becomes a database.
	ErrEmpty = fault.ErrEmpty

	// ErrNotExist is returned when there is no such file and none may be made. It wraps
	// fs.ErrNotExist, as does the error for a folder that is not there.
	ErrNotExist = fault.ErrNotExist

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

	// ErrReplaced is returned by whatever would change a database, and by Close, once its
	// file is no longer the one at the path, or has been written by somebody else. Nothing
	// has changed then, and nothing more can be learned until it is opened again.
	ErrReplaced = fault.ErrReplaced

	// ErrClosed is returned when a database is used after Close.
	ErrClosed = fault.ErrClosed

	// ErrNoCounts is returned when a document is to be forgotten or moved, the ledger keeps
	// only a digest of it, and the given counts are missing or differ from the learned ones.
	// Nothing has changed then.
	ErrNoCounts = errors.New("the ledger keeps no counts of this document, and the text given is not what was learned")

	// ErrNoClass is returned when the database has no class of the given name.
	ErrNoClass = totals.ErrNoClass

	// ErrClassExists is returned when a class would get the name of another.
	ErrClassExists = errors.New("class exists already: rename or delete that, or merge the two")

	// ErrFollows is returned when a database that follows a log is to be changed by anything
	// but that log. Nothing has changed then.
	ErrFollows = errors.New("the database follows a log, by which alone it is changed")

	// ErrOverlap is returned when two databases are merged that learned the
	// same documents, and the ledger cannot tell their counts apart.
	ErrOverlap = errors.New("both databases learned the same documents")

	// ErrLoaded is returned when a dump or database that was added before is loaded or
	// merged again, or when a dump is loaded into the database that it was made of, and no
	// ledger knows all of the documents: they would count twice. Nothing has changed then.
	// Load with again and MergeOptions.Again add it nevertheless.
	ErrLoaded = errors.New("it is there already, and its documents would count twice")
)

var errOtherLog = errors.New("the database follows another one")

// errTags is returned when counts of tags are to be added to counts of classes, or the
// other way round.
var errTags = errors.New("one has tags, and the other classes")

// FormatVersion is the version of the file format that this program reads and writes.
const FormatVersion = stored.FormatVersion

// FormatError is returned when another version of polya wrote a database, with a format or
// features that this one does not know. The file is as it was.
type FormatError = stored.FormatError

// AnalyzerError is returned when a database was made with another analyzer than the one
// asked for, so that its terms would not match the terms of new documents.
type AnalyzerError struct {
	Have string // the spec in the database
	Want string // the spec asked for
}

// Error names both specs.
func (e *AnalyzerError) Error() string {
	return fmt.Sprintf("database was made with analyzer %.100q, not %.100q", e.Have, e.Want)
}

// CorruptError is returned when part of a database is damaged: What names the record or
// table, "log record 17", and Err, which may be nil, says what is wrong with it. Check
// finds all damage, and Repair saves what is left.
type CorruptError = fault.Error

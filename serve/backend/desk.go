package backend

import (
	"context"
	"io"
	"os"
	"time"
)

// A Desk serves a person who reviews answers and corrects them. Each method works on the
// database of a user, or on the shared one if user is "". It returns the errors of a Backend.
type Desk interface {
	// Keeps reports whether decisions are kept at all.
	Keeps() bool
	// Decisions returns the last answers for a user, or for all if user is "", the newest
	// first, at most limit of them.
	Decisions(user string, limit int) ([]Decision, error)
	// Kept returns an answered message by its id, with the answer it would get now.
	Kept(ctx context.Context, user, id string) (Kept, error)
	// Again classifies answered messages once more, by their whole ids, and leaves out those that
	// are no longer kept; with explain it returns all of an Explanation, else classes and probabilities.
	Again(ctx context.Context, user string, ids []string, explain bool) ([]Kept, error)
	// Review returns the answered messages that nobody has taught, those most informative
	// for the classifier first, at most limit of them, and the number of all.
	Review(ctx context.Context, user string, limit int) (first []Kept, all int, err error)
	// Revise learns or forgets answered messages and returns what became of each, in order.
	// It stops at the first error.
	Revise(ctx context.Context, user string, list []Revision, by string) ([]Revised, error)
	// Explain classifies a message and returns everything the answer is computed from. The
	// answer is not kept.
	Explain(ctx context.Context, r Request) (Explanation, error)

	// Tags reports whether the database has tags: of its documents each has any number of classes, and
	// what else is a class is a list of them with commas between, a comma for none.
	Tags(ctx context.Context, user string) (bool, error)
	// Holdings returns what the database contains.
	Holdings(ctx context.Context, user string) (Holdings, error)
	// Make lets a class be taught that there is not yet, or some tags: see ClassOf. Without tags only
	// the name of a folder may have commas: the error of others is ErrTags.
	Make(ctx context.Context, user, class string, folder bool) error
	// Rename gives a class another name; Merge moves its documents into another, and it is
	// gone; Delete forgets them, and it is gone.
	Rename(ctx context.Context, user, class, name string) error
	Merge(ctx context.Context, user, class, into string) error
	Delete(ctx context.Context, user, class string) error

	// Ledger returns what was learned, the newest first.
	Ledger(ctx context.Context, user string, q LedgerQuery) (LedgerList, error)
	// Learned returns the ledger's entry for the message of each decision, nil if it was not
	// learned, from the database of the user who was answered.
	Learned(ctx context.Context, user string, list []Decision) ([]*Entry, error)
	// Undo takes back the entries of the ledger that a query selects, ignoring Skip and Limit;
	// if dry is set it only counts them. The query must restrict something.
	Undo(ctx context.Context, user string, q LedgerQuery, dry bool) (Undone, error)
	// MoveID moves the document of the ledger that has this id to a class; by is who says so.
	MoveID(ctx context.Context, user, id, class, by string) (Outcome, error)
	// ForgetID takes back the document of the ledger that has this id.
	ForgetID(ctx context.Context, user, id string) (Outcome, error)

	// Import learns the messages of files in the background: as class or, if that is "", as the
	// classes that folders of an archive and names of mailboxes say. Files are mailboxes (mbox),
	// single messages (.eml), and archives of these and of Maildirs (.zip, .tar, .tar.gz). It takes
	// the files over unless it returns an error: ErrImporting, or ErrFolder if a class is missing.
	Import(user, class string, files *Uploads) error
	// Imports returns the last imports, the newest first.
	Imports(user string) []Import
	// Backup writes a copy of the database, and Restore puts one in the
	// place of a database that has learned nothing. The error is then ErrFile or ErrLearned.
	Backup(ctx context.Context, user string, w io.Writer) error
	Restore(ctx context.Context, user string, backup *Uploads) error

	// Word returns the counts of the terms in a text, and Telling the terms that are most
	// informative about a class, at most limit of them.
	Word(ctx context.Context, user, text string) ([]Term, error)
	Telling(ctx context.Context, user, class string, limit int) ([]Term, error)

	// Record measures the answers since a moment against what was taught.
	Record(ctx context.Context, user string, since time.Time) (Record, error)
	// Measure classifies learned documents, each left out of training (leave-one-out).
	Measure(ctx context.Context, user string) (Measured, error)
}

// Uploads are files that a person has sent, one after the other in a temporary file.
type Uploads struct {
	File *os.File
	List []Upload
}

// An Upload is one of Uploads, with the name that the person's machine has for it.
type Upload struct {
	Name string
	*io.SectionReader
}

// Discard closes and removes the temporary file.
func (u *Uploads) Discard() {
	_ = u.File.Close()
	_ = os.Remove(u.File.Name())
}

// An Import is how far learning from files has come.
type Import struct {
	Source string // the ledger's source of what it learns
	// Messages are those learned, Known those that were learned so before, and Left the files and
	// messages that were left out since they are none.
	Messages, Known, Left int
	LeftNames             []string // the first of Left

	Read  float64 // share of the files, 0 to 1
	Ended bool
	Err   error // why it has ended early, nil if it has not
}

// An Explanation is an Answer, whose Reasons are all known terms of the message, and what it
// is computed from.
type Explanation struct {
	Answer
	ID        string     // of the message, "" if there is no database
	Classes   []string   // the most probable first
	Posterior []float64  // of each
	Documents []uint64   // learned, of each
	Having    [][]uint64 // of each of Reasons: the documents of each class that have the term
	Text      []Passage  // the message as it was read, nil if it is not kept
}

// A Passage is a part of a message as read, in UTF-8 unless its charset is unknown.
type Passage struct {
	Field string // "from", "subject"; "url" is a link, "file" a file's name, "invisible" hidden text, "" text that is seen
	Line  bool   // it is one line: of the header, or a link target in a text
	Text  string
	Spans []Span // in order, none overlaps another
}

// A Span is the place of a term in a Passage, and the term's contribution to the answer,
// as in a Reason.
type Span struct {
	Begin, End int // bytes of Text
	Term       string
	Bits       float64
}

// Kept is a message that was answered.
type Kept struct {
	Decision             // the last
	Now      Explanation // what the databases say now
	Learned  *Entry      // what the ledger says; nil if the message is not learned
}

// A Revision asks for a message to be learned as Class, or forgotten if Class is "". By,
// unless it is "", names who asks.
type Revision struct{ ID, Class, By string }

// Revised is what became of a Revision.
type Revised struct {
	Outcome Outcome
	From    string // the class that it was learned as before, "" if it was not
}

// An Entry is the ledger's entry for a document.
type Entry struct {
	ID     string    `json:"id"` // in hexadecimal digits
	Class  string    `json:"class"`
	Time   time.Time `json:"time"`
	Source string    `json:"source"` // who taught it

	// Of a suspect: the probability that Class is wrong, and the class that is likelier.
	Wrong  float64 `json:"wrong,omitempty"`
	Likely string  `json:"likely,omitempty"`
}

// AutoSource is the ledger's source of documents that were learned automatically.
const AutoSource = "auto"

// Said returns the class that somebody has said; "" if e is nil or was learned automatically.
func (e *Entry) Said() string {
	if e == nil || e.Source == AutoSource {
		return ""
	}
	return e.Class
}

// A LedgerQuery chooses entries. An empty field chooses all.
type LedgerQuery struct {
	Class, Source string
	Since         time.Time
	Skip, Limit   int // of the newest first

	// Suspect chooses documents whose class is probably wrong, the likeliest first. The other
	// fields but Skip and Limit are ignored.
	Suspect bool
}

// A LedgerList is the result of a LedgerQuery.
type LedgerList struct {
	Entries []Entry
	All     int            // without Skip and Limit
	Sources map[string]int // of the whole ledger: documents

	Suspects int // documents whose class is probably wrong
}

// Undone is what was taken back, or would be.
type Undone struct {
	Documents int
	Classes   map[string]int // Documents of each
	Left      int            // selected documents that cannot be taken back: the ledger keeps too little of them
	Selection string         // of what would be: the same as long as the query selects the same documents
}

// Holdings are the contents of a database.
type Holdings struct {
	Documents, Vocabulary uint64
	Bytes                 int64
	Analyzer, Ledger      string
	Classes               []ClassHoldings // by name
	Calibrated            uint64          // documents at the last calibration, 0 if never calibrated
}

// ClassHoldings are the documents of one class in a database.
type ClassHoldings struct {
	Name             string
	Documents, Terms uint64
	Auto             uint64    // documents in the ledger that were learned automatically
	Last             time.Time // when others were learned last; zero if that is not known
	Fixed            bool      // the configuration names it
	Needs            uint64    // documents until its probabilities can be calibrated
}

// A Term is a term with its counts.
type Term struct {
	Term      string
	Classes   []string
	Having    []uint64 // documents of each class that have it
	Documents []uint64 // documents of each class
	Bits      float64  // mutual information between having the term and the class, in bits
}

// A Record measures the answers of a period. An answer that nobody has corrected counts as
// right; of several answers to one message the first counts.
type Record struct {
	Since   time.Time // the first answer that is counted; zero if there is none
	Answers int
	Unsure  int
	Checked int      // answers whose messages people have taught since
	Wrong   int      // of Checked, sure and of another class
	Error   Estimate // Wrong of the sure answers
	LogLoss Estimate // in nats, of all answers
	Weeks   []Week   // the last ones, oldest first
	Earned  []Earned // by precision, ascending; nil unless the database is calibrated
}

// Earned is what a precision would have cost in answers: the learned documents that were
// asked, each without its own counts, the answers that had earned the precision, and the
// share of these that were right.
type Earned struct {
	Precision       float64
	Asked, Answered int
	Right           float64 // 0 if none was answered
}

// A Week is what people taught in it.
type Week struct {
	Begin              time.Time // Monday
	Taught, Correcting int       // messages taught; those whose answers were wrong
}

// An Estimate is a mean and its interval of 95 % confidence.
type Estimate struct{ Mean, Low, High float64 }

// A Confusion is how many documents of each class were answered as each.
type Confusion struct {
	Classes []string
	Counts  [][]int // [true class][class answered]
}

// Measured is the leave-one-out accuracy of a database on what it has learned.
type Measured struct {
	Time        time.Time
	Documents   int
	Error       Estimate
	LogLoss     Estimate // in nats
	Reliability []Bin
	Confusion   Confusion
	Curve       []Point // by the number of documents learned
}

// A Bin counts the documents whose answers had probabilities in one range.
type Bin struct {
	Probability float64 // mean
	Right       Estimate
	Documents   int
}

// A Point is the error of a database of that many documents.
type Point struct {
	Documents int
	Error     Estimate
}

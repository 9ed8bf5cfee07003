package backend

import (
	"context"
	"time"
)

// A Desk is what a person asks who looks at answers and corrects them. Each method is about
// the database of a user, or the shared one if user is "". Its errors are those of a Backend.
type Desk interface {
	// Keeps reports whether decisions are kept at all.
	Keeps() bool
	// Decisions returns the last answers for a user, or for all if user is "", the newest
	// first, at most limit of them.
	Decisions(user string, limit int) ([]Decision, error)
	// Kept returns a message of which an answer was given, by its id, with the answer of now.
	Kept(ctx context.Context, user, id string) (Kept, error)
	// Review returns the messages among the last answers that nobody has taught, those first
	// that tell the classifier most, at most limit of them, and how many there are.
	Review(ctx context.Context, user string, limit int) (first []Kept, all int, err error)
	// Revise learns messages of which answers were given, or forgets them, and returns what
	// became of each, in their order. It ends at the first error.
	Revise(ctx context.Context, user string, list []Revision, by string) ([]Revised, error)
	// Explain answers for a message, with all that the answer comes from. Nothing is kept of it.
	Explain(ctx context.Context, r Request) (Explanation, error)

	// Holdings returns what the database has.
	Holdings(ctx context.Context, user string) (Holdings, error)
	// Rename gives a class another name; Merge moves its documents into another, and it is
	// gone; Delete forgets them, and it is gone.
	Rename(ctx context.Context, user, class, name string) error
	Merge(ctx context.Context, user, class, into string) error
	Delete(ctx context.Context, user, class string) error

	// Ledger returns what was learned, the newest first.
	Ledger(ctx context.Context, user string, q LedgerQuery) (LedgerList, error)
	// Learned returns what the ledger says of the message of each decision, nil if it was not
	// learned, in the database of him for whom the answer was.
	Learned(ctx context.Context, user string, list []Decision) ([]*Entry, error)
	// Undo takes back what a query selects of the ledger, without Skip and Limit, or says what
	// that would be if dry is set. The query selects something, not all.
	Undo(ctx context.Context, user string, q LedgerQuery, dry bool) (Undone, error)
	// ForgetID takes back the document of the ledger that has this id.
	ForgetID(ctx context.Context, user, id string) (Outcome, error)

	// Word returns what was counted of the terms that a text has, and Telling the terms that
	// tell most of a class, at most limit of them.
	Word(ctx context.Context, user, text string) ([]Term, error)
	Telling(ctx context.Context, user, class string, limit int) ([]Term, error)

	// Record returns how the answers since a moment have done, by what was taught.
	Record(ctx context.Context, user string, since time.Time) (Record, error)
	// Measure answers for learned documents as if each had not been learned.
	Measure(ctx context.Context, user string) (Measured, error)
}

// An Explanation is an Answer, whose Reasons are all known terms of the message, and what it
// comes from.
type Explanation struct {
	Answer
	ID        string     // of the message, "" if there is no database
	Classes   []string   // the most probable first
	Posterior []float64  // of each
	Documents []uint64   // learned, of each
	Having    [][]uint64 // of each of Reasons: the documents of each class that have the term
	Text      []Passage  // the message as it is read, nil if it is not there
}

// A Passage is a part of a message as it was read, in UTF-8 but where it has no charset.
type Passage struct {
	Field string // "from", "subject"; "url" is a link, "file" a file's name, "invisible" hidden text, "" text that is seen
	Line  bool   // it is one line, of the header or what a text leads to
	Text  string
	Spans []Span // in order, none overlaps another
}

// A Span is where in a Passage a term stands, and what it contributes to the answer, as a
// Reason does.
type Span struct {
	Begin, End int // bytes of Text
	Term       string
	Bits       float64
}

// Kept is a message of which answers were given.
type Kept struct {
	Decision             // the last
	Now      Explanation // what the databases say now
	Learned  *Entry      // what the ledger says; nil if the message is not learned
}

// A Revision is what is to become of a message: learned as Class, or forgotten if that is "".
type Revision struct{ ID, Class string }

// Revised is what became of a Revision.
type Revised struct {
	Outcome Outcome
	From    string // the class that it was learned as before, "" if it was not
}

// An Entry is what the ledger says of a document.
type Entry struct {
	ID     string    `json:"id"` // in hexadecimal digits
	Class  string    `json:"class"`
	Time   time.Time `json:"time"`
	Source string    `json:"source"` // who taught it
}

// A LedgerQuery chooses entries. An empty field chooses all.
type LedgerQuery struct {
	Class, Source string
	Since         time.Time
	Skip, Limit   int // of the newest first
}

// A LedgerList is what a LedgerQuery chose.
type LedgerList struct {
	Entries []Entry
	All     int            // without Skip and Limit
	Sources map[string]int // of the whole ledger: documents
}

// Undone is what was taken back, or would be.
type Undone struct {
	Documents int
	Classes   map[string]int // Documents of each
	Left      int            // other documents that were selected, of which the ledger keeps too little
}

// Holdings are what a database has.
type Holdings struct {
	Documents, Vocabulary uint64
	Bytes                 int64
	Analyzer, Ledger      string
	Classes               []ClassHoldings // by name
	Calibrated            uint64          // documents when probabilities were calibrated last, 0 if never
}

// ClassHoldings are what a database has of a class.
type ClassHoldings struct {
	Name             string
	Documents, Terms uint64
	Taught, Auto     uint64    // documents in the ledger that people and that the daemon taught
	Last             time.Time // when people taught last; zero if that is not known
	Fixed            bool      // the configuration names it
	Needs            uint64    // documents until its probabilities can be calibrated
}

// A Term is what was counted of a term.
type Term struct {
	Term      string
	Classes   []string
	Having    []uint64 // documents of each class that have it
	Documents []uint64 // documents of each class
	Bits      float64  // what having it tells of the class, in bits: mutual information
}

// A Record is how the answers of a time have done. An answer that nobody has corrected counts as
// right, and of a message that was asked about again the first counts.
type Record struct {
	Since   time.Time // the first answer that is counted; zero if there is none
	Answers int
	Unsure  int
	Checked int      // answers whose messages people have taught since
	Wrong   int      // of them, sure and of another class
	Error   Estimate // Wrong of the sure answers
	LogLoss Estimate // in nats, of all answers
	Weeks   []Week   // the last ones, oldest first
}

// A Week is what people taught in it.
type Week struct {
	Begin              time.Time // Monday
	Taught, Correcting int       // messages; of them, whose answers were wrong
}

// An Estimate is a mean and its interval of 95 % confidence.
type Estimate struct{ Mean, Low, High float64 }

// A Confusion is how many documents of each class were answered as each.
type Confusion struct {
	Classes []string
	Counts  [][]int // [true class][class answered]
}

// Measured is how well a database answers for what it has learned, each document left out of
// what answers for it.
type Measured struct {
	Time        time.Time
	Documents   int
	Error       Estimate
	LogLoss     Estimate // in nats
	Reliability []Bin
	Confusion   Confusion
	Curve       []Point // by the number of documents learned
}

// A Bin is the documents whose answers had probabilities of one range.
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

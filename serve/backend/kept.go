package backend

import (
	"errors"
	"time"
)

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

// A Decision is an answer that was given, as it is stored.
type Decision struct {
	ID          string    `json:"id"`          // of the message, in hexadecimal digits
	Time        time.Time `json:"time"`        // to the nanosecond
	User        string    `json:"user"`        // the user it was for
	Source      string    `json:"source"`      // who asked: "spamc", "milter"
	Sender      string    `json:"sender"`      // From
	Subject     string    `json:"subject"`     // as text on one line
	Class       string    `json:"class"`       // the class answered
	Probability float64   `json:"probability"` // of Class
	Unsure      bool      `json:"unsure"`
}

var (
	// ErrDecision says that no decision with that id is kept, or none any longer.
	ErrDecision = errors.New("no such decision")
	// ErrDocument says that an id is none.
	ErrDocument = errors.New("id is none of a document: want one of the ledger")
	// ErrAmbiguous says that several messages have ids that begin so.
	ErrAmbiguous = errors.New("several messages have ids that begin so")
	// ErrRecipients says that the message was for several users with databases of their own,
	// and the caller has to name one.
	ErrRecipients = errors.New("the message was for several users with databases of their own: name one of them")
)

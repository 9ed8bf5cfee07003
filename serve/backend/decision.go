package backend

import (
	"errors"
	"time"
)

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

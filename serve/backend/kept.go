package backend

import "time"

// A Revision asks, for By if that is not "", for a message to be learned as Class, or forgotten if that is "".
type Revision struct{ ID, Class, By string }

// Revised is what became of a Revision.
type Revised struct {
	Outcome Outcome
	From    string // the class that it was learned as before, "" if it was not
}

// An Entry is the ledger's entry for a document.
type Entry struct {
	ID     string    `json:"id"` // in hexadecimal digits
	Class  string    `json:"class,omitempty"`
	Tags   []string  `json:"tags,omitzero"` // in place of Class, over HTTP, in a database of tags
	Time   time.Time `json:"time"`
	Source string    `json:"source"` // who taught it

	// Of a suspect: the probability that Class is wrong, and the class that is likelier.
	Wrong  float64 `json:"-"`
	Likely string  `json:"-"`
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
	ErrDecision = Failure{404, "no such decision"}
	// ErrDocument says that an id is none.
	ErrDocument = Failure{400, "id is none of a document: want one of the ledger"}
	// ErrAmbiguous says that several messages have ids that begin so.
	ErrAmbiguous = Failure{409, "several messages have ids that begin so"}
	// ErrRecipients says that the message was for several users with databases of their own,
	// and the caller has to name one.
	ErrRecipients = Failure{409, "the message was for several users with databases of their own: name one of them"}
)

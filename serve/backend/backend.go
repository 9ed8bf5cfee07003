// Package backend is the interface between the daemon's listeners and the classifier. Each
// listener speaks one protocol and knows no database; the classifier knows no protocol.
package backend

import (
	"context"
	"errors"
)

// A Failure is an error that a client is told, with the status code of HTTP for it. Every other
// error is one that may pass, and may hold secrets.
type Failure struct {
	Code int
	Text string
}

// Error returns what the client is told.
func (f Failure) Error() string { return f.Text }

// Failures that a listener answers in the words of its protocol. They are compared with errors.Is.
var (
	// ErrBusy says that the daemon has as many requests as it accepts. Try again later.
	ErrBusy = Failure{503, "too many requests at once"}
	// ErrConnections says that the listener has as many connections as it accepts.
	ErrConnections = Failure{503, "too many connections at once"}
	// ErrClass says that there is no class of that name.
	ErrClass = Failure{404, "no such class"}
	// ErrClassExists says that there is a class of that name already, ErrClassName that none
	// can have that name, and ErrFixed that the configuration names the class.
	ErrClassExists = Failure{409, "there is a class of that name already"}
	ErrClassName   = Failure{400, "no class can have that name"}
	// ErrTags says that a class was to be made of several names.
	ErrTags  = Failure{400, "a comma stands between tags, and here each message has one class: name one class, without a comma"}
	ErrFixed = Failure{409, "the configuration of the daemon names this class: it cannot get another name or go into another class"}
	// ErrLearned is the error of restoring a backup over learned documents.
	ErrLearned = Failure{409, "there are learned documents already: a backup can only be restored where nothing is learned"}
	// ErrFile says that a file is not what it was sent as.
	ErrFile = Failure{400, "the file is no backup of a database, or not all of it, or it is damaged"}
	// ErrUnsuited says that a backup, which may be sound, is one from which nobody could be answered or that cannot learn here.
	ErrUnsuited = Failure{409, "the backup does not suit this daemon: it may be of another version of polya, with another analyzer, or of a fleet; the log of the daemon says more"}
	// ErrFolder says that a message was sent to be learned without a class, ErrImport that a file
	// cannot be read for a reason that lies in it, and ErrImporting that another import is not done.
	ErrFolder    = Failure{400, "name the class of these messages: a single message has no folder that gives it"}
	ErrImport    = errors.New("the file cannot be read")
	ErrImporting = Failure{409, "another import is not done yet: wait for it"}
	// ErrUser says that there is no such user.
	ErrUser = Failure{404, "no such user"}
	// ErrSize says that the message is longer than the limit.
	ErrSize = Failure{413, "message too large"}
	// ErrForbidden says that the caller may not teach.
	ErrForbidden = Failure{403, "learning is not allowed here"}
	// ErrRefused says that what the database has learned does not allow this training, now or later.
	ErrRefused = Failure{409, "the database cannot learn or take back this message"}
)

// A Request is one message and the user that it is for.
type Request struct {
	User    string // the user or recipient, "" for the shared database; anything that a stranger can write as an address
	Message []byte // header and body as received; not kept after the call
	Cut     bool   // the middle of the message was left out, or another part of it
	Source  string // where a training came from, as the ledger keeps it: "spamc", "dovecot"
}

// An Answer is what the classifier says of a message.
type Answer struct {
	Class       string   `json:"class"`             // the class, or the likeliest one if Unsure
	Unsure      bool     `json:"unsure"`            // the classifier abstains
	Truncated   bool     `json:"truncated"`         // a part of the message was not read, because of a limit
	Probability float64  `json:"probability"`       // of Class, calibrated, 0 to 1
	Spam        bool     `json:"spam"`              // Class is one that the configuration calls spam, and not Unsure
	Score       float64  `json:"score"`             // log-odds of spam to the base 2, for protocols that want a number
	Threshold   float64  `json:"threshold"`         // Spam if Score is more, on the same scale
	Tags        []string `json:"tags,omitempty"`    // of a database of tags: those to be given, the most probable first, of which Class is one
	Reasons     []Reason `json:"reasons,omitempty"` // the largest contributions, largest first; nil unless asked for
}

// A Reason is a term and what it contributes to the log-odds of Class, in bits.
type Reason struct {
	Term  string  `json:"term"`
	Count int     `json:"count"` // in the message
	Bits  float64 `json:"bits"`
}

// An Outcome says what a training changed.
type Outcome string

// What Learn may do.
const (
	Unchanged Outcome = "unchanged" // learned so before, or nothing to forget
	Learned   Outcome = "learned"   // new in the ledger
	Moved     Outcome = "moved"     // it was of another class before
	Forgotten Outcome = "forgotten" // taken back
)

// A Backend answers and learns. Its methods may be called from many goroutines; they
// return when ctx is done.
type Backend interface {
	// Classify classifies a message, with reasons if explain is set. For a user without a
	// database the shared one answers.
	Classify(ctx context.Context, r Request, explain bool) (Answer, error)
	// Learn trains the message as class, or moves it there; if class is "" it takes back what was
	// learned of the message. When it returns without an error, that is on disk.
	Learn(ctx context.Context, r Request, class string) (Outcome, error)
	// Classes lists the names of the classes, sorted.
	Classes(ctx context.Context, user string) ([]string, error)
}

// Package backend is the interface between the daemon's listeners and the classifier. Each
// listener speaks one protocol and knows no database; the classifier knows no protocol.
package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
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

// ResultField is the name of the field that carries an answer in the header of a message.
const ResultField = "X-Polya-Class"

// Field returns the value of ResultField for a: "spam; probability=0.9987", or "unsure; class=spam;
// probability=0.6120" if the classifier abstains, followed by "; truncated" if not all of the message was
// read. Tags stand in place of the class, "travel, family; probability=0.9871", with the probability of
// Class. A semicolon or a control character in a name is written as an underscore.
func (a Answer) Field() string {
	class := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == ';' {
			return '_'
		}
		return r
	}, cmp.Or(strings.Join(a.Tags, ", "), a.Class))
	if a.Unsure {
		class = "unsure; class=" + class
	}
	field := fmt.Sprintf("%s; probability=%.4f", class, a.Probability)
	if a.Truncated {
		field += "; truncated"
	}
	return field
}

var (
	escapeTag   = strings.NewReplacer("%2C", "%252C", "%25", "%2525", ",", "%2C")
	unescapeTag = strings.NewReplacer("%2C", ",", "%25", "%")
)

// Tags returns the tags that the name of a class states in a database of tags: those with commas
// between, where %2C is a comma within a tag and %25 a percent sign.
func Tags(class string) (tags []string) {
	for tag := range strings.SplitSeq(class, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, unescapeTag.Replace(tag))
		}
	}
	return tags
}

// ClassOf returns the name of a class that states these tags, sorted; a comma if there are none.
func ClassOf(tags []string) string {
	var stated []string
	for _, tag := range tags {
		stated = append(stated, escapeTag.Replace(tag))
	}
	if stated == nil {
		return ","
	}
	slices.Sort(stated)
	return strings.Join(slices.Compact(stated), ", ")
}

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

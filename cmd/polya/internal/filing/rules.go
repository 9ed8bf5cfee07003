// Package filing decides what to do about a message that lies in a folder: learn it as what
// the folder holds, take back what was learned, ask where it belongs, or leave it. Where a
// person has put a message is the truth; what polya filed itself teaches nothing. The
// package reads and writes nothing.
package filing

import "time"

// New is what is done with new mail that is answered to belong to a folder.
type New string

// What may be done with new mail.
const (
	Leave New = "leave" // it stays in the inbox
	Mark  New = "mark"  // it stays there, and is marked or reported
	File  New = "file"  // it is moved to the folder
)

// A Folder is a folder that is looked at. One that is not the inbox and has no class is looked at
// only to know what was in it before it came to another.
type Folder struct {
	Name      string
	Inbox     bool    // new mail arrives there
	Class     string  // of what lies there; "" if that teaches nothing
	New       New     // of other folders than the inbox
	Precision float64 // the probability from which new mail is filed or marked, 0 to 1
}

// Rules are the folders that have one, of which one is the inbox, and no two of one class.
type Rules []*Folder

// Named returns the folder of a name, or nil.
func (r Rules) Named(name string) *Folder {
	for _, f := range r {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// An Answer is what a classifier says of a message.
type Answer struct {
	Class       string
	Probability float64 // calibrated, 0 to 1
	Unsure      bool    // the classifier abstains, or has not learned enough to be calibrated
}

// Of returns the folder where new mail with such an answer belongs, and what to do with it; nil
// where it stays in the inbox.
func (r Rules) Of(a Answer) *Folder {
	for _, f := range r {
		if f.Class == a.Class && f.Class != "" && !f.Inbox && f.New != Leave && !a.Unsure && a.Probability >= f.Precision {
			return f
		}
	}
	return nil
}

// Settling is how long a message may lie in two folders while a mail program moves it from
// one to the other. After that it is a copy.
const Settling = 2 * time.Second

// A Sight is a message as it is found in a folder.
type Sight struct {
	Folder    *Folder
	Read      bool          // somebody has read it, answered it, or flagged it
	Fresh     bool          // it was delivered since the mailbox is watched
	Elsewhere bool          // the folder of its Record has one, too
	Before    bool          // it lay there before, beside that one
	Age       time.Duration // for how long it has been found there
	Delivered int64         // in Unix seconds; 0 if that is not known
}

// A Stage is how far that has come which is to be done about a message.
type Stage byte

// The stages. What is about to be done is noted before, so that it is known after a process
// was killed in the middle of it.
const (
	Settled  Stage = iota // nothing is to be done
	Waiting               // it is learned in the inbox when somebody has read it, elsewhere when its folder has a class
	Learning              // it is about to be learned as what its folder holds, or forgotten
	Filing                // it is about to be moved to its folder
)

// A Record is what is remembered of a message. The zero value is that of an unknown one.
type Record struct {
	Folder string // where it lies, or was last put
	Stage  Stage
	Class  string // of Learning, in an inbox without a class: what it is no more

	// Delivered is when the last of its copies was, in Unix seconds; 0 if that is not known.
	// A later one comes from outside, and nobody has put it where it lies.
	Delivered int64
}

// What is learned of a message already.
type Learned struct {
	Class string // "" if nothing is
	Auto  bool   // no person has taught it
}

// An Act is what is done about a message.
type Act byte

// The acts.
const (
	Nothing Act = iota // the Record is all
	Later              // look at it again, and keep no Record
	Learn              // learn it as Step.Class
	Forget             // forget it, if it is learned as Step.Class
	Ask                // ask the classifier; see Rules.Of
)

// A Step is what to do about a message. Record is what is remembered of it when that is done.
// Before, it is remembered with the stage Learning if it is learned or forgotten.
type Step struct {
	Act    Act
	Class  string
	Record Record
}

// Decide returns what to do about a message that is found where it was not before, that somebody
// has read since it was left in the inbox, or of which something was about to be done.
func (r Rules) Decide(s Sight, known Record, learned Learned) Step {
	step := r.decide(s, known, learned)
	step.Record.Delivered = max(known.Delivered, s.Delivered)
	return step
}

func (r Rules) decide(s Sight, known Record, learned Learned) Step {
	here := s.Folder
	switch {
	case known.Folder == here.Name:
		return stays(s, known, learned)
	case !here.Inbox && here.Class == "":
		return Step{Record: Record{Folder: here.Name, Stage: Waiting}}
	case !here.Inbox: // somebody has put it there
		return learn(here, learned)
	case known.Folder == "":
		return arrives(s, learned)
	case known.Stage != Filing && known.Delivered != 0 && s.Delivered > known.Delivered && !s.Read:
		return comesAgain(s, known)
	case s.Elsewhere && known.Stage != Filing && s.Age < Settling:
		return Step{Act: Later, Record: known}
	case s.Elsewhere: // a second copy
		return Step{Record: known}
	case known.Stage == Filing: // nobody knows whether it was moved, and moved back
		return Step{Record: Record{Folder: here.Name, Stage: Waiting}}
	case s.Before && !s.Read && learned.Class == "": // a copy that nobody has looked at
		return Step{Record: Record{Folder: here.Name, Stage: Waiting}}
	case here.Class != "":
		return learn(here, learned)
	}
	f := r.Named(known.Folder)
	return takenOut(here, f != nil && (f.Class == learned.Class || known.Stage == Learning), learned)
}

// stays decides about a message that is where it was last.
func stays(s Sight, known Record, learned Learned) Step {
	here := s.Folder
	done := Step{Record: Record{Folder: here.Name}}
	switch {
	case known.Stage == Learning && here.Class != "":
		return learn(here, learned)
	case known.Stage == Learning && here.Inbox:
		return takenOut(here, known.Class == learned.Class, learned)
	case known.Stage == Waiting && !here.Inbox && here.Class != "":
		return learn(here, learned)
	case known.Stage == Waiting && !s.Read:
		return Step{Record: known}
	case known.Stage == Waiting && here.Class != "" && (learned.Class == "" || learned.Auto):
		return learn(here, learned)
	}
	return done
}

// arrives decides about a message in the inbox of which nothing is known.
func arrives(s Sight, learned Learned) Step {
	here := s.Folder
	waits := Record{Folder: here.Name, Stage: Waiting}
	switch {
	case learned.Class != "" && !learned.Auto: // somebody has taught it already
		return Step{Record: Record{Folder: here.Name}}
	case s.Read && here.Class != "":
		return learn(here, learned)
	case s.Fresh && !s.Read:
		return Step{Act: Ask, Record: waits}
	}
	return Step{Record: waits}
}

// comesAgain decides about a message in the inbox that was delivered again: its sender can have
// that done, and nobody has said anything by it.
func comesAgain(s Sight, known Record) Step {
	step := Step{Record: Record{Folder: s.Folder.Name, Stage: Waiting}}
	if s.Elsewhere {
		step.Record = known
	}
	if s.Fresh {
		step.Act = Ask
	}
	return step
}

// takenOut decides about a message that somebody has put from a folder into an inbox without
// a class.
func takenOut(here *Folder, asLearned bool, learned Learned) Step {
	done := Step{Record: Record{Folder: here.Name}}
	if asLearned && learned.Class != "" {
		done.Act, done.Class, done.Record.Class = Forget, learned.Class, learned.Class
	}
	return done
}

// learn learns a message as what a folder holds, unless that is done.
func learn(here *Folder, learned Learned) Step {
	done := Step{Record: Record{Folder: here.Name}}
	if learned.Class != here.Class || learned.Auto {
		done.Act, done.Class = Learn, here.Class
	}
	return done
}

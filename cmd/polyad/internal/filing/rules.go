// Package filing decides what to do about a message that lies in a folder: learn it as what
// the folder holds, take back what was learned, ask where it belongs, or leave it. Where a
// person has put a message is the truth; what polya filed itself teaches nothing. The
// package reads and writes nothing.
package filing

import (
	"slices"
	"strings"
)

// New says what to do with new mail that the classifier assigns to a folder.
type New string

// The values of New.
const (
	Leave   New = "leave"   // it stays in the inbox
	Suggest New = "suggest" // it stays there, and the folder is suggested
	File    New = "file"    // it is moved to the folder; while answers have not earned that, as Suggest
)

// A Folder is a folder that is watched. A folder without a class, other than the inbox, is
// watched only to recognise its messages when they move to another.
type Folder struct {
	Name      string  `toml:"name,omitempty"`
	Inbox     bool    `toml:"-"`                  // new mail arrives there
	Class     string  `toml:"class,omitempty"`    // of what lies there; "" if that teaches nothing
	New       New     `toml:"new,omitempty"`      // for folders other than the inbox
	Precision float64 `toml:"precision,omitzero"` // the precision that answers must have earned to be filed, 0 to 1
	Junk      bool    `toml:"-"`                  // it is looked at seldom: answers must be Junk too
}

// Rules are the folders with a rule. Exactly one is the inbox, and no two have the same class.
// Where the inbox is Untagged, folders are sets of tags, with a rule for each tag.
type Rules []*Folder

// Untagged is the folder of messages without tags, in a mailbox whose folders are sets of tags
// as count.TagSet names them. A name is also the class of what lies there.
const Untagged = ","

// Named returns the rule of a folder, or nil. A set of tags is filed into if each of its tags is.
func (r Rules) Named(name string) *Folder {
	if i := slices.IndexFunc(r, func(f *Folder) bool { return f.Name == name }); i >= 0 {
		return r[i]
	}
	if !strings.HasPrefix(name, ",") || !r.OfTags() {
		return nil
	}
	set := &Folder{Name: name, Class: name, New: File}
	for tag := range strings.SplitSeq(name[1:], ",") {
		if tag == name[1:] {
			break // no rule has this tag
		}
		if f := r.Named("," + tag); f.New != File {
			set.New = f.New
		}
	}
	return set
}

// OfTags reports whether folders are sets of tags.
func (r Rules) OfTags() bool { return r.Inbox().Name == Untagged }

// Inbox returns the rule of the inbox.
func (r Rules) Inbox() *Folder {
	return r[slices.IndexFunc(r, func(f *Folder) bool { return f.Inbox })]
}

// of returns the rule of a class, or nil.
func (r Rules) of(class string) *Folder {
	if i := slices.IndexFunc(r, func(f *Folder) bool { return f.Class == class }); i >= 0 && class != "" {
		return r[i]
	}
	if r.OfTags() {
		return r.Named(class)
	}
	return nil
}

// An Answer is what a classifier says of a message.
type Answer struct {
	Class       string
	Probability float64  // calibrated, 0 to 1
	Precision   float64  // that answers as sure have reached, 0 to 1
	Junk        bool     // it is sure enough for junk, whatever the share of that among the learned mail
	Unsure      bool     // the classifier abstains, or has not learned enough to be calibrated
	Likely      []string // classes to suggest, the most probable first
}

// Of returns the folder into which new mail with this answer is filed; nil for the inbox.
func (r Rules) Of(a Answer) *Folder {
	f := r.of(a.Class)
	if f == nil || f.Inbox || f.New != File || a.Unsure || a.Precision < f.Precision || f.Junk && !a.Junk {
		return nil
	}
	return f
}

// Suggested returns the folders to suggest for mail that stays in the inbox.
func (r Rules) Suggested(a Answer) (folders []string) {
	for _, class := range a.Likely {
		if f := r.of(class); f != nil && !f.Inbox && f.New != Leave {
			folders = append(folders, f.Name)
		}
	}
	return folders
}

// A Sight is a message found in a folder.
type Sight struct {
	Folder    *Folder
	Read      bool  // somebody has read it, answered it, or flagged it
	Fresh     bool  // it was delivered since the mailbox is watched
	Elsewhere bool  // the folder of its Record has another copy
	Before    bool  // it lay there before, beside that one
	Delivered int64 // in Unix nanoseconds; 0 if that is not known
}

// A Stage is how far the handling of a message has come.
type Stage byte

// The stages. Each is recorded before its action: the process may be killed during it.
const (
	Settled  Stage = iota // nothing is to be done
	Waiting               // in the inbox it is learned when somebody has read it, elsewhere when its folder has a class
	Learning              // it is about to be learned as its folder's class, or forgotten
	Filing                // it is about to be moved to its folder
)

// A Record is what is stored about a message. The zero value is for an unknown message.
type Record struct {
	Folder string // where it lies, or was last put
	Stage  Stage
	Class  string // of Learning, in an inbox without a class: the class to forget

	// Delivered is when the last of its copies was, in Unix nanoseconds; 0 if that is not known.
	// A later one comes from outside, and nobody has put it where it lies.
	Delivered int64
}

// Learned is the message's entry in the ledger.
type Learned struct {
	Class string // "" if nothing is
	Auto  bool   // no person has taught it
}

// An Act is an action on a message.
type Act byte

// The acts.
const (
	Nothing Act = iota // only store the Record
	Learn              // learn it as Step.Class
	Forget             // forget it, if it is learned as Step.Class
	Ask                // ask the classifier; see Rules.Of
)

// A Step is what to do with a message. Record is stored afterwards. If the message is learned or
// forgotten, the Record is stored before that too, with the stage Learning.
type Step struct {
	Act    Act
	Class  string
	Record Record
}

// Decide returns what to do with a message that is in a new place, that somebody has read since
// it was left in the inbox, or whose handling was interrupted.
func (r Rules) Decide(s Sight, known Record, learned Learned) (step Step) {
	defer func() { step.Record.Delivered = max(known.Delivered, s.Delivered) }()
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
	case known.Stage != Filing && known.Precedes(s.Delivered) && !s.Read:
		return comesAgain(s, known)
	case s.Elsewhere: // a second copy
		return Step{Record: known}
	case known.Stage == Filing && s.Read && here.Class != "" && (learned.Class == "" || learned.Auto):
		return learn(here, learned)
	case known.Stage == Filing: // it may have been moved, and moved back
		return Step{Record: Record{Folder: here.Name, Stage: Waiting}}
	case s.Before && !s.Read && learned.Class == "": // a copy that nobody has looked at
		return Step{Record: Record{Folder: here.Name, Stage: Waiting}}
	case here.Class != "":
		return learn(here, learned)
	}
	f := r.Named(known.Folder)
	return takenOut(here, f != nil && (f.Class == learned.Class || known.Stage == Learning), learned)
}

// Precedes reports whether all known copies were delivered before a time, in Unix nanoseconds.
func (r Record) Precedes(delivered int64) bool {
	return r.Delivered != 0 && delivered > r.Delivered
}

// stays decides about a message that is still in its last place.
func stays(s Sight, known Record, learned Learned) Step {
	here := s.Folder
	done := Step{Record: Record{Folder: here.Name}}
	switch {
	case here.Inbox && s.Fresh && !s.Read && !s.Before && (known.Stage == Waiting && s.Elsewhere || known.Stage < Learning && known.Precedes(s.Delivered)):
		// Its sender has had it delivered again, perhaps with another header.
		return Step{Act: Ask, Record: Record{Folder: here.Name, Stage: Waiting}}
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

// arrives decides about an unknown message in the inbox.
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

// comesAgain decides about a message that was delivered to the inbox again, which its sender can cause.
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

// takenOut decides about a message that somebody has moved to an inbox without a class.
func takenOut(here *Folder, asLearned bool, learned Learned) Step {
	done := Step{Record: Record{Folder: here.Name}}
	if asLearned && learned.Class != "" {
		done.Act, done.Class, done.Record.Class = Forget, learned.Class, learned.Class
	}
	return done
}

// learn learns a message as the class of a folder, unless it is learned so already.
func learn(here *Folder, learned Learned) Step {
	done := Step{Record: Record{Folder: here.Name}}
	if learned.Class != here.Class || learned.Auto {
		done.Act, done.Class = Learn, here.Class
	}
	return done
}

package watching

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/store/count"
)

// Settings are the settings common to all mailboxes.
type Settings struct {
	Database string         `toml:"database"` // "" is the one that other commands take
	Source   string         `toml:"source"`   // in the ledger
	Interval time.Duration  `toml:"interval"` // between two looks if changes are not reported
	Inbox    InboxSettings  `toml:"inbox"`
	Folders  []RuleSettings `toml:"folder"`
}

// InboxSettings are the settings of the inbox.
type InboxSettings struct {
	Folder string `toml:"folder"`
	Class  string `toml:"class"`
}

// RuleSettings are the settings of a folder.
type RuleSettings struct {
	Name      string  `toml:"name"`
	Class     string  `toml:"class"`
	New       string  `toml:"new"`
	Precision float64 `toml:"precision"`
}

const (
	// precision is the share of right answers that those for a folder must have reached
	// before new mail is filed there, unless the folder says otherwise.
	precision = .9

	// junkProbability is the probability of junk from which it is filed: the least expected
	// cost if ham in Junk costs 8, spam in the inbox 1 and no answer .1. It costs less than
	// the 10 of a filter, since Junk is a folder that its owner can look into.
	junkProbability = 1 - .1/8
)

// junkClasses are the classes, in small letters, of which mail is filed by junkProbability.
var junkClasses = []string{"spam", "junk"}

// leastInterval keeps a mailbox from being listed all the time.
const leastInterval = time.Second

// Rules checks the settings and returns the folders.
func (s *Settings) Rules(k *settings.Checker) filing.Rules {
	k.Path(&s.Database)
	if s.Interval < leastInterval {
		k.Wrong("interval", "want at least %v", leastInterval)
	}
	if s.Inbox.Folder == "" {
		k.Wrong("inbox.folder", "want the folder where new mail arrives")
	}
	inbox := &filing.Folder{Name: s.Inbox.Folder, Inbox: true, Class: s.Inbox.Class}
	if inbox.Class != "" {
		checkClass(k, "inbox.class", inbox.Class)
	}
	rules := filing.Rules{inbox}
	if len(s.Folders) == 0 {
		k.Wrong("", "there is no folder: want at least one [[folder]]")
	}
	for i := range s.Folders {
		rules = append(rules, s.Folders[i].rule(k, fmt.Sprintf("folder[%d]", i), rules))
	}
	return rules
}

// rule checks the settings of one folder; others are the folders before it.
func (r *RuleSettings) rule(k *settings.Checker, key string, others filing.Rules) *filing.Folder {
	f := &filing.Folder{Name: r.Name, Class: r.Class, New: filing.New(r.New), Precision: r.Precision}
	if f.Name == "" {
		k.Wrong(key+".name", "want the name of a folder")
	}
	checkClass(k, key+".class", f.Class)
	for _, other := range others {
		if other.Name == f.Name {
			k.Wrong(key+".name", "%s has a rule already", f.Name)
		}
		if other.Class == f.Class && f.Class != "" {
			k.Wrong(key+".class", "%s is the class of %s already", f.Class, other.Name)
		}
	}
	switch f.New {
	case "":
		f.New = filing.Leave
	case filing.Leave, filing.Mark, filing.File:
	default:
		k.Wrong(key+".new", "want leave, mark or file, not %q", r.New)
	}
	if f.Precision == 0 {
		f.Precision = precision
	}
	if slices.Contains(junkClasses, strings.ToLower(f.Class)) {
		f.Probability = junkProbability
	}
	if !(f.Precision > .5 && f.Precision < 1) {
		k.Wrong(key+".precision", "want the share of answers that are right, above 0.5 and below 1")
	}
	return f
}

func checkClass(k *settings.Checker, key, class string) {
	if class == "" {
		k.Wrong(key, "want the class of what lies there")
	} else if err := count.CheckClass(class); err != nil {
		k.Wrong(key, "%v", err)
	}
}

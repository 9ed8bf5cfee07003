package watching

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/internal/settings"
	"github.com/polya-classifier/polya/store/count"
)

// Settings are the settings common to all mailboxes.
type Settings struct {
	Database  string          `toml:"database,omitempty"` // "" is the one that other commands take
	Source    string          `toml:"source,omitempty"`   // in the ledger
	Interval  time.Duration   `toml:"interval,omitzero"`  // between two looks if changes are not reported
	Precision float64         `toml:"precision,omitzero"` // of folders that ask for none of their own
	Inbox     InboxSettings   `toml:"inbox,omitempty"`
	Folders   []filing.Folder `toml:"folder,omitempty"` // or tags; Rules fills in what they do not say
}

// InboxSettings are the settings of the inbox.
type InboxSettings struct {
	Folder string        `toml:"folder,omitempty"`
	Class  string        `toml:"class,omitempty"`
	OldAge time.Duration `toml:"old,omitzero"` // older mail counts as read; 0: none
}

// Precision is what answers for a folder must have reached before mail is filed there, by default.
const Precision = .9

// junkProbability is the probability of junk from which it is filed: the least expected
// cost if ham in Junk costs 8, spam in the inbox 1 and no answer .1. It costs less than
// the 10 of a filter, since Junk is a folder that its owner can look into.
const junkProbability = 1 - .1/8

// junkOdds returns the log-odds of junkProbability, as answers have them.
func junkOdds(k *calibration.Calibration) float64 {
	return k.Model(k.Chosen).Floored(math.Log(junkProbability / (1 - junkProbability)))
}

// leastInterval keeps a mailbox from being listed all the time.
const leastInterval = time.Second

// Rules checks the settings and returns the rules. With tags, folders are tags.
func (s *Settings) Rules(k *settings.Checker, tags bool) filing.Rules {
	k.Path(&s.Database)
	k.Want(s.Interval >= leastInterval, "interval", "want at least %v", leastInterval)
	k.Want(s.Inbox.OldAge >= 0, "inbox.old", "want 0 or more")
	checkShare(k, "precision", s.Precision)
	inbox := &filing.Folder{Name: s.Inbox.Folder, Inbox: true, Class: s.Inbox.Class}
	switch {
	case tags && (inbox.Class != "" || inbox.Name != ""):
		k.Wrong("inbox", "want neither folder nor class: the inbox is what has none of the tags")
	case tags:
		inbox.Name, inbox.Class = filing.Untagged, filing.Untagged
	case inbox.Name == "":
		k.Wrong("inbox.folder", "want the folder where new mail arrives")
	case inbox.Class != "":
		checkClass(k, "inbox.class", inbox.Class)
	}
	rules := filing.Rules{inbox}
	k.Want(len(s.Folders) > 0, "", "there is no folder: want at least one [[folder]]")
	for i := range s.Folders {
		f, key := &s.Folders[i], fmt.Sprintf("folder[%d]", i)
		if tags {
			ofTag(k, key, f)
		}
		s.rule(k, key, f, rules)
		rules = append(rules, f)
	}
	return rules
}

// ofTag makes of a tag the folder that it alone is.
func ofTag(k *settings.Checker, key string, tag *filing.Folder) {
	k.Want(tag.Class == "" && tag.Precision == 0, key, "want neither class nor precision: a tag is its own class, and all have one precision")
	set, err := count.TagSet(tag.Name)
	if err == nil && (strings.HasPrefix(tag.Name, "-") || len(tag.Name) > longestTag) {
		err = fmt.Errorf("%.20q: want a tag of at most %d bytes that begins with no -", tag.Name, longestTag)
	}
	k.Want(err == nil, key+".name", "%v", err)
	tag.Name, tag.Class = set, set
}

// longestTag is the longest tag that notmuch takes, NOTMUCH_TAG_MAX.
const longestTag = 200

// rule checks the settings of one folder; others are the folders before it.
func (s *Settings) rule(k *settings.Checker, key string, f *filing.Folder, others filing.Rules) {
	f.New, f.Precision = cmp.Or(f.New, filing.Suggest), cmp.Or(f.Precision, s.Precision)
	k.Want(f.Name != "", key+".name", "want the name of a folder")
	checkClass(k, key+".class", f.Class)
	for _, other := range others {
		k.Want(other.Name != f.Name, key+".name", "%s has a rule already", Shown(f.Name))
		k.Want(other.Name == f.Name || other.Class != f.Class || f.Class == "", key+".class", "%s is the class of %s already", f.Class, other.Name)
	}
	k.Want(slices.Contains([]filing.New{filing.Leave, filing.Suggest, filing.File}, f.New), key+".new", "want leave, suggest or file, not %q", f.New)
	f.Junk = corpus.IsJunk(strings.TrimPrefix(f.Class, ","))
	checkShare(k, key+".precision", f.Precision)
}

func checkShare(k *settings.Checker, key string, share float64) {
	k.Want(share > .5 && share < 1, key, "want the share of answers that are right, above 0.5 and below 1")
}

func checkClass(k *settings.Checker, key, class string) {
	err := count.CheckClass(class)
	k.Want(class != "", key, "want the class of its messages")
	k.Want(class == "" || err == nil, key, "%v", err)
}

// An Outlook is how filing would have done for learned messages, each judged without itself.
type Outlook struct {
	Sample  int     // messages that were judged
	Belong  int     // messages that are learned as the folder's class
	Filed   int     // messages that would have been filed into the folder
	Correct float64 // of Filed, as expected by the labels
}

// Outlook returns what would have been filed into f. All is 0 before anything is calibrated.
func (d *Database) Outlook(f *filing.Folder) (o Outlook, err error) {
	c, err := d.open()
	if c == nil || err != nil {
		return o, err
	}
	if c.Store().Tags() {
		return d.outlookOfTag(c, strings.TrimPrefix(f.Class, ","))
	}
	k, err := c.Calibration()
	if k == nil || err != nil {
		return o, err
	}
	least := math.Inf(-1)
	if f.Junk {
		least = junkOdds(k)
	}
	r, unread := c.Record()
	o.Sample = r.Documents()
	classes, err := c.Classes()
	if at := count.ClassNamed(classes, f.Class); at >= 0 {
		e := r.Earned(&classes[at].ID, f.Precision, least)
		o.Belong, o.Filed, o.Correct = int(classes[at].Docs), e.Filed, e.Right
	}
	return o, cmp.Or(unread, err)
}

func (d *Database) outlookOfTag(c *classify.Classifier, name string) (o Outlook, err error) {
	t, err := tags.New(c, d.Share)
	if err != nil {
		return o, err
	}
	info, err := t.Info()
	o.Sample = int(info.Calibrated)
	for _, tag := range info.Tags {
		if tag.Tag == name {
			o.Belong, o.Filed, o.Correct = int(tag.Documents), tag.Right+tag.Wrong, float64(tag.Right)
		}
	}
	return o, err
}

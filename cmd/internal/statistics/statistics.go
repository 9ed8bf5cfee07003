// Package statistics says what a database has learned: its documents by class or tag,
// settings, how well answers distinguish the classes, and what a command has changed.
package statistics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// CalibratedFrom is the number of documents from which a database is calibrated.
const CalibratedFrom = 20

// Summary is the output of 'polya info', also as JSON.
type Summary struct {
	Database   string        `json:"database"`
	Size       int64         `json:"size"`
	Format     int           `json:"format"`
	Analyzer   string        `json:"analyzer"`
	Ledger     string        `json:"ledger"`
	Documents  uint64        `json:"documents"`
	Vocabulary uint64        `json:"vocabulary"`
	Attributes int           `json:"attributes,omitempty"`
	Classes    []ClassCounts `json:"classes"`

	Settings setting.Values `json:"settings,omitempty"`

	Follows *Followed `json:"follows,omitempty"`

	// Of a database of tags.
	Precision  float64        `json:"precision,omitempty"`  // target precision
	Calibrated uint64         `json:"calibrated,omitempty"` // documents at the last calibration
	Tags       []tags.TagInfo `json:"tags,omitempty"`

	// Calibration holds only the chosen model, and is nil without a calibration.
	Calibration *Calibration `json:"calibration"`

	Due bool `json:"due,omitempty"` // calibrating again
}

// Followed is the log that the database follows, and how far.
type Followed struct {
	Log      string    `json:"log"`
	Created  time.Time `json:"created"`
	Position uint64    `json:"position"`
}

func followedIn(s *store.Snapshot) (*Followed, error) {
	log, err := s.Stream()
	if err != nil || log == nil {
		return nil, err
	}
	position, err := s.Position()
	return &Followed{log.Name, log.Created, position}, err
}

// ClassCounts holds the counts of one class.
type ClassCounts struct {
	Class     string `json:"class"`
	Documents uint64 `json:"documents"`
	Tokens    uint64 `json:"tokens"`
	Terms     uint64 `json:"terms"`
	Judged    *int   `json:"judged,omitempty" text:"sample"` // documents in the calibration sample, nil without a calibration
}

// Read reads the statistics of an open database. is is the class whose rates to include, "" for
// all.
func Read(c *classify.Classifier, is string) (i *Summary, err error) {
	db := c.Store()
	i = &Summary{Database: db.Path(), Format: store.FormatVersion, Analyzer: db.Analyzer(), Ledger: db.Ledger().String(), Classes: []ClassCounts{}}
	if i.Size, err = db.Size(); err != nil {
		return nil, err
	}
	if db.Tags() {
		if err := i.readTags(c); err != nil {
			return nil, err
		}
	}
	k, err := c.Calibration()
	if err != nil {
		return nil, err
	}
	if k != nil {
		if i.Due, err = c.FitDue(calibration.RefitGrowth); err != nil {
			return nil, err
		}
		others := func(m calibration.Model) bool { return m.Name != k.Chosen }
		if i.Calibration, err = ReadCalibration(c, k, is, slices.DeleteFunc(k.Ranking(), others)...); err != nil {
			return nil, err
		}
	}
	err = db.View(func(s *store.Snapshot) error {
		i.Settings = setting.In(s)
		i.Documents, i.Vocabulary = s.Documents(), s.Vocabulary()
		if !db.Tags() {
			i.Classes = classInfos(s, k)
		}
		if i.Follows, err = followedIn(s); err != nil {
			return err
		}
		attributes, err := s.Attributes()
		i.Attributes = len(attributes)
		return err
	})
	return i, err
}

// classInfos lists the classes. k may be nil.
func classInfos(s *store.Snapshot, k *calibration.Calibration) []ClassCounts {
	infos := []ClassCounts{}
	for _, c := range s.Classes() {
		info := ClassCounts{Class: c.Name, Documents: c.Docs, Tokens: c.Tokens, Terms: c.Terms}
		if k != nil {
			sampled := k.Sampled[c.ID]
			info.Judged = &sampled
		}
		infos = append(infos, info)
	}
	return infos
}

// Print prints what the database holds, how good its answers are and which documents are
// probably in the wrong class, of the class is or of all; what flags do for the class that is
// asked about; and how the database was made.
func (i *Summary) Print(p *terminal.Streams, is string) error {
	if p.Quiet {
		return nil
	}
	if err := i.head().Write(p.Stdout); err != nil {
		return err
	}
	p.Printf("\n")
	if i.Tags != nil {
		return cmp.Or(i.PrintTags(p), i.printMade(p))
	}
	if err := terminal.TableOf(i.Classes).Write(p.Stdout); err != nil {
		return err
	}
	if c := i.Calibration; c != nil {
		if warning := c.Latest.warning(); warning != "" {
			p.Printf("\n%s", warning)
		}
		for _, n := range c.Narrow {
			p.Printf("\n%s", n.warning())
		}
		if err := cmp.Or(c.labels.print(p, is), c.printFilters(p, cmp.Or(is, i.Settings[setting.Is]))); err != nil {
			return err
		}
	}
	return i.printMade(p)
}

// head says what the database holds, and how many answers are right.
func (i *Summary) head() *terminal.Table {
	t := new(terminal.Table)
	t.Add("database", terminal.Printable(i.Database))
	t.Add("documents", terminal.Grouped(i.Documents))
	t.Add("vocabulary", terminal.Grouped(i.Vocabulary))
	if i.Attributes > 0 {
		t.Add("attributes", terminal.Grouped(i.Attributes))
	}
	label := "settings"
	for _, name := range slices.Sorted(maps.Keys(i.Settings)) {
		if value := i.Settings[name]; value != "" {
			t.Add(label, name+" "+shownValue(name, value))
			label = ""
		}
	}
	switch {
	case i.Tags != nil:
		i.addTags(t)
	case i.Calibration != nil && len(i.Calibration.Earned) > 0:
		for _, e := range i.Calibration.Earned {
			switch {
			case e.Precision == 0:
				t.Add("right", fmt.Sprintf("%.1f %% of the answers about %s, each asked about as if it had not been learned",
					100*float64(e.Right), terminal.Counted(e.Judged, "learned document", "learned documents")))
			case e.Answered == 0:
				t.Add("", fmt.Sprintf("no answers with --precision %g", e.Precision))
			case e.Answered < e.Judged:
				t.Add("", fmt.Sprintf("%.1f %% of %s with --precision %g", 100*float64(e.Right), terminal.Counted(e.Answered, "answer", "answers"), e.Precision))
			}
		}
		if unknown := i.Calibration.Unknown; len(unknown) > 0 {
			t.Add("", fmt.Sprintf("no precision is known of %s, which had fewer than 3 documents then, if any ('polya calibrate')", terminal.Counted(len(unknown), "class", "classes")))
		}
	case i.Documents < CalibratedFrom:
		t.Add("right", fmt.Sprintf("not known (training measures that from %d documents on)", CalibratedFrom))
	default:
		t.Add("right", "not known ('polya calibrate' measures that, or says what is missing)")
	}
	return t
}

// printMade prints how the database was made, and the model that answers.
func (i *Summary) printMade(p *terminal.Streams) error {
	var t terminal.Table
	t.Add("size", fmt.Sprintf("%s bytes", terminal.Grouped(i.Size)))
	t.Add("format", fmt.Sprint(i.Format))
	t.Add("ledger", i.Ledger)
	t.Add("analyzer", terminal.Printable(i.Analyzer))
	if f := i.Follows; f != nil {
		t.Add("follows", fmt.Sprintf("log %s made on %s, up to position %s", terminal.Printable(f.Log), f.Created.Format(time.RFC3339), terminal.Grouped(f.Position)))
	}
	if i.Tags == nil {
		i.addModel(&t)
	}
	p.Printf("\n")
	return t.Write(p.Stdout)
}

// addModel adds what is known of the model that answers by default.
func (i *Summary) addModel(t *terminal.Table) {
	if i.Calibration == nil {
		t.Add("model", "stack, with default weights: not calibrated")
		return
	}
	t.Add("model", i.Calibration.Choice())
	t.Add("calibrated", i.calibratedAt(i.Calibration.Documents))
	if l := i.Calibration.Latest; l != nil {
		t.Add("latest", l.String())
	}
	for _, m := range i.Calibration.Models {
		if m.Floor > 0 {
			t.Add("floor", fmt.Sprintf("%.2g %% of answers may be wrong however sure they are", 100*m.Floor))
		}
	}
}

// calibratedAt says at how many documents the database was calibrated, and whether it is again due.
func (i *Summary) calibratedAt(documents uint64) string {
	at := "at " + terminal.Counted(documents, "document", "documents")
	if i.Due {
		at += fmt.Sprintf("; again due ('polya calibrate', or a training of %d)", calibration.FewTaught)
	}
	return at
}

// PrintSettings prints the settings that a database keeps, a line each.
func PrintSettings(p *terminal.Streams, kept setting.Values) error {
	var t terminal.Table
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if value := kept[name]; value != "" {
			t.Add(name, shownValue(name, value))
		}
	}
	if len(t.Rows) == 0 {
		p.Printf("nothing is set; 'polya help set' lists what can be\n")
		return nil
	}
	return t.Write(p.Stdout)
}

// shownValue returns a value of several lines as one, and says if it is of a setting of another version.
func shownValue(name, value string) string {
	if !slices.Contains(setting.Names, name) {
		value += ", which this version does not use; 'polya set " + name + " \"\"' removes it"
	}
	return terminal.Printable(strings.ReplaceAll(value, "\n", "  "))
}

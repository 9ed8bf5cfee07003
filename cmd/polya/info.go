package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
	"github.com/polya-classifier/polya/cmd/polya/internal/rates"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func infoCommand(p *program) *cobra.Command {
	var asJSON bool
	var is string
	cmd := &cobra.Command{
		Use:     "info",
		Short:   "say what the database holds",
		Example: "    polya info --db work.polya\n    polya info --is spam",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i, err := p.readInfo(is)
			if err != nil {
				return err
			}
			if asJSON {
				return p.EncodeJSON(i)
			}
			return p.printInfo(i, is)
		},
	}
	ratesFlag(p, cmd, &is)
	jsonFlag(cmd, &asJSON)
	return cmd
}

type info struct {
	Database   string      `json:"database"`
	Size       int64       `json:"size"`
	Format     int         `json:"format"`
	Analyzer   string      `json:"analyzer"`
	Ledger     string      `json:"ledger"`
	Documents  uint64      `json:"documents"`
	Vocabulary uint64      `json:"vocabulary"`
	Attributes int         `json:"attributes,omitempty"`
	Classes    []classInfo `json:"classes"`

	// Calibration has of the models only the chosen one, and is nil while there
	// is none.
	Calibration *rates.Calibration `json:"calibration"`

	chosen string // and why
}

type classInfo struct {
	Class     string `json:"class"`
	Documents uint64 `json:"documents"`
	Tokens    uint64 `json:"tokens"`
	Terms     uint64 `json:"terms"`
	Judged    *int   `json:"judged,omitempty"` // by the calibration, nil without one
}

func (p *program) readInfo(is string) (*info, error) {
	c, err := p.openRead(classify.Options{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	db := c.Store()
	if err := checkRatesClass(db, is); err != nil {
		return nil, err
	}
	i := &info{Database: db.Path(), Format: store.FormatVersion, Analyzer: db.Analyzer(), Ledger: db.Ledger().String()}
	if i.Size, err = db.Size(); err != nil {
		return nil, err
	}
	k, err := c.Calibration()
	if err != nil {
		return nil, err
	}
	i.choice(k)
	if k != nil {
		i.Calibration.Zones = rates.ZonesIn(db, k, is)
		if i.Calibration.Rates, err = rates.In(c, k, is); err != nil {
			return nil, err
		}
	}
	err = db.View(func(s *store.Snapshot) error {
		i.Documents, i.Vocabulary = s.Documents(), s.Vocabulary()
		i.Classes = classInfos(s, k)
		attributes, err := s.Attributes()
		i.Attributes = len(attributes)
		return err
	})
	return i, err
}

// choice says which model answers by default.
func (i *info) choice(k *calibration.Calibration) {
	if k == nil {
		i.chosen = "stack, with default weights: not calibrated"
		return
	}
	i.chosen = rates.Choice(k)
	var models []calibration.Model
	if m := rates.Model(k, k.Chosen); m != nil {
		models = append(models, *m)
	}
	i.Calibration = rates.NewCalibration("", k, models...)
}

// classInfos lists the classes. k may be nil.
func classInfos(s *store.Snapshot, k *calibration.Calibration) []classInfo {
	infos := []classInfo{}
	for _, c := range s.Classes() {
		info := classInfo{Class: c.Name, Documents: c.Docs, Tokens: c.Tokens, Terms: c.Terms}
		if k != nil {
			sampled := k.Sampled[c.ID]
			info.Judged = &sampled
		}
		infos = append(infos, info)
	}
	return infos
}

// unsampled returns the names of the classes with documents that have none in the
// calibration sample.
func unsampled(classes []classInfo) []string {
	var names []string
	for _, c := range classes {
		if c.Judged != nil && *c.Judged == 0 && c.Documents > 0 {
			names = append(names, c.Class)
		}
	}
	return names
}

func (p *program) printInfo(i *info, is string) error {
	if p.Quiet {
		return nil
	}
	var head terminal.Table
	head.Add("database", terminal.Printable(i.Database))
	head.Add("size", fmt.Sprintf("%s bytes", terminal.Grouped(i.Size)))
	head.Add("format", fmt.Sprint(i.Format))
	head.Add("analyzer", terminal.Printable(i.Analyzer))
	head.Add("ledger", i.Ledger)
	head.Add("documents", terminal.Grouped(i.Documents))
	head.Add("vocabulary", terminal.Grouped(i.Vocabulary))
	if i.Attributes > 0 {
		head.Add("attributes", terminal.Grouped(i.Attributes))
	}
	i.addModel(&head)
	if err := head.Write(p.Stdout); err != nil {
		return err
	}
	p.Printf("\n")
	if err := p.printClasses(i.Classes); err != nil {
		return err
	}
	if names := unsampled(i.Classes); len(names) > 0 {
		p.Printf("\nThe calibration sample has no document of %s; learn more of it, and 'polya calibrate' takes some.\n", holdings.Some(names))
	}
	if i.Calibration == nil {
		return nil
	}
	if warning := i.Calibration.Latest.Warning(); warning != "" {
		p.Printf("\n%s", warning)
	}
	if err := rates.PrintZones(p.Streams, i.Calibration.Zones); err != nil {
		return err
	}
	return rates.Print(p.Streams, i.Calibration.Rates, is)
}

// addModel adds what is known of the model that answers by default.
func (i *info) addModel(t *terminal.Table) {
	t.Add("model", i.chosen)
	if i.Calibration == nil {
		if i.Documents < calibratedFrom {
			t.Add("", fmt.Sprintf("(training does that from %d documents on)", calibratedFrom))
		} else {
			t.Add("", "('polya calibrate' does that, or says what is missing)")
		}
		return
	}
	t.Add("calibrated", "at "+terminal.Counted(i.Calibration.Documents, "document", "documents"))
	if l := i.Calibration.Latest; l != nil {
		t.Add("latest", l.String())
	}
	for _, m := range i.Calibration.Models {
		if m.Floor > 0 {
			t.Add("floor", fmt.Sprintf("%.2g %% of answers may be wrong however sure they are", 100*m.Floor))
		}
	}
	label := "weights"
	for _, m := range i.Calibration.Models {
		for _, w := range m.Weights {
			t.Add(label, fmt.Sprintf("%.3f  %s", float64(w.Weight), terminal.Printable(w.Model)))
			label = ""
		}
	}
}

func (p *program) printClasses(classes []classInfo) error {
	t := terminal.Table{Numeric: []bool{false, true, true, true, true}}
	head := []string{"class", "documents", "tokens", "terms"}
	calibrated := len(classes) > 0 && classes[0].Judged != nil
	if calibrated {
		head = append(head, "sample")
	}
	t.Add(head...)
	for _, c := range classes {
		row := []string{terminal.Printable(c.Class), terminal.Grouped(c.Documents), terminal.Grouped(c.Tokens), terminal.Grouped(c.Terms)}
		if calibrated {
			row = append(row, terminal.Grouped(*c.Judged))
		}
		t.Add(row...)
	}
	return t.Write(p.Stdout)
}

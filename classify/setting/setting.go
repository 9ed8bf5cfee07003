// Package setting holds the settings that a database keeps: the class that a filter
// detects, how confident answers must be, and how to read the files to learn from. One
// program sets them, and every program that opens the database uses them.
package setting

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polya-classifier/polya/store"
)

// The names of settings.
const (
	Is           = "is"           // the class that answers are about, as a filter
	Threshold    = "threshold"    // probability below which answers are unsure
	FPR          = "fpr"          // false-positive rate of the class Is
	Precision    = "precision"    // share of answers as sure that must have been right
	MinTerms     = "min-terms"    // known terms below which answers are unsure
	MinDocuments = "min-docs"     // documents of the class below which answers are unsure
	Prior        = "prior"        // as decision.ParsePrior reads it
	Cost         = "cost"         // as decision.ParseCosts reads them, one a line
	Format       = "format"       // of files of documents
	ClassColumn  = "class-column" // columns with the class, one a line: the first that a table has
	TextColumn   = "text-column"  // columns with a text, one a line: all that a table has
	IDColumn     = "id-column"    // columns with the id, as of the class
)

// Names are the names of all settings, in the order in which they are shown.
var Names = []string{Is, Threshold, FPR, Precision, MinTerms, MinDocuments, Prior, Cost, Format, ClassColumn, TextColumn, IDColumn}

// List returns the lines of a setting, nil for none.
func (v Values) List(name string) []string {
	return slices.DeleteFunc(strings.Split(v[name], "\n"), func(line string) bool { return line == "" })
}

// key is the key of the settings in the state of a database.
const key = "settings"

// Values are settings by name. An empty value overrides a setting that a database keeps.
type Values map[string]string

// In returns the settings of a database. It skips names that only later programs know.
func In(s *store.Snapshot) Values {
	v := Values{}
	for line := range bytes.Lines(s.StateInPlace(key)) {
		name, value, found := strings.Cut(strings.TrimSuffix(string(line), "\n"), "=")
		if !found || !slices.Contains(Names, name) {
			continue
		}
		if before, several := v[name]; several {
			value = before + "\n" + value
		}
		v[name] = value
	}
	return v
}

// Of is In for an open database.
func Of(db *store.DB) (v Values, err error) {
	err = db.View(func(s *store.Snapshot) error {
		v = In(s)
		return nil
	})
	return v, err
}

// Put changes settings of a database. An empty value removes a setting. It changes nothing
// and returns an error if a value is invalid or settings exclude each other.
func Put(db *store.DB, changes Values) error {
	v, err := Of(db)
	if err != nil {
		return err
	}
	for name, value := range changes {
		if !slices.Contains(Names, name) {
			return fmt.Errorf("there is no setting %.40q", name)
		}
		if !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r != '\n' && r < ' ' }) {
			return fmt.Errorf("%s %.40q: want text without control characters", name, value)
		}
		v[name] = value
	}
	if _, _, err := v.Decide(); err != nil {
		return err
	}
	return db.PutState(map[string][]byte{key: v.encode()})
}

// encode returns the lines that a database keeps, nil for no settings.
func (v Values) encode() []byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if v[name] == "" {
			continue
		}
		for line := range strings.SplitSeq(v[name], "\n") {
			b = append(b, name+"="+line+"\n"...)
		}
	}
	return b
}

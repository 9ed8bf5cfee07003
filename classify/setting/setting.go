// Package setting holds the settings that a database keeps: the class that a filter
// detects, how confident answers must be, and how to read the files to learn from. One
// program sets them, and every program that opens the database uses them.
package setting

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/store"
)

// The names of settings.
const (
	Is          = "is"           // the class that answers are about, as a filter
	Threshold   = "threshold"    // probability below which answers are unsure
	FPR         = "fpr"          // false-positive rate of the class Is
	Precision   = "precision"    // share of answers as sure that must have been right
	Prior       = "prior"        // as decision.ParsePrior reads it
	Cost        = "cost"         // as decision.ParseCosts reads them, one a line
	Format      = "format"       // of files of documents
	ClassColumn = "class-column" // columns with the class, one a line: the first that a table has
	TextColumn  = "text-column"  // columns with a text, one a line: all that a table has
	IDColumn    = "id-column"    // columns with the id, as of the class
)

// Names are the names of all settings.
var Names = []string{Is, Threshold, FPR, Precision, Prior, Cost, Format, ClassColumn, TextColumn, IDColumn}

// List returns the lines of a setting, nil for none.
func (v Values) List(name string) []string {
	return slices.DeleteFunc(strings.Split(v[name], "\n"), func(line string) bool { return line == "" })
}

const key = "settings"

// Values are settings by name. An empty value overrides a setting that a database keeps.
type Values map[string]string

// In returns the settings of a database, and those that another version of the program has set there.
func In(s *store.Snapshot) Values {
	v := Values{}
	for line := range bytes.Lines(s.StateInPlace(key)) {
		if name, value, found := strings.Cut(strings.TrimSuffix(string(line), "\n"), "="); found {
			if before, several := v[name]; several {
				value = before + "\n" + value
			}
			v[name] = value
		}
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
// and returns an error if a value is invalid or settings exclude each other. It keeps what
// is set under a name that only another version knows.
func Put(db *store.DB, changes Values) error {
	v, err := Of(db)
	if err != nil {
		return err
	}
	for name, value := range changes {
		if strings.ContainsAny(name, "=\n") {
			return fmt.Errorf("%.40q is no name of a setting: it has = or a line break", name)
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
		for _, line := range v.List(name) {
			b = append(b, name+"="+line+"\n"...)
		}
	}
	return b
}

// ErrNoClass is the error of a rate without a class.
var ErrNoClass = errors.New("fpr needs is, the class that others must not be taken for")

// deciders are the settings that choose the answer. If one of them is set, the database's
// own values of all of them are ignored.
var deciders = []string{FPR, Precision, Cost, Prior, Threshold}

// Over returns v, completed by the settings that a database keeps.
func (v Values) Over(kept Values) Values {
	all := maps.Clone(kept)
	if slices.ContainsFunc(deciders, func(name string) bool { return v[name] != "" }) {
		maps.DeleteFunc(all, func(name, _ string) bool { return slices.Contains(deciders, name) })
	}
	if v[Precision] != "" || v[Is] != "" { // these two exclude each other
		delete(all, Is)
		delete(all, Precision)
	}
	maps.Copy(all, v)
	return all
}

// Decide returns the Decision of the settings, and their threshold. d is nil, which means the most
// probable class, if none of them says how to decide. The error names the setting.
func (v Values) Decide() (d decision.Decision, threshold float64, err error) {
	if text := v[Threshold]; text != "" {
		if threshold, err = Share(text); err != nil {
			return nil, 0, fmt.Errorf("%s %.20s is no probability: want 0 to 1, or 0%% to 100%%", Threshold, text)
		}
	}
	prior := decision.Prior{}
	if text := v[Prior]; text != "" {
		if prior, err = decision.ParsePrior(text); err != nil {
			return nil, threshold, fmt.Errorf("%s: %w", Prior, err)
		}
	}
	is := v[Is]
	if one, other := v.contradiction(prior.IsDefault()); one != "" {
		return nil, threshold, fmt.Errorf("%s and %s do not go together: each decides alone", one, other)
	}
	switch {
	case v[FPR] != "":
		rate, err := inside(FPR, v[FPR], "a rate above 0 and below 1, such as 0.1% or 0.001")
		if err == nil && is == "" {
			err = ErrNoClass
		}
		return decision.FalsePositiveRate{Positive: is, Rate: rate}, threshold, err
	case v[Precision] != "":
		share, err := inside(Precision, v[Precision], "a share above 0 and below 1, such as 0.9 or 90%")
		return decision.Precision{Share: share}, threshold, err
	case v[Cost] != "":
		costs, err := decision.ParseCosts(strings.Split(v[Cost], "\n"))
		if err != nil {
			return nil, threshold, fmt.Errorf("%s: %w", Cost, err)
		}
		return decision.LeastCost{Costs: costs, Prior: prior, Positive: is}, threshold, nil
	case is != "" && v[Threshold] != "": // it asks for the most probable class in place of the unsure zone
		return decision.LeastCost{Prior: prior, Positive: is}, threshold, nil
	case is != "":
		return decision.Filter{Positive: is, Prior: prior}, threshold, nil
	case !prior.IsDefault():
		return decision.MostProbable{Prior: prior}, threshold, nil
	}
	return nil, threshold, nil
}

// contradiction returns two settings that exclude each other, or "".
func (v Values) contradiction(defaultPrior bool) (one, other string) {
	against := func(one string, others ...string) (string, string) {
		for _, other := range others {
			if v[one] != "" && v[other] != "" && (other != Prior || !defaultPrior) {
				return one, other
			}
		}
		return "", ""
	}
	if one, other = against(FPR, Precision, Cost, Prior); one == "" {
		one, other = against(Precision, Is, Cost, Prior, Threshold)
	}
	return one, other
}

// inside reads a share above 0 and below 1.
func inside(name, text, want string) (float64, error) {
	x, err := Share(text)
	if err != nil || !(x > 0 && x < 1) {
		return 0, fmt.Errorf("%s %.20q: want %s", name, text, want)
	}
	return x, nil
}

// Share reads a share of 0 to 1, as in 0.01 or 1%.
func Share(text string) (float64, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		x /= 100
	}
	if err == nil && (!(x >= 0 && x <= 1)) {
		err = strconv.ErrRange
	}
	return x, err
}

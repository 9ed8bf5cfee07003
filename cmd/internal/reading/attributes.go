package reading

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

func byName(a, b corpus.Attribute) int { return cmp.Compare(a.Name, b.Name) }

// parseKind reads NAME=KIND. The name may have a = in it.
func parseKind(text string) (string, count.Kind, error) {
	at := strings.LastIndexByte(text, '=')
	if at <= 0 {
		return "", 0, errors.New("want NAME=KIND, as in zip=category")
	}
	kind, err := count.ParseKind(text[at+1:])
	if err != nil {
		return "", 0, fmt.Errorf("no kind is called %.40q: want category, yesno, real or uniform", text[at+1:])
	}
	return text[:at], kind, nil
}

// Attributes turns the values that sources and flags give into the attributes that are
// counted.
type Attributes struct {
	added   []corpus.Attribute    // by --attr, in order of name
	stated  map[string]count.Kind // by --kind
	counted map[string]count.Kind // by the database, and by this run if it learns
	before  map[string]bool       // counted by the database when the run began
	Learns  bool

	AsksDatabase bool // the command classifies with or forgets from a database that has learned words

	// For notes at the end of a run.
	mu      sync.Mutex            // the reading goroutine adds columns
	columns []corpus.Column       // to be noted
	uses    map[string]corpus.Use // how each column of strings in the tables of this run is used, by name
	unknown map[string]bool       // attributes of rows and JSON lines that no learned document has
	unmet   map[string]bool       // attributes that nearly all learned documents have, and no row yet
	rows    bool                  // rows were asked about
	quoted  map[string]string     // new attributes of JSON lines whose first value is a number in quotes
}

// NewAttributes parses --kind and --attr. Its errors name the flag.
func NewAttributes(kinds, attrs []string) (*Attributes, error) {
	a := &Attributes{
		stated: map[string]count.Kind{}, counted: map[string]count.Kind{},
		before: map[string]bool{}, uses: map[string]corpus.Use{}, unknown: map[string]bool{}, unmet: map[string]bool{}, quoted: map[string]string{},
	}
	for _, text := range kinds {
		name, kind, err := parseKind(text)
		if have, said := a.stated[name]; err == nil && said && have != kind {
			err = fmt.Errorf("attribute %.40q is said to be %s and %s", name, have, kind)
		}
		if err != nil {
			return nil, fmt.Errorf("--kind %.80q: %w", text, err)
		}
		a.stated[name] = kind
	}
	for _, text := range attrs {
		if err := a.parse(text); err != nil {
			return nil, fmt.Errorf("--attr %.80q: %w", text, err)
		}
	}
	slices.SortFunc(a.added, byName)
	return a, nil
}

// MeetDatabase reads the kinds that db counts; nil counts none. It fails if a kind differs
// from the stated one, or a value of --attr is not of that kind.
func (a *Attributes) MeetDatabase(db *store.DB) error {
	if db != nil {
		if err := a.count(db); err != nil {
			return err
		}
	}
	for _, v := range a.added { // once, rather than for every document
		if _, err := a.attribute(v); err != nil {
			return err
		}
	}
	return nil
}

func (a *Attributes) parse(text string) error {
	name, value, found := strings.Cut(text, "=")
	value = strings.TrimSpace(value)
	if !found || name == "" || value == "" {
		return errors.New("want NAME=VALUE, as in size=1234")
	}
	v, err := corpus.Value(value)
	if err != nil {
		return err
	}
	if _, stated := a.stated[name]; v == nil && stated {
		v = value // NA, of that kind
	}
	if v == nil {
		return fmt.Errorf("%s says nothing: leave it out", value)
	}
	if slices.ContainsFunc(a.added, func(x corpus.Attribute) bool { return x.Name == name }) {
		return fmt.Errorf("attribute %.40q is given twice", name)
	}
	a.added = append(a.added, corpus.Attribute{Name: name, Value: v, Text: value})
	return nil
}

// count reads the kinds that the database counts.
func (a *Attributes) count(db *store.DB) error {
	err := db.View(func(s *store.Snapshot) error {
		all, err := s.Attributes()
		for _, x := range all {
			a.counted[x.Name] = x.Kind
			a.before[x.Name] = true
			a.unmet[x.Name] = 10*x.Pooled().N >= 9*s.Documents()
		}
		a.AsksDatabase = s.Documents() > 0 && s.Vocabulary() > 0
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(a.stated)) {
		if have, known := a.counted[name]; known && have != a.stated[name] {
			return fmt.Errorf("%s: attribute %.40q is counted as %s there, and cannot be %s: give it another name",
				db.Path(), name, have, a.stated[name])
		}
	}
	return nil
}

// Resolve fills in the attributes of d, or says which cannot be counted. If a learns, the kind
// of a new attribute is fixed from then on; if not, Resolve is safe for concurrent use.
func (a *Attributes) Resolve(d *Document) error {
	d.Attributes = d.Attributes[:0]
	for _, v := range d.values() {
		x, err := a.attribute(v)
		if err != nil {
			return err
		}
		d.Attributes = append(d.Attributes, x)
	}
	if n := len(d.Attributes); n > count.MaxAttributes {
		return fmt.Errorf("%s attributes: a document may have %s", terminal.Grouped(n), terminal.Grouped(count.MaxAttributes))
	}
	if a.Learns {
		for _, v := range d.Document.Attributes {
			text, quoted := v.Value.(string)
			_, number := reread(v, true).(float64)
			if a.counted[v.Name]+a.stated[v.Name] == 0 && quoted && v.Text == "" && number {
				a.quoted[v.Name] = text
			}
		}
		for _, x := range d.Attributes {
			a.counted[x.Name] = x.Kind // as it was, or anew
		}
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rows = a.rows || d.Row
	for _, x := range d.Attributes {
		delete(a.unmet, x.Name)
	}
	for _, v := range d.Document.Attributes {
		if _, known := a.counted[v.Name]; !known && len(a.counted) > 0 && len(a.unknown) < 100*maxFew { // JSON lines have any number
			a.unknown[v.Name] = true
		}
	}
	return nil
}

// Decided returns what the run determined without flags, after its end: the kinds of attributes, and
// whether a column of strings is an attribute or the text.
func (a *Attributes) Decided() (kinds map[string]count.Kind, uses map[string]corpus.Use) {
	return a.counted, a.uses
}

// attribute reads a value as the stated kind, or else the counted kind, or else the kind that
// it looks like.
func (a *Attributes) attribute(v corpus.Attribute) (count.Attribute, error) {
	stated := a.stated[v.Name] != 0
	kind := cmp.Or(a.stated[v.Name], a.counted[v.Name], count.AttributeOf(v.Name, v.Value).Kind)
	x, ok := count.Attribute{Name: v.Name, Kind: kind}, false
	switch kind {
	case count.Category:
		_, written := v.Value.(string) // as it is; any other value if that is asked for
		x.Category, ok = cmp.Or(v.Text, fmt.Sprint(v.Value)), written || stated || v.Text != ""
	case count.YesNo:
		x.Number, ok = yesNo[reread(v, stated)]
	default:
		x.Number, ok = reread(v, stated).(float64)
	}
	if !ok {
		return x, misread(v, kind, stated)
	}
	return x, countable(&x)
}

// yesNo are the numbers of the values that are a yes or no.
var yesNo = map[any]float64{true: 1, false: 0, 1.0: 1, 0.0: 0}

// reread returns the value that a text looks like by itself, regardless of the rest of its
// column. It rereads a JSON string only if asked.
func reread(v corpus.Attribute, asked bool) any {
	text, ok := v.Value.(string)
	if !ok || v.Text == "" && !asked {
		return v.Value
	}
	x, err := corpus.Value(text)
	if err != nil {
		return v.Value
	}
	return x
}

// misread says that a value is not of its kind.
func misread(v corpus.Attribute, kind count.Kind, stated bool) error {
	given := fmt.Sprintf("the text %.40q", v.Value)
	switch v.Value.(type) {
	case float64:
		given = fmt.Sprintf("the number %.40s", cmp.Or(v.Text, fmt.Sprint(v.Value)))
	case bool:
		given = cmp.Or(v.Text, fmt.Sprint(v.Value))
	}
	_, number := reread(v, true).(float64)
	by, advice := "is counted as", "correct it, or give it another name"
	switch {
	case stated:
		by, advice = "is said to be", "correct it, or --kind"
	case kind == count.Category || number && kind != count.YesNo:
		advice = fmt.Sprintf("--kind %s takes it for one", terminal.ShellWords(v.Name+"="+kind.String()))
	}
	return fmt.Errorf("attribute %.40q %s %s: here it is %s: %s", v.Name, by, kind, given, advice)
}

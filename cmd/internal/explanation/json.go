package explanation

import (
	"slices"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// explanationJSON is the object of 'polya explain --json'. The log-odds of prior, length
// and groups, less the spread, add up to its own log-odds, and so do the log-odds of
// prior, length, attributes, terms and rest, less the spread.
type explanationJSON struct {
	Path              string           `json:"path"`
	PathBase64        string           `json:"path_base64,omitempty"` // of a path that is not UTF-8
	ID                string           `json:"id"`
	MessageID         string           `json:"message_id,omitempty"`
	Learned           *learnedJSON     `json:"learned"`
	Class             string           `json:"class"`
	Probability       terminal.Number  `json:"probability"`
	LogOdds           terminal.Number  `json:"log_odds"`
	Unsure            bool             `json:"unsure"`
	Reason            string           `json:"reason,omitempty"`
	Cost              *terminal.Number `json:"cost,omitempty"`
	UnknownAttributes int              `json:"unknown_attributes,omitempty"`
	Unknown           int              `json:"unknown"`
	Classes           []string         `json:"classes"`
	Prior             partJSON         `json:"prior"`
	Length            partJSON         `json:"length"`
	Recent            *partJSON        `json:"recent,omitempty"`
	Spread            terminal.Number  `json:"spread"`
	Groups            []groupJSON      `json:"groups"`
	Attributes        []attributeJSON  `json:"attributes,omitempty"`
	Terms             []termJSON       `json:"terms"`
	Rest              partJSON         `json:"rest"` // of the terms beyond -n
}

type groupJSON struct {
	Group string `json:"group"`
	Terms int    `json:"terms"` // number of different terms, or of attributes
	partJSON
}

type learnedJSON struct {
	Class  string    `json:"class"`
	Time   time.Time `json:"time"`
	Source string    `json:"source"`
}

type partJSON struct {
	LogOdds terminal.Number   `json:"log_odds"`
	Weights []terminal.Number `json:"weights"` // in the order of Classes
}

type termJSON struct {
	Term  string `json:"term"`
	Count int    `json:"count"`
	partJSON
}

type attributeJSON struct {
	Attribute string `json:"attribute"`
	Kind      string `json:"kind"`
	Value     any    `json:"value"`
	partJSON
}

func attributeValue(a *count.Attribute) any {
	switch a.Kind {
	case count.Category:
		return a.Category
	case count.YesNo:
		return a.Number != 0
	}
	return terminal.Number(a.Number)
}

func (x *Explained) object() explanationJSON {
	j := explanationJSON{
		Path: x.Path, PathBase64: terminal.ExactPath(x.Path), ID: x.ID.String(), MessageID: x.MessageID, Class: x.Class, Probability: terminal.Number(x.Probability), LogOdds: terminal.Number(x.LogOdds),
		Unsure: x.Unsure, Unknown: x.Unknown, UnknownAttributes: x.UnknownAttributes, Classes: x.Classes, Spread: terminal.Number(x.Spread),
		Prior: newPart(x.Prior), Length: newPart(x.Length), Groups: []groupJSON{}, Terms: []termJSON{},
	}
	if x.Recent.LogOdds != 0 {
		j.Recent = new(newPart(x.Recent))
	}
	for _, g := range groups(&x.Explanation) {
		j.Groups = append(j.Groups, groupJSON{g.Name, g.N, newPart(g.Contribution)})
	}
	j.Reason = reading.Reason(x.Reason)
	if x.Costs {
		j.Cost = (*terminal.Number)(&x.Cost)
	}
	if e := x.Learned; e != nil {
		j.Learned = &learnedJSON{e.Class, e.Time.UTC(), e.Source}
	}
	for i := range x.Attributes {
		a := &x.Attributes[i]
		j.Attributes = append(j.Attributes, attributeJSON{a.Name, a.Kind.String(), attributeValue(&a.Attribute), newPart(a.Contribution)})
	}
	favour, against := sides(&x.Explanation, x.Most)
	printed := map[*classify.Contribution]bool{}
	for _, item := range slices.Concat(favour.largest, against.largest) {
		printed[item.Contribution] = true
	}
	rest := classify.Contribution{LogLikelihoods: make([]float64, len(x.Classes))}
	for i := range x.Terms {
		t := &x.Terms[i]
		if printed[&t.Contribution] {
			j.Terms = append(j.Terms, termJSON{Term: t.Term, Count: t.Count, partJSON: newPart(t.Contribution)})
		} else {
			add(&rest, &t.Contribution)
		}
	}
	j.Rest = newPart(rest)
	return j
}

func newPart(p classify.Contribution) partJSON {
	j := partJSON{LogOdds: terminal.Number(p.LogOdds)}
	for _, w := range p.LogLikelihoods {
		j.Weights = append(j.Weights, terminal.Number(w))
	}
	return j
}

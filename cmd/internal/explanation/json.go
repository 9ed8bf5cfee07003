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
	Prior             part             `json:"prior"`
	Length            part             `json:"length"`
	Recent            *part            `json:"recent,omitempty"`
	Spread            terminal.Number  `json:"spread"`
	Groups            []group          `json:"groups"`
	Attributes        []attributeJSON  `json:"attributes,omitempty"`
	Terms             []termJSON       `json:"terms"`
	Rest              part             `json:"rest"` // of the terms beyond -n
}

type learnedJSON struct {
	Class  string    `json:"class"`
	Time   time.Time `json:"time"`
	Source string    `json:"source"`
}

type termJSON struct {
	Term  string `json:"term"`
	Count int    `json:"count"`
	part
}

type attributeJSON struct {
	Attribute string `json:"attribute"`
	Kind      string `json:"kind"`
	Value     any    `json:"value"`
	part
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
		Prior: partOf(&x.Prior), Length: partOf(&x.Length), Groups: groups(&x.Explanation), Terms: []termJSON{},
		Rest: part{Weights: make([]terminal.Number, len(x.Classes))},
	}
	if x.Recent.LogOdds != 0 {
		j.Recent = new(partOf(&x.Recent))
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
		j.Attributes = append(j.Attributes, attributeJSON{a.Name, a.Kind.String(), attributeValue(&a.Attribute), partOf(&a.Contribution)})
	}
	favour, against := sides(&x.Explanation, x.Most)
	printed := map[*classify.Contribution]bool{}
	for _, item := range slices.Concat(favour.largest, against.largest) {
		printed[item.Contribution] = true
	}
	for i := range x.Terms {
		t := &x.Terms[i]
		if printed[&t.Contribution] {
			j.Terms = append(j.Terms, termJSON{t.Term, t.Count, partOf(&t.Contribution)})
		} else {
			j.Rest.add(&t.Contribution)
		}
	}
	return j
}

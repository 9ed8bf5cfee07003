package main

import (
	"time"

	"github.com/polya-classifier/polya/classify"
)

// explanationJSON is the object of 'polya explain --json'. The log-odds of its
// prior, length, terms and rest, less the spread, add up to its own.
type explanationJSON struct {
	Path        string       `json:"path"`
	ID          string       `json:"id"`
	Learned     *learnedJSON `json:"learned"`
	Class       string       `json:"class"`
	Probability number       `json:"probability"`
	LogOdds     number       `json:"log_odds"`
	Unsure      bool         `json:"unsure"`
	Reason      string       `json:"reason,omitempty"`
	Cost        *number      `json:"cost,omitempty"`
	Unknown     int          `json:"unknown"`
	Classes     []string     `json:"classes"`
	Prior       partJSON     `json:"prior"`
	Length      partJSON     `json:"length"`
	Spread      number       `json:"spread"`
	Terms       []termJSON   `json:"terms"`
	Rest        partJSON     `json:"rest"` // of the terms beyond -n
}

type learnedJSON struct {
	Class  string    `json:"class"`
	Time   time.Time `json:"time"`
	Source string    `json:"source"`
}

type partJSON struct {
	LogOdds number   `json:"log_odds"`
	Weights []number `json:"weights"` // in the order of Classes
}

type termJSON struct {
	Term  string `json:"term"`
	Count int    `json:"count"`
	partJSON
}

func (x *explained) json() explanationJSON {
	j := explanationJSON{
		Path: x.path, ID: x.id.String(), Class: x.Class, Probability: number(x.Probability), LogOdds: number(x.LogOdds),
		Unsure: x.Unsure, Unknown: x.Unknown, Classes: x.Classes, Spread: number(x.Spread),
		Prior: newPart(x.Prior), Length: newPart(x.Length), Rest: newPart(sum(x.left, len(x.Classes))), Terms: []termJSON{},
	}
	j.Reason = string(x.Reason)
	if x.costs {
		cost := number(x.Cost)
		j.Cost = &cost
	}
	if e := x.learned; e != nil {
		j.Learned = &learnedJSON{e.Class, e.Time.UTC(), e.Source}
	}
	for _, t := range x.Terms {
		j.Terms = append(j.Terms, termJSON{t.Term, t.Count, newPart(t.Part)})
	}
	return j
}

func newPart(p classify.Part) partJSON {
	j := partJSON{LogOdds: number(p.LogOdds)}
	for _, w := range p.Weights {
		j.Weights = append(j.Weights, number(w))
	}
	return j
}

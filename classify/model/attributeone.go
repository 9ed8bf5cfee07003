package model

import (
	"fmt"

	"github.com/polya-classifier/polya/store/count"
)

// oneAttribute is the model of a single attribute, a Component of its own.
type oneAttribute struct {
	m    Attributes
	name string
	kind count.Kind
}

// Name returns "attribute", its kind and its name, with the parameters that are not
// the default: what was fitted for an attribute is of no use to another kind of it.
// Parse does not read it.
func (m oneAttribute) Name() string {
	return modelName(fmt.Sprintf("attribute %s %s", m.kind, m.name), m.m.parameters()...)
}

// Levels returns false.
func (oneAttribute) Levels() bool { return false }

// Prepare implements EventModel. An attribute that is not known scores 0.
func (m oneAttribute) Prepare(t Totals) Scorer {
	s := &attributesScorer{m: m.m, at: make([]*attributeScorer, len(t.Attributes))}
	if at := attributeNamed(t.Attributes, m.name); at >= 0 {
		s.at[at] = m.m.scorer(t.Attributes[at])
	}
	return s
}

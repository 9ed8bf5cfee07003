package tokenize

// DefaultSpec is the analyzer that a new database gets.
const DefaultSpec = "polya-1"

// Analyzer turns text into terms. (Stub: the real one is being written.)
type Analyzer struct{}

// New returns the analyzer that spec describes; "" is DefaultSpec.
func New(spec string) (*Analyzer, error) { return &Analyzer{}, nil }

// Spec is the canonical form of the analyzer's spec: New(a.Spec()) is the same analyzer.
func (a *Analyzer) Spec() string { return DefaultSpec }

// Text adds the terms of text to bag, each behind "field:" unless field is empty.
func (a *Analyzer) Text(bag *Bag, field string, text []byte) {}

// HTML adds the terms of an HTML text to bag.
func (a *Analyzer) HTML(bag *Bag, html []byte) {}

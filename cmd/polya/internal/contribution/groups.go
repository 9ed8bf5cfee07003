// Package contribution sums up the parts of an explanation by where in a document they
// stand.
package contribution

import (
	"strings"

	"github.com/polya-classifier/polya/classify"
)

// The names of groups, in the order in which Groups returns them. A term belongs to the
// group of its field, as packages tokenize and tokenize/mail name fields.
const (
	Subject      = "subject"
	Sender       = "sender"        // addresses and names of From, Reply-To, Return-Path and Sender
	OtherHeaders = "other headers" // all other header fields, also those that are absent
	Links        = "links"         // hosts and paths
	Structure    = "structure"     // media types, charsets, encodings, file names, limits met
	Words        = "words"         // of the text that is seen
	HiddenText   = "hidden text"   // of the text that is not seen
	Attributes   = "attributes"
)

var names = [...]string{Subject, Sender, OtherHeaders, Links, Structure, Words, HiddenText, Attributes}

// ofField has the groups of the fields that are no header fields of another group.
var ofField = map[string]string{
	"subject": Subject,
	"from":    Sender, "reply-to": Sender, "return-path": Sender, "sender": Sender,
	"url": Links, "path": Links,
	"mime": Structure, "charset": Structure, "encoding": Structure, "boundary": Structure,
	"file": Structure, "ext": Structure, "limit": Structure,
	"invisible": HiddenText,
}

// GroupOf returns the name of the group that a term belongs to. A term without a field
// is a word; one of a field that is not listed is of another header.
func GroupOf(term string) string {
	field, _, inField := strings.Cut(term, ":")
	if !inField {
		return Words
	}
	if group, listed := ofField[field]; listed {
		return group
	}
	return OtherHeaders
}

// Group is what the terms or attributes of one group contribute together.
type Group struct {
	Name string
	N    int // number of different terms, or of attributes
	classify.Part
}

// Groups returns the groups that an explanation has terms or attributes of, in a fixed
// order. Their log-odds, with those of prior and length and less the spread, add up to
// the log-odds of the answer, unless some of them are infinite.
func Groups(e *classify.Explanation) []Group {
	groups := make([]Group, len(names))
	index := make(map[string]*Group, len(names))
	for i, name := range names {
		groups[i] = Group{Name: name}
		index[name] = &groups[i]
	}
	for i := range e.Terms {
		index[GroupOf(e.Terms[i].Term)].add(&e.Terms[i].Part)
	}
	for i := range e.Attributes {
		index[Attributes].add(&e.Attributes[i].Part)
	}
	kept := groups[:0]
	for _, g := range groups {
		if g.N > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

func (g *Group) add(p *classify.Part) {
	g.N++
	Add(&g.Part, p)
}

// Add adds what p is worth to sum, whose weights are as many or none yet.
func Add(sum, p *classify.Part) {
	sum.LogOdds += p.LogOdds
	if sum.Weights == nil {
		sum.Weights = make([]float64, len(p.Weights))
	}
	for i, w := range p.Weights {
		sum.Weights[i] += w
	}
}

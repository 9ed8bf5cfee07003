// Package explanation prints why a document gets its answer: the contributions of its
// terms and attributes, one by one and summed by their place in the document.
package explanation

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// places has the groups of terms in the order in which they are printed, with the fields whose terms
// belong to them, as packages tokenize and tokenize/mail name fields.
var places = []struct {
	group  string
	fields []string
}{
	{"subject", []string{"subject"}},
	{"headings", []string{"Title", "Heading"}}, // and the title of a page
	{"sender", []string{"from", "reply-to", "return-path", "sender"}},
	{otherHeaders, nil}, // also those that are absent
	{"links", []string{"url", "path", "Anchor"}},
	{"structure", []string{"mime", "charset", "encoding", "boundary", "file", "ext", "limit", "disguise"}},
	{words, nil},    // of the visible text
	{channels, nil}, // of the text, counted apart: "channel=" in an analyzer
	{"hidden text", []string{"invisible"}},
	{ofAttributes, nil},
}

// The groups that have no fields.
const (
	otherHeaders = "other headers"
	words        = "words"
	channels     = "channels"
	ofAttributes = "attributes"
)

// groupOf returns the group of a term. A term without a field is a word; a field that is
// not listed belongs to other headers.
func groupOf(term string) string {
	field, _, inField := strings.Cut(term, ":")
	switch {
	case count.OfChannel([]byte(term)):
		return channels
	case !inField:
		return words
	}
	for _, p := range places {
		if slices.Contains(p.fields, field) {
			return p.group
		}
	}
	return otherHeaders
}

// shown returns a term for printing: with colons in place of channel marks.
func shown(term string) string {
	if count.OfChannel([]byte(term)) {
		term = strings.ReplaceAll(term, term[:1], ":")
	}
	return terminal.Printable(term)
}

// part is a contribution, or the sum of several.
type part struct {
	LogOdds terminal.Number   `json:"log_odds"`
	Weights []terminal.Number `json:"weights"` // in the order of the classes
}

func partOf(c *classify.Contribution) (p part) {
	p.add(c)
	return p
}

func (p *part) add(c *classify.Contribution) {
	p.LogOdds += terminal.Number(c.LogOdds)
	for i, w := range c.LogLikelihoods {
		if i == len(p.Weights) {
			p.Weights = append(p.Weights, 0)
		}
		p.Weights[i] += terminal.Number(w)
	}
}

// group is the total contribution of the terms or attributes of one group.
type group struct {
	Group string `json:"group"`
	Terms int    `json:"terms"` // number of different terms, or of attributes
	part
}

// groups returns the groups present in an explanation, in a fixed order. Their log-odds,
// plus the log-odds of prior and length and less the spread, add up to the log-odds of
// the answer, unless some of them are infinite.
func groups(e *classify.Explanation) []group {
	sums := make([]group, len(places))
	for i, p := range places {
		sums[i].Group = p.group
	}
	to := func(name string, c *classify.Contribution) {
		g := &sums[slices.IndexFunc(sums, func(g group) bool { return g.Group == name })]
		g.Terms++
		g.add(c)
	}
	for i := range e.Terms {
		to(groupOf(e.Terms[i].Term), &e.Terms[i].Contribution)
	}
	for i := range e.Attributes {
		to(ofAttributes, &e.Attributes[i].Contribution)
	}
	return slices.DeleteFunc(sums, func(g group) bool { return g.Terms == 0 })
}

// item is a term or an attribute.
type item struct {
	name, count string
	*classify.Contribution
}

// side holds the contributions for the answer, or against it: the largest, in order, and the others.
type side struct{ largest, rest []item }

// sides divides contributions into those for the answer and those against it, with the n largest
// of each, or all if n is 0. Zero contributions count as against it.
func sides(e *classify.Explanation, n int) (favour, against side) {
	var items []item
	for i := range e.Attributes {
		a := &e.Attributes[i]
		items = append(items, item{"(" + terminal.Printable(a.Name) + " " + attributeText(&a.Attribute) + ")", "", &a.Contribution})
	}
	for i := range e.Terms {
		t := &e.Terms[i]
		items = append(items, item{shown(t.Term), strconv.Itoa(t.Count), &t.Contribution})
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)) })
	for _, item := range items {
		side := &against
		if item.LogOdds > 0 {
			side = &favour
		}
		if n > 0 && len(side.largest) >= n {
			side.rest = append(side.rest, item)
		} else {
			side.largest = append(side.largest, item)
		}
	}
	return favour, against
}

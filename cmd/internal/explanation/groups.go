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

// The names of groups, in the order in which Groups returns them. A term belongs to the
// group of its field, as packages tokenize and tokenize/mail name fields.
const (
	subject      = "subject"
	headings     = "headings"      // headings and title of a page
	sender       = "sender"        // addresses and names of From, Reply-To, Return-Path and Sender
	otherHeaders = "other headers" // all other header fields, also those that are absent
	links        = "links"         // hosts, paths and texts
	structure    = "structure"     // media types, charsets, encodings, file names, limits met, disguises
	words        = "words"         // words of the visible text
	channels     = "channels"      // of the text, counted apart: "channel=" in an analyzer
	hiddenText   = "hidden text"   // words of hidden text
	ofAttributes = "attributes"
)

var names = [...]string{subject, headings, sender, otherHeaders, links, structure, words, channels, hiddenText, ofAttributes}

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
	switch field {
	case "subject":
		return subject
	case "from", "reply-to", "return-path", "sender":
		return sender
	case "Title", "Heading":
		return headings
	case "url", "path", "Anchor":
		return links
	case "mime", "charset", "encoding", "boundary", "file", "ext", "limit", "disguise":
		return structure
	case "invisible":
		return hiddenText
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

// group is the total contribution of the terms or attributes of one group.
type group struct {
	Name string
	N    int // number of different terms, or of attributes
	classify.Contribution
}

// groups returns the groups present in an explanation, in a fixed order. Their log-odds,
// plus the log-odds of prior and length and less the spread, add up to the log-odds of
// the answer, unless some of them are infinite.
func groups(e *classify.Explanation) []group {
	sums := make([]group, len(names))
	to := func(name string, p *classify.Contribution) {
		g := &sums[slices.Index(names[:], name)]
		g.Name, g.N = name, g.N+1
		add(&g.Contribution, p)
	}
	for i := range e.Terms {
		to(groupOf(e.Terms[i].Term), &e.Terms[i].Contribution)
	}
	for i := range e.Attributes {
		to(ofAttributes, &e.Attributes[i].Contribution)
	}
	return slices.DeleteFunc(sums, func(g group) bool { return g.N == 0 })
}

// add adds p to sum, which has as many weights or none yet.
func add(sum, p *classify.Contribution) {
	sum.LogOdds += p.LogOdds
	if sum.LogLikelihoods == nil {
		sum.LogLikelihoods = make([]float64, len(p.LogLikelihoods))
	}
	for i, w := range p.LogLikelihoods {
		sum.LogLikelihoods[i] += w
	}
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

package page

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/serve/overview"
)

// shownStrongest is the number of informative terms shown: more than anyone reads.
const shownStrongest = 60

// terms is the data of the screen of that name.
type terms struct {
	Word      string
	Looked    []overview.Term
	Class     string
	Strongest []overview.Term
	each      func(class string) []string // see visit.each
}

func (p *page) terms(v *visit) (err error) {
	v.Screen, v.Title = "terms", "Words"
	b := &terms{Word: v.field("word"), Class: v.field("class"), each: v.each}
	if b.Looked, err = p.Admin.Word(v, v.User, b.Word); err != nil {
		return err
	}
	if b.Class == "" && len(v.Classes) > 0 && b.Word == "" {
		b.Class = v.Classes[0]
	}
	if b.Class != "" {
		if b.Strongest, err = p.Admin.Informative(v, v.User, b.Class, shownStrongest); err != nil {
			return err
		}
	}
	v.Body = b
	return nil
}

// shownShares is the number of classes that are shown for a term.
const shownShares = 6

// Shares returns the shares of classes' documents that have a term, the greatest first.
func (terms) Shares(t overview.Term) (list []classShare) {
	for i, name := range t.Classes {
		if len(t.Classes) <= shownShares || t.Having[i] > 0 {
			list = append(list, classShare{name, t.Having[i], t.Documents[i], share(t.Having[i], t.Documents[i])})
		}
	}
	slices.SortStableFunc(list, func(a, b classShare) int { return cmp.Compare(b.Share, a.Share) })
	return list[:min(len(list), shownShares)]
}

// classShare is a share of the documents of a class.
type classShare struct {
	Class       string
	Having, All uint64
	Share       float64
}

// Most returns the class with the greatest share of documents that have a term.
func (b terms) Most(t overview.Term) string { return b.Shares(t)[0].Class }

// Sides returns the documents of the class that have a term, and those of all others.
func (b terms) Sides(t overview.Term) [2]uint64 {
	var sides [2]uint64
	for i, class := range t.Classes {
		if slices.Contains(b.each(class), b.Class) {
			sides[0] = t.Having[i]
		} else {
			sides[1] += t.Having[i]
		}
	}
	return sides
}

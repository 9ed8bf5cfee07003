package page

import (
	"cmp"

	"github.com/polya-classifier/polya/serve/backend"
)

// shownTelling is the number of informative terms shown: more than anyone reads.
const shownTelling = 60

// terms is the data of the screen of that name.
type terms struct {
	Word    string
	Looked  []backend.Term
	Class   string
	Telling []backend.Term
}

func (p *page) terms(v *visit) (err error) {
	v.Screen, v.Title = "terms", "Terms"
	b := &terms{Word: v.field("word"), Class: v.field("class")}
	if b.Looked, err = p.Desk.Word(v, v.User, b.Word); err != nil {
		return err
	}
	if b.Class == "" && len(v.Classes) > 0 && b.Word == "" {
		b.Class = v.Classes[0]
	}
	if b.Class != "" {
		if b.Telling, err = p.Desk.Telling(v, v.User, b.Class, shownTelling); err != nil {
			return err
		}
	}
	v.Body = b
	return nil
}

// Shares returns the share of each class's documents that have a term.
func (terms) Shares(t backend.Term) (list []classShare) {
	for i, name := range t.Classes {
		list = append(list, classShare{name, t.Having[i], t.Documents[i], share(t.Having[i], t.Documents[i])})
	}
	return list
}

// classShare is a share of the documents of a class.
type classShare struct {
	Class       string
	Having, All uint64
	Share       float64
}

// Most returns the class with the greatest share of documents that have a term.
func (b terms) Most(t backend.Term) string {
	best := classShare{}
	for _, s := range b.Shares(t) {
		if s.Share > best.Share {
			best = s
		}
	}
	return cmp.Or(best.Class, "none")
}

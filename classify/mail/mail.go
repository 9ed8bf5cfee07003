// Package mail turns Internet messages into documents of a classifier.
package mail

import (
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// Document returns the document of a message as sent or stored, header and body: its
// terms, the attributes that the database's analyzer asks for, and an ID made from its
// Message-ID and body (mail.ID of package tokenize/mail), which is the same wherever the
// message was delivered and whatever header fields were added on the way.
//
// It refuses no message: broken parts of raw are left out. raw may be changed afterwards. Its
// Time is not set, not even from the Date field, which the sender writes.
func Document(c *classify.Classifier, raw []byte) classify.Document {
	bag := new(tokenize.Bag)
	m := mail.ReadMessage(c.Analyzer(), bag, raw)
	doc := classify.Document{ID: m.ID, Bag: bag}
	for _, a := range m.Attributes {
		doc.Attributes = append(doc.Attributes, count.AttributeOf(a.Name, a.Value))
	}
	return doc
}

// Excerpt returns the document of a message of which only rest is left, after a part was
// removed: it has a term that says so, and the ID of rest.
func Excerpt(c *classify.Classifier, rest []byte) classify.Document {
	doc := Document(c, rest)
	mail.CountCut(doc.Bag)
	return doc
}

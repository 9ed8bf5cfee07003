// Package mail turns Internet messages into documents of a classifier.
package mail

import (
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// Document returns the document of a message as it was sent or stored, header and
// body: its terms, the attributes that the database's analyzer asks for, and an ID
// of its Message-ID and body (mail.ID of package tokenize/mail), by which it is the
// same document wherever it was delivered and whatever header fields were added on
// the way.
//
// It refuses no message: what is broken in raw is left out. mail.Read of package
// tokenize/mail says what that was. raw may be changed afterwards.
func Document(c *classify.Classifier, raw []byte) classify.Document {
	bag := new(tokenize.Bag)
	found, _ := mail.Read(c.Analyzer(), bag, raw)
	doc := classify.Document{ID: mail.ID(raw), Bag: bag}
	for _, a := range found {
		switch v := a.Value.(type) {
		case string:
			doc.Attributes = append(doc.Attributes, count.Attribute{Name: a.Name, Kind: count.Category, Category: v})
		case float64:
			doc.Attributes = append(doc.Attributes, count.Attribute{Name: a.Name, Kind: count.Real, Number: v})
		}
	}
	return doc
}

// Excerpt returns the document of a message of which a part was left out before it came
// here: that of the rest, with a term that says so. Its ID is that of the rest.
func Excerpt(c *classify.Classifier, rest []byte) classify.Document {
	doc := Document(c, rest)
	mail.CountCut(doc.Bag)
	return doc
}

package tokenize

import "bytes"

// Field is the place of a term in its document.
type Field uint8

// The fields of a document.
const (
	TextField      Field = iota // the text: a word, or another term that Text and HTML make without a field
	SubjectField                // the subject of a message, title and headings of a page
	PeopleField                 // names and addresses in a message's header
	OtherField                  // any other field
	CharacterField              // none: the channel of characters
)

// FieldOf returns the field of a term, the part before its first colon, as in
// subject:offer.
func FieldOf(term []byte) Field {
	if len(term) > 0 && term[0] == channelMark {
		return CharacterField
	}
	at := bytes.IndexByte(term, ':')
	if at <= 0 {
		return TextField
	}
	switch string(term[:at]) {
	case "url", "path", "invisible", "limit", "disguise":
		return TextField
	case "subject", titleField, headingField:
		return SubjectField
	case "from", "to", "reply-to", "return-path", "sender", "list", "bcc",
		"delivered-to", "envelope-to", "x-original-to", "resent-to", "resent-from", "resent-sender":
		return PeopleField
	}
	return OtherField
}

package tokenize

import "bytes"

// textFields are the fields that a text gives by itself, each with its colon.
var textFields = [][]byte{[]byte("url:"), []byte("path:"), []byte("invisible:")}

// OfField reports whether a term is of a field of its document, such as subject:offer,
// and not of the text: a word, or what Text and HTML find there beside words.
func OfField(term []byte) bool {
	return bytes.IndexByte(term, ':') > 0 && !ofTextField(term)
}

func ofTextField(term []byte) bool {
	for _, field := range textFields {
		if bytes.HasPrefix(term, field) {
			return true
		}
	}
	return false
}

package milter

import (
	"bytes"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
)

var lineEnd = []byte("\r\n")

// A message is the state of one mail transaction.
type message struct {
	begun     bool          // there was a MAIL command, or a part of a message
	auth      string        // login name of the sender, "" without a login
	recipient string        // the first of them
	several   bool          // there are other recipients
	text      *gate.Excerpt // header and body
	busy      bool          // there was no memory for them
	inBody    bool
	forged    int // fields of our name in the message as received
}

// addRecipient takes the argument of RCPT, if the server gave no macro with the address.
func (m *message) addRecipient(macro string, args []byte) {
	m.begun = true
	if macro == "" {
		arg, _ := cut(args)
		macro = strings.TrimSuffix(strings.TrimPrefix(string(arg), "<"), ">")
	}
	switch {
	case m.recipient == "":
		m.recipient = macro
	case !strings.EqualFold(m.recipient, macro):
		m.several = true
	}
}

// addField takes a field of the header, unless it has our name. Its value has the space after the colon if
// leadSpace was agreed on, and newlines where it is folded.
func (m *message) addField(data []byte, spaced bool) {
	m.begun = true
	name, rest := cut(data)
	value, _ := cut(rest)
	if strings.EqualFold(string(bytes.TrimRight(name, " \t")), backend.ResultField) {
		m.forged++
		return
	}
	m.add(name)
	m.add([]byte{':'})
	if !spaced {
		m.add([]byte{' '})
	}
	for line := range bytes.SplitSeq(value, []byte{'\n'}) {
		m.add(bytes.TrimSuffix(line, []byte{'\r'}))
		m.add(lineEnd)
	}
}

func (m *message) addBody(data []byte) {
	m.endHeader()
	m.add(data)
}

// add keeps a piece of the text. If there is no memory for it, nothing is kept.
func (m *message) add(piece []byte) {
	if m.busy {
		return
	}
	if _, err := m.text.Write(piece); err != nil {
		m.busy = true
		m.text.Free()
	}
}

func (m *message) endHeader() {
	m.begun = true
	if !m.inBody {
		m.inBody = true
		m.add(lineEnd)
	}
}

package milter

import (
	"bytes"
	"strings"
)

// A message is what one mail transaction has told so far.
type message struct {
	begun     bool   // there was a MAIL command, or a part of a message
	auth      string // who logged in to send it, "" for nobody
	recipient string // the first of them
	several   bool   // there are other recipients
	text      []byte // header and body, as far as they are looked at
	inBody    bool
	forged    int // fields of our name that came with it
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

// addField takes a field of the header. Its value has the space after the colon if
// leadSpace was agreed on, and newlines where it is folded. Fields called ours are
// counted, and left out.
func (m *message) addField(data []byte, ours string, spaced bool, limit int) {
	m.begun = true
	name, rest := cut(data)
	value, _ := cut(rest)
	if strings.EqualFold(string(bytes.TrimRight(name, " \t")), ours) {
		m.forged++
		return
	}
	if len(m.text)+len(name)+len(value) > limit {
		return
	}
	m.text = append(append(m.text, name...), ':')
	if !spaced {
		m.text = append(m.text, ' ')
	}
	for i, line := range bytes.Split(value, []byte{'\n'}) {
		if i > 0 {
			m.text = append(m.text, '\n')
		}
		m.text = append(append(m.text, bytes.TrimSuffix(line, []byte{'\r'})...), '\r')
	}
	m.text = append(m.text, '\n')
}

// addBody takes a chunk of the body and reports whether more is wanted.
func (m *message) addBody(data []byte, limit int) bool {
	m.endHeader()
	room := max(0, limit-len(m.text))
	m.text = append(m.text, data[:min(len(data), room)]...)
	return len(data) < room
}

func (m *message) endHeader() {
	m.begun = true
	if !m.inBody {
		m.inBody = true
		m.text = append(m.text, '\r', '\n')
	}
}

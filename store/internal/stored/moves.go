package stored

import (
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// maxMoves is how many earlier classes of a document are kept.
const maxMoves = 8

// Moves is the value of the state at MoveKey.
type Moves struct {
	To     string // its class now, or the value is of a move that failed
	At     int64  // when it came there, in Unix seconds
	Before []Earlier
}

// Earlier is a document's entry as another class.
type Earlier struct {
	Class, Source []byte
	At            int64
}

// MoveKey is the state key of a document's earlier classes.
func MoveKey(id count.DocID) string { return "moves/" + string(id[:]) }

// Add says that the document, last as e says, is of another class since then.
func (m *Moves) Add(e Earlier, to string, at int64) {
	m.To, m.At, m.Before = to, at, append(m.Before, e)
	m.Before = m.Before[max(0, len(m.Before)-maxMoves):]
}

// Encode returns the value.
func (m *Moves) Encode() []byte {
	b := binary.AppendVarint(wire.AppendPrefixed(nil, m.To), m.At)
	for _, e := range m.Before {
		b = wire.AppendPrefixed(binary.AppendVarint(wire.AppendPrefixed(b, e.Class), e.At), e.Source)
	}
	return b
}

// ParseMoves reads what Encode wrote of a document that has this class, else nothing. Its
// values are in data.
func ParseMoves(data []byte, class string) (m Moves) {
	r := wire.Reader{Data: data}
	m.To, m.At = string(r.Prefixed()), r.Varint()
	for !r.Bad && r.At < len(data) {
		e := Earlier{Class: r.Prefixed()}
		e.At, e.Source = r.Varint(), r.Prefixed()
		m.Before = append(m.Before, e)
	}
	if r.Bad || m.To != class {
		return Moves{}
	}
	return m
}

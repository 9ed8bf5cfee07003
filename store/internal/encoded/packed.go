package encoded

import (
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// The head of a packed term is one byte, for nearly all terms: three bits of the bytes that it shares
// with the term before, four of the bytes that follow less one, and one that is set if a count above 1
// stands behind them. Of other terms it is spelledOut, and the three bytes of Document follow.
const (
	mostShared = 7
	mostRest   = 16
	spelledOut = 0xff
)

// AppendPacked appends the document as the log keeps it after a bulk training, shorter by a seventh;
// see FORMAT.md, "record".
func (b *Document) AppendPacked(dst []byte) []byte {
	dst = append(dst, b.Raw[:b.start]...)
	for data := b.terms; len(data) > 0; {
		shared, rest := data[0], data[1]
		term, n := data[2:2+int(rest)], data[2+int(rest)]
		head := shared<<5 | (rest-1)<<1
		if n > 1 {
			head |= 1
		}
		if shared > mostShared || rest == 0 || rest > mostRest || head == spelledOut {
			dst = append(dst, spelledOut, shared, rest)
			head = spelledOut
		} else {
			dst = append(dst, head)
		}
		if dst = append(dst, term...); head&1 != 0 {
			dst = append(dst, n)
		}
		data = data[3+int(rest):]
	}
	return append(dst, b.Raw[b.start+len(b.terms):]...)
}

// ParsePacked is Parse for what AppendPacked appended. The document, and what follows, have memory of their own.
func ParsePacked(data []byte) (Document, []byte, error) {
	r := wire.Reader{Data: data}
	_, _, _, _ = r.Bytes(len(count.DocID{})), r.Varint(), r.Prefixed(), r.Uvarint()
	terms := r.Count()
	raw := append(make([]byte, 0, len(data)+2*int(terms)), data[:r.At]...)
	for range terms {
		head, n := r.Byte(), byte(1)
		shared, rest := head>>5, head>>1&(mostRest-1)+1
		if head == spelledOut {
			shared, rest = r.Byte(), r.Byte()
		}
		term := r.Bytes(int(rest))
		if head&1 != 0 {
			n = r.Byte()
		}
		raw = append(append(append(raw, shared, rest), term...), n)
	}
	if r.Bad {
		return Document{}, nil, count.ErrInvalid
	}
	return Parse(append(raw, data[r.At:]...))
}

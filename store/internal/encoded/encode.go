package encoded

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/polya-classifier/polya/internal/bytesort"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Encode returns doc encoded, as Parse would return it; see FORMAT.md, "Document". It sorts
// doc.Terms in place, and leaves doc.Attributes as they are. The error wraps
// count.ErrInvalid.
func Encode(doc *count.Document) (*Document, error) {
	if len(doc.Source) > count.MaxNameBytes {
		return nil, fmt.Errorf("document %s: %w: source longer than %d bytes", doc.ID, count.ErrInvalid, count.MaxNameBytes)
	}
	w := writers.Get().(*writer)
	defer writers.Put(w)
	tokens, err := w.writeTerms(doc)
	if err != nil {
		return nil, err
	}
	dropped, ok := checkDropped(doc.Dropped)
	if !ok {
		return nil, fmt.Errorf("document %s: %w: dropped terms %v", doc.ID, count.ErrInvalid, doc.Dropped)
	}
	if tokens += dropped; tokens > count.MaxTokens {
		return nil, fmt.Errorf("document %s: %w: %d tokens, a document has at most %d", doc.ID, count.ErrInvalid, tokens, count.MaxTokens)
	}
	attributes, err := sortedAttributes(doc.Attributes)
	if err != nil {
		return nil, fmt.Errorf("document %s: %w", doc.ID, err)
	}
	dst := append(make([]byte, 0, len(doc.ID)+len(doc.Source)+4*binary.MaxVarintLen64+len(w.terms)), doc.ID[:]...)
	dst = binary.AppendVarint(dst, Seconds(doc.Time))
	dst = wire.AppendPrefixed(dst, doc.Source)
	dst = binary.AppendUvarint(dst, tokens)
	dst = binary.AppendUvarint(dst, uint64(len(doc.Terms)))
	start, end := len(dst), len(dst)+len(w.terms)
	dst = appendRest(append(dst, w.terms...), doc.Dropped, attributes)
	return &Document{
		Raw: slices.Clip(dst), start: start, terms: dst[start:end:end], size: w.size,
		ID: doc.ID, Time: Seconds(doc.Time), Source: []byte(doc.Source),
		Tokens: tokens, Distinct: uint64(len(doc.Terms)), Dropped: slices.Clone(doc.Dropped), Attributes: attributes,
	}, nil
}

// writer writes the terms of documents, and sorts those that come in another order.
type writer struct {
	terms  []byte
	size   int // bytes of the terms themselves
	sorter bytesort.Sorter[count.TermCount]
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// writeTerms sets w.terms to the bytes of the terms, and returns how many tokens they are.
func (w *writer) writeTerms(doc *count.Document) (tokens uint64, err error) {
	w.terms, w.size = w.terms[:0], 0
	var last []byte
	for i := range doc.Terms {
		t := &doc.Terms[i]
		n := len(t.Term)
		if n == 0 || n > count.MaxTermBytes || t.N == 0 {
			return 0, fmt.Errorf("document %s: %w: term %.40q of %d bytes with count %d", doc.ID, count.ErrInvalid, t.Term, n, t.N)
		}
		shared := commonPrefix(last, t.Term)
		if shared == n && n == len(last) {
			return 0, fmt.Errorf("document %s: %w: term %.40q given twice", doc.ID, count.ErrInvalid, t.Term)
		}
		if shared == n || shared < len(last) && last[shared] > t.Term[shared] {
			w.sorter.Sort(doc.Terms, func(t *count.TermCount) []byte { return t.Term })
			return w.writeTerms(doc)
		}
		w.terms = append(w.terms, byte(shared), byte(n-shared))
		w.terms = append(append(w.terms, t.Term[shared:]...), t.N)
		if !count.OfChannel(t.Term) {
			tokens += uint64(t.N)
		}
		last, w.size = t.Term, w.size+n
	}
	return tokens, nil
}

// appendRest appends the parts that follow the terms: empty ones at the end are omitted.
func appendRest(dst []byte, dropped []count.Pair, attributes []count.Attribute) []byte {
	if len(dropped) > 0 || len(attributes) > 0 {
		dst = wire.AppendPairs(dst, dropped)
	}
	if len(attributes) > 0 {
		dst = appendAttributes(dst, attributes)
	}
	return dst
}

// MaxDropped bounds the dropped terms of a document, so that no sum over them overflows.
const MaxDropped = 1 << 24

// checkDropped returns the occurrences of dropped terms, and whether a document can have
// these counts.
func checkDropped(dropped []count.Pair) (tokens uint64, ok bool) {
	terms, last := uint64(0), uint64(0)
	for _, p := range dropped {
		if p.N <= last || p.N > count.MaxCount || p.Count == 0 || p.Count > MaxDropped {
			return 0, false
		}
		last = p.N
		terms += p.Count
		tokens += p.N * p.Count
	}
	return tokens, terms <= MaxDropped
}

// Seconds returns t in seconds since 1970, 0 for the zero time.
func Seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// Time returns the time of so many seconds since 1970, the zero time for 0.
func Time(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

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

package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// A table holds the longest term of a document.
var _ [table.MaxTerm - count.MaxTermBytes]struct{} = [0]struct{}{}

// appendBody appends the part of a log record that describes the document
// itself; see FORMAT.md, "Document". It sorts doc.Terms in place, and leaves
// doc.Attributes as they are.
func appendBody(dst []byte, doc *count.Document) ([]byte, error) {
	if len(doc.Source) > count.MaxNameBytes {
		return nil, fmt.Errorf("document %s: %w: source longer than %d bytes", doc.ID, count.ErrInvalid, count.MaxNameBytes)
	}
	byTerm := func(a, b count.TermCount) int { return bytes.Compare(a.Term, b.Term) }
	if !slices.IsSortedFunc(doc.Terms, byTerm) {
		slices.SortFunc(doc.Terms, byTerm)
	}
	tokens := uint64(0)
	for i, t := range doc.Terms {
		if len(t.Term) == 0 || len(t.Term) > count.MaxTermBytes || t.N == 0 {
			return nil, fmt.Errorf("document %s: %w: term %.40q of %d bytes with count %d", doc.ID, count.ErrInvalid, t.Term, len(t.Term), t.N)
		}
		if i > 0 && bytes.Equal(t.Term, doc.Terms[i-1].Term) {
			return nil, fmt.Errorf("document %s: %w: term %.40q given twice", doc.ID, count.ErrInvalid, t.Term)
		}
		tokens += uint64(t.N)
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
	dst = append(dst, doc.ID[:]...)
	dst = binary.AppendVarint(dst, unixTime(doc.Time))
	dst = wire.AppendPrefixed(dst, doc.Source)
	dst = binary.AppendUvarint(dst, tokens)
	dst = binary.AppendUvarint(dst, uint64(len(doc.Terms)))
	var last []byte
	for _, t := range doc.Terms {
		shared := commonPrefix(last, t.Term)
		dst = append(dst, byte(shared), byte(len(t.Term)-shared))
		dst = append(dst, t.Term[shared:]...)
		dst = append(dst, t.N)
		last = t.Term
	}
	return appendRest(dst, doc.Dropped, attributes), nil
}

// appendRest appends what follows the terms, where there is anything: the last
// thing of a document can be missing, but not one before it.
func appendRest(dst []byte, dropped []count.Pair, attributes []count.Attribute) []byte {
	if len(dropped) > 0 || len(attributes) > 0 {
		dst = wire.AppendPairs(dst, dropped)
	}
	if len(attributes) > 0 {
		dst = appendAttributes(dst, attributes)
	}
	return dst
}

// maxDropped bounds the dropped terms of a document, so that no sum over them
// overflows.
const maxDropped = 1 << 24

// checkDropped returns the occurrences of dropped terms, and whether their
// counts can be those of a document.
func checkDropped(dropped []count.Pair) (tokens uint64, ok bool) {
	terms, last := uint64(0), uint64(0)
	for _, p := range dropped {
		if p.N <= last || p.N > count.MaxCount || p.Count == 0 || p.Count > maxDropped {
			return 0, false
		}
		last = p.N
		terms += p.Count
		tokens += p.N * p.Count
	}
	return tokens, terms <= maxDropped
}

// unixTime is 0 for the zero time, which is before 1970.
func unixTime(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
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

// body is a document as read in place from a log record or a Delta. Its memory is that
// of raw: it is never changed.
type body struct {
	raw      []byte // all of it, as encoded
	id       count.DocID
	time     int64
	source   []byte
	tokens   uint64
	distinct uint64
	terms    []byte       // distinct × (shared u8, rest u8, rest bytes, count u8)
	dropped  []count.Pair // Document.Dropped

	attributes []count.Attribute // in order of name
}

// parseBody reads the document at the start of data and returns what follows.
// The terms are checked, so that body.each cannot fail, and so are the attributes.
func parseBody(data []byte) (body, []byte, error) {
	var b body
	r := wire.Reader{Data: data}
	copy(b.id[:], r.Bytes(len(b.id)))
	b.time = r.Varint()
	b.source = r.Bytes(int(min(r.Uvarint(), math.MaxInt32)))
	b.tokens = r.Uvarint()
	b.distinct = r.Uvarint()
	start := r.At
	if r.Bad || len(b.source) > count.MaxNameBytes || b.distinct > uint64(len(data)) {
		return body{}, nil, count.ErrInvalid
	}
	tokens, length := uint64(0), 0
	for range b.distinct {
		head := r.Bytes(2)
		if r.Bad || int(head[0]) > length || int(head[0])+int(head[1]) > count.MaxTermBytes || head[0]+head[1] == 0 {
			return body{}, nil, count.ErrInvalid
		}
		length = int(head[0]) + int(head[1])
		tail := r.Bytes(int(head[1]) + 1)
		if r.Bad || tail[len(tail)-1] == 0 {
			return body{}, nil, count.ErrInvalid
		}
		tokens += uint64(tail[len(tail)-1])
	}
	b.terms = data[start:r.At]
	if r.At < len(data) {
		b.dropped = r.Pairs()
		dropped, ok := checkDropped(b.dropped)
		if r.Bad || !ok || dropped == 0 && r.At == len(data) {
			return body{}, nil, count.ErrInvalid
		}
		tokens += dropped
	}
	if r.At < len(data) {
		if b.attributes = readAttributes(&r); r.Bad {
			return body{}, nil, count.ErrInvalid
		}
	}
	if tokens != b.tokens || tokens > count.MaxTokens {
		return body{}, nil, count.ErrInvalid
	}
	b.raw = data[:r.At:r.At]
	return b, data[r.At:], nil
}

// encode returns doc as a body; see appendBody.
func encode(doc *count.Document) (*body, error) {
	raw, err := appendBody(nil, doc)
	if err != nil {
		return nil, err
	}
	b, _, err := parseBody(raw)
	return &b, err
}

// clone returns a copy in memory of its own.
func (b *body) clone() *body {
	c, _, _ := parseBody(bytes.Clone(b.raw))
	return &c
}

// sorted says whether the terms rise strictly and share all they can with the
// one before, as appendBody wrote them: equal counts have one encoding.
func (b *body) sorted() bool {
	var last []byte
	ok, data := true, b.terms
	b.each(func(term []byte, _ uint8) {
		ok = ok && (last == nil || bytes.Compare(last, term) < 0) && int(data[0]) == commonPrefix(last, term)
		data = data[3+int(data[1]):]
		last = append(last[:0], term...)
	})
	return ok
}

// each calls f with each term, valid only during the call, and its count.
func (b *body) each(f func(term []byte, n uint8)) {
	var term [count.MaxTermBytes]byte
	for data := b.terms; len(data) > 0; {
		shared, rest := int(data[0]), int(data[1])
		copy(term[shared:], data[2:2+rest])
		f(term[:shared+rest], data[2+rest])
		data = data[3+rest:]
	}
}

// document copies b, as a document of class.
func (b *body) document(class string) count.Document {
	doc := count.Document{ID: b.id, Class: class, Source: string(b.source), Dropped: b.dropped, Attributes: b.attributes}
	if b.time != 0 {
		doc.Time = time.Unix(b.time, 0).UTC()
	}
	doc.Terms = make([]count.TermCount, 0, b.distinct)
	arena := make([]byte, 0, 2*len(b.terms))
	b.each(func(term []byte, n uint8) {
		start := len(arena)
		arena = append(arena, term...)
		doc.Terms = append(doc.Terms, count.TermCount{Term: arena[start:len(arena):len(arena)], N: n})
	})
	return doc
}

// digest identifies the counts, whatever the id, time and source.
func (b *body) digest() uint64 {
	sum := sha256.Sum256(appendRest(b.terms[:len(b.terms):len(b.terms)], b.dropped, b.attributes))
	return binary.BigEndian.Uint64(sum[:])
}

// weights returns for each count x the weight W of a term that occurs x times
// in this document, and their sum over its terms, those that were dropped too:
// a term weighs what it did when the document was learned.
func (b *body) weights() (w [count.MaxCount + 1]uint64, sum uint64) {
	var terms [count.MaxCount + 1]uint64
	for data := b.terms; len(data) > 0; {
		rest := int(data[1])
		terms[data[2+rest]]++
		data = data[3+rest:]
	}
	for _, p := range b.dropped {
		terms[p.N] += p.Count
	}
	return count.Weigh(&terms)
}

// droppedSums returns the occurrences of the dropped terms and the sum of their
// weights.
func (b *body) droppedSums() (tokens, weight uint64) {
	if len(b.dropped) == 0 {
		return 0, 0
	}
	w, _ := b.weights()
	for _, p := range b.dropped {
		tokens += p.N * p.Count
		weight += w[p.N] * p.Count
	}
	return tokens, weight
}

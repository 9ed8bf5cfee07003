// Package encoded writes and reads the bytes of a document in a log record and in a Delta;
// see FORMAT.md of package store, "Document".
package encoded

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Document is a document read in place. It refers to Raw, which nobody changes.
type Document struct {
	Raw      []byte // all of it
	ID       count.DocID
	Time     int64 // when it was learned, seconds since 1970
	Source   []byte
	Tokens   uint64
	Distinct uint64
	start    int          // of the terms in Raw
	terms    []byte       // distinct × (shared u8, rest u8, rest bytes, count u8)
	size     int          // bytes of the terms themselves
	Dropped  []count.Pair // see count.Document

	Attributes []count.Attribute // in order of name
}

// Parse reads the document at the start of data and returns what follows. Terms and
// attributes are checked, so that the methods of the document cannot fail. The error is
// count.ErrInvalid.
func Parse(data []byte) (Document, []byte, error) {
	var b Document
	r := wire.Reader{Data: data}
	copy(b.ID[:], r.Bytes(len(b.ID)))
	b.Time = r.Varint()
	b.Source = r.Prefixed()
	b.Tokens = r.Uvarint()
	b.Distinct = r.Uvarint()
	start := r.At
	if r.Bad || len(b.Source) > count.MaxNameBytes || b.Distinct > uint64(len(data)) {
		return Document{}, nil, count.ErrInvalid
	}
	tokens, length, channel := uint64(0), 0, false
	for range b.Distinct {
		if len(data)-r.At < 3 {
			return Document{}, nil, count.ErrInvalid
		}
		shared, rest := int(data[r.At]), int(data[r.At+1])
		from, end := r.At+2, r.At+2+rest
		if shared > length || shared+rest > count.MaxTermBytes || shared+rest == 0 || end >= len(data) || data[end] == 0 {
			return Document{}, nil, count.ErrInvalid
		}
		length = shared + rest
		b.size += length
		if shared == 0 {
			channel = count.OfChannel(data[from:end])
		}
		if !channel {
			tokens += uint64(data[end])
		}
		r.At = end + 1
	}
	b.start, b.terms = start, data[start:r.At]
	if r.At < len(data) {
		b.Dropped = r.Pairs()
		dropped, ok := checkDropped(b.Dropped)
		if r.Bad || !ok || dropped == 0 && r.At == len(data) {
			return Document{}, nil, count.ErrInvalid
		}
		tokens += dropped
	}
	if r.At < len(data) {
		if b.Attributes = readAttributes(&r); r.Bad {
			return Document{}, nil, count.ErrInvalid
		}
	}
	if tokens != b.Tokens || tokens > count.MaxTokens {
		return Document{}, nil, count.ErrInvalid
	}
	b.Raw = data[:r.At:r.At]
	return b, data[r.At:], nil
}

// Clone returns a copy in memory of its own.
func (b *Document) Clone() *Document {
	c, _, _ := Parse(bytes.Clone(b.Raw))
	return &c
}

// Kept returns what the ledger keeps of a document that was learned as old, when a copy of it
// is learned: the copy with the least digest, so that any order of copies leaves the same
// counts. A document that terms were dropped from compares with no other: it goes if it
// moves. A document that moves has the time and the source of the copy.
func Kept(old, copy *Document, moves bool) *Document {
	whole := len(old.Dropped) == 0
	switch {
	case whole && copy.Digest() < old.Digest(), !whole && moves:
		return copy
	case moves:
		return old.taughtAs(copy)
	}
	return old
}

func (b *Document) taughtAs(other *Document) *Document {
	raw := wire.AppendPrefixed(binary.AppendVarint(bytes.Clone(b.ID[:]), other.Time), other.Source)
	raw = binary.AppendUvarint(binary.AppendUvarint(raw, b.Tokens), b.Distinct)
	c, _, _ := Parse(appendRest(append(raw, b.terms...), b.Dropped, b.Attributes))
	return &c
}

// Sorted returns whether the terms are in ascending order and share the longest prefix
// with the one before, as Encode writes them: equal counts have one encoding.
func (b *Document) Sorted() bool {
	var last []byte
	ok, data := true, b.terms
	b.Each(func(term []byte, _ uint8) {
		ok = ok && (last == nil || bytes.Compare(last, term) < 0) && int(data[0]) == commonPrefix(last, term)
		data = data[3+int(data[1]):]
		last = append(last[:0], term...)
	})
	return ok
}

// Each calls f with each term, valid only during the call, and its count.
func (b *Document) Each(f func(term []byte, n uint8)) {
	var term [count.MaxTermBytes]byte
	for data := b.terms; len(data) > 0; {
		shared, rest := int(data[0]), int(data[1])
		copy(term[shared:], data[2:2+rest])
		f(term[:shared+rest], data[2+rest])
		data = data[3+rest:]
	}
}

// Shapes is a set of shapes of terms. The length and three bytes of a term rule out most
// terms that are not wanted.
type Shapes [1 << 16 / 64]uint64

func shape(term []byte) uint16 {
	n := len(term)
	return uint16(term[0])*0x9e37 + uint16(term[n/2])*0x85eb + uint16(term[n-1])*0xc2b2 + uint16(n)*0x27d5
}

// Add adds the shape of a term.
func (s *Shapes) Add(term []byte) { s[shape(term)/64] |= 1 << (shape(term) % 64) }

// Has reports whether s has the shape of a term; a nil s has all.
func (s *Shapes) Has(term []byte) bool { return s == nil || s[shape(term)/64]>>(shape(term)%64)&1 != 0 }

// InChannel reports whether a term is of a channel.
func (b *Document) InChannel() (is bool) {
	b.Each(func(term []byte, _ uint8) { is = is || count.OfChannel(term) })
	return is
}

// Decode returns a copy of the document, as one of class.
func (b *Document) Decode(class string) count.Document { return new(Decoder).Decode(b, class) }

// wide is the number of bytes copied at a time if no more are needed and there is room: a few instructions.
const wide = 16

// Decoder decodes one document after the other. Its memory is used again.
type Decoder struct {
	terms []count.TermCount
	arena []byte
}

// Decode returns a copy of the document, as one of class. Its terms are valid until the next.
func (d *Decoder) Decode(b *Document, class string) count.Document {
	d.terms = slices.Grow(d.terms[:0], int(b.Distinct))
	d.arena = slices.Grow(d.arena[:0], b.size+wide)
	arena, last, at := d.arena[:b.size+wide], 0, 0
	for data := b.terms; len(data) > 0; {
		shared, rest := int(data[0]), int(data[1])
		if shared <= wide {
			*(*[wide]byte)(arena[at:]) = [wide]byte(arena[last:])
		} else {
			copy(arena[at:], arena[last:last+shared])
		}
		end := at + shared + rest
		if rest <= wide && len(data) >= 2+wide {
			*(*[wide]byte)(arena[at+shared:]) = [wide]byte(data[2:])
		} else {
			copy(arena[at+shared:], data[2:2+rest])
		}
		d.terms = append(d.terms, count.TermCount{Term: arena[at:end:end], N: data[2+rest]})
		last, at = at, end
		data = data[3+rest:]
	}
	return count.Document{ID: b.ID, Class: class, Time: Time(b.Time), Source: string(b.Source), Terms: d.terms, Dropped: b.Dropped, Attributes: b.Attributes}
}

// Digest is a hash of the counts. It does not depend on id, time and source.
func (b *Document) Digest() uint64 {
	sum := sha256.Sum256(appendRest(b.terms[:len(b.terms):len(b.terms)], b.Dropped, b.Attributes))
	return binary.BigEndian.Uint64(sum[:])
}

// DroppedSums returns the occurrences and the weight of the dropped terms.
func (b *Document) DroppedSums() (tokens, weight uint64) {
	if len(b.Dropped) == 0 {
		return 0, 0
	}
	d := b.Decode("")
	w, _ := d.Weights()
	for _, p := range b.Dropped {
		tokens += p.N * p.Count
		weight += w[p.N] * p.Count
	}
	return tokens, weight
}

// Split returns the document with the terms for which stays returns false counted as
// dropped; it returns b itself if there are none.
func (b *Document) Split(stays func(term []byte, n uint8) (bool, error)) (*Document, error) {
	var goes []bool // by term; nil while all stay
	var failed error
	i := 0
	b.Each(func(term []byte, n uint8) {
		if failed == nil {
			var ok bool
			if ok, failed = stays(term, n); !ok && goes == nil {
				goes = make([]bool, b.Distinct)
			}
			if !ok {
				goes[i] = true
			}
		}
		i++
	})
	if failed != nil || goes == nil {
		return b, failed
	}
	d := b.Decode("")
	var counts [count.MaxCount + 1]uint64
	for _, p := range d.Dropped {
		counts[p.N] = p.Count
	}
	stay := d.Terms[:0]
	for i, t := range d.Terms {
		switch {
		case !goes[i]:
			stay = append(stay, t)
		case !count.OfChannel(t.Term): // which weighs nothing
			counts[t.N]++
		}
	}
	d.Terms, d.Dropped = stay, nil
	for n, terms := range counts {
		if terms > 0 {
			d.Dropped = append(d.Dropped, count.Pair{N: uint64(n), Count: terms})
		}
	}
	return Encode(&d)
}

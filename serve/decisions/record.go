package decisions

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sync"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// A file begins with magic. A record begins with the length and the CRC-32C of its body, four bytes
// each, little-endian. The body is meta as JSON, and the deflated message if meta says so, each preceded
// by its length as a uvarint; then, to the end, the terms, each with its length and count.
const (
	magic     = "polyadc2"
	head      = 8
	maxRecord = 16 << 20
)

// errDamaged is returned for a file that no Ring has written as it is.
var errDamaged = errors.New("damaged")

// meta is the first part of a record.
type meta struct {
	backend.Decision
	Message    bool        `json:"message,omitempty"` // the message is kept
	Attributes []attribute `json:"attributes,omitempty"`
}

// attribute is a count.Attribute, whose texts may be any bytes.
type attribute struct {
	Name, Category []byte
	Kind           count.Kind
	Number         float64
}

func encode(e *entry) ([]byte, error) {
	doc, m := &e.doc, meta{Decision: e.decision, Message: e.message != nil}
	for _, a := range doc.Attributes {
		m.Attributes = append(m.Attributes, attribute{[]byte(a.Name), []byte(a.Category), a.Kind, a.Number})
	}
	about, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	record := make([]byte, head, head+2*binary.MaxVarintLen64+len(about)+16*doc.Bag.Len()+len(e.message))
	record = appendPart(record, about)
	if e.message != nil {
		record = appendPart(record, deflate(e.message))
	}
	for i := range doc.Bag.Len() {
		term, n := doc.Bag.At(i)
		record = binary.AppendUvarint(appendPart(record, term), uint64(n))
	}
	body := record[head:]
	if len(body) > maxRecord {
		return nil, fmt.Errorf("decision of %d bytes", len(body))
	}
	binary.LittleEndian.PutUint32(record, uint32(len(body)))
	binary.LittleEndian.PutUint32(record[4:], checksum(body))
	return record, nil
}

func checksum(body []byte) uint32 { return crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) }

func appendPart(b, part []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

func cutPart(b []byte) (part, rest []byte, err error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, nil, errDamaged
	}
	return b[k:][:n], b[k:][n:], nil
}

// A Record is a stored decision.
type Record struct {
	backend.Decision
	attributes []attribute
	message    []byte // deflated
	terms      []byte
}

// decode returns the record of a body, which it points into.
func decode(body []byte) (r Record, err error) {
	var m meta
	about, rest, err := cutPart(body)
	if err != nil || json.Unmarshal(about, &m) != nil {
		return r, errDamaged
	}
	if m.Message {
		r.message, rest, err = cutPart(rest)
	}
	r.Decision, r.attributes, r.terms = m.Decision, m.Attributes, rest
	return r, err
}

// Document returns the message as a document to learn.
func (r *Record) Document() (doc classify.Document, err error) {
	if doc.ID, err = count.ParseDocID(r.ID); err != nil {
		return doc, errDamaged
	}
	for _, a := range r.attributes {
		doc.Attributes = append(doc.Attributes, count.Attribute{Name: string(a.Name), Category: string(a.Category), Kind: a.Kind, Number: a.Number})
	}
	doc.Bag = new(tokenize.Bag)
	for terms := r.terms; len(terms) > 0; {
		var term []byte
		if term, terms, err = cutPart(terms); err != nil {
			return doc, err
		}
		n, k := binary.Uvarint(terms)
		if k <= 0 || n > math.MaxInt32 {
			return doc, errDamaged
		}
		doc.Bag.AddN(term, int(n))
		terms = terms[k:]
	}
	return doc, nil
}

// Message returns the beginning of the message as received, nil if it was not kept.
func (r *Record) Message() ([]byte, error) {
	if r.message == nil {
		return nil, nil
	}
	inflate := flate.NewReader(bytes.NewReader(r.message))
	defer inflate.Close()
	return io.ReadAll(io.LimitReader(inflate, maxRecord))
}

func deflate(b []byte) []byte {
	var out bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	_, _ = w.Write(b) // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}

// deflaters are reused: making one takes longer than deflating a message.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // the level is valid
	return w
}}

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

// A Record is a decision with the message that it is about.
type Record struct {
	backend.Decision
	Doc     classify.Document // its ID is that of the Decision
	Message []byte            // the beginning as received, nil if it is not kept
}

func encode(r *Record) ([]byte, error) {
	m := meta{Decision: r.Decision, Message: len(r.Message) > 0}
	for _, a := range r.Doc.Attributes {
		m.Attributes = append(m.Attributes, attribute{[]byte(a.Name), []byte(a.Category), a.Kind, a.Number})
	}
	about, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	record := make([]byte, head, head+2*binary.MaxVarintLen64+len(about)+16*r.Doc.Bag.Len()+len(r.Message))
	record = appendPart(record, about)
	if m.Message {
		record = appendPart(record, deflate(r.Message))
	}
	for i := range r.Doc.Bag.Len() {
		term, n := r.Doc.Bag.At(i)
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

func decodeMeta(body []byte) (m meta, rest []byte, err error) {
	about, rest, err := cutPart(body)
	if err != nil || json.Unmarshal(about, &m) != nil {
		return m, nil, errDamaged
	}
	return m, rest, nil
}

func decode(body []byte) (r Record, err error) {
	m, rest, err := decodeMeta(body)
	if err != nil {
		return r, err
	}
	r.Decision, r.Doc.Bag = m.Decision, new(tokenize.Bag)
	if r.Doc.ID, err = count.ParseDocID(r.ID); err != nil {
		return r, err
	}
	for _, a := range m.Attributes {
		r.Doc.Attributes = append(r.Doc.Attributes, count.Attribute{Name: string(a.Name), Category: string(a.Category), Kind: a.Kind, Number: a.Number})
	}
	var part []byte
	if m.Message {
		if part, rest, err = cutPart(rest); err != nil {
			return r, err
		}
		if r.Message, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(part)), maxRecord)); err != nil {
			return r, err
		}
	}
	for len(rest) > 0 {
		if part, rest, err = cutPart(rest); err != nil {
			return r, err
		}
		n, k := binary.Uvarint(rest)
		if k <= 0 || n > math.MaxInt32 {
			return r, errDamaged
		}
		r.Doc.Bag.AddN(part, int(n))
		rest = rest[k:]
	}
	return r, nil
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

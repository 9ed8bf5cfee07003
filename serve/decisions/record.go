package decisions

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Decision is an answer that was given.
type Decision struct {
	ID          string // of the message, in hexadecimal digits
	Time        time.Time
	User        string  `json:",omitempty"` // whom it was for
	Source      string  `json:",omitempty"` // who asked: "spamc", "milter"
	Sender      string  `json:",omitempty"` // From
	Subject     string  `json:",omitempty"`
	Class       string  // the class answered
	Probability float64 // of Class
	Unsure      bool    `json:",omitempty"`
}

// A file begins with magic. A record is the length and the CRC-32C of what follows, four
// bytes each, little-endian: the length of the Decision as JSON, a uvarint, the Decision,
// and a store.Delta that learns the message as what was answered.
const (
	magic     = "polyadc1"
	head      = 8
	maxRecord = 16 << 20
)

// castagnoli makes its table when it is needed: that takes longer than to start the rest of a
// program that keeps no decisions.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// errDamaged is returned for a file that is not what a Ring has written.
var errDamaged = errors.New("damaged")

// encode returns the record of a decision.
func encode(d *Decision, doc *classify.Document) ([]byte, error) {
	var delta store.Delta
	counted := doc.Counted(d.Class)
	counted.Time, counted.Source = d.Time, ""
	if err := delta.Add(counted); err != nil {
		return nil, err
	}
	counts, err := delta.MarshalBinary()
	if err != nil {
		return nil, err
	}
	meta, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	record := make([]byte, head, head+binary.MaxVarintLen64+len(meta)+len(counts))
	record = binary.AppendUvarint(record, uint64(len(meta)))
	record = append(append(record, meta...), counts...)
	body := record[head:]
	if len(body) > maxRecord {
		return nil, fmt.Errorf("decision of %d bytes", len(body))
	}
	binary.LittleEndian.PutUint32(record, uint32(len(body)))
	binary.LittleEndian.PutUint32(record[4:], crc32.Checksum(body, castagnoli()))
	return record, nil
}

// decode returns the decision of a record's body, and its counts.
func decode(body []byte) (d Decision, counts []byte, err error) {
	n, k := binary.Uvarint(body)
	if k <= 0 || n > uint64(len(body)-k) {
		return d, nil, errDamaged
	}
	body = body[k:]
	if err := json.Unmarshal(body[:n], &d); err != nil {
		return d, nil, errDamaged
	}
	return d, body[n:], nil
}

// document returns the document of the counts of a record.
func document(counts []byte) (doc classify.Document, err error) {
	var delta store.Delta
	if err := delta.UnmarshalBinary(counts); err != nil {
		return doc, err
	}
	err = errDamaged
	delta.Each(func(id count.DocID, _ string, e *store.Encoded) {
		var d count.Document
		if e == nil {
			return
		}
		if d, err = e.Document(); err != nil {
			return
		}
		doc = classify.Document{ID: id, Bag: new(tokenize.Bag), Attributes: d.Attributes}
		for _, t := range d.Terms {
			doc.Bag.AddN(t.Term, int(t.N))
		}
	})
	return doc, err
}

// scan calls f with the body of each record of a file, oldest first; the body is valid
// only during the call. It returns where the last sound record ends; the error is
// errDamaged if there is more behind that.
func scan(path string, f func(body []byte) error) (end int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<16)
	start := make([]byte, len(magic))
	if _, err := io.ReadFull(r, start); err != nil || string(start) != magic {
		return 0, errDamaged
	}
	end = int64(len(magic))
	var body []byte
	var h [head]byte
	for {
		switch _, err := io.ReadFull(r, h[:]); {
		case err == io.EOF:
			return end, nil
		case err != nil:
			return end, errDamaged
		}
		n := binary.LittleEndian.Uint32(h[:])
		if n > maxRecord {
			return end, errDamaged
		}
		if int(n) > cap(body) {
			body = make([]byte, n)
		}
		body = body[:n]
		if _, err := io.ReadFull(r, body); err != nil || crc32.Checksum(body, castagnoli()) != binary.LittleEndian.Uint32(h[4:]) {
			return end, errDamaged
		}
		if err := f(body); err != nil {
			return end, err
		}
		end += head + int64(n)
	}
}

package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/crc32c"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Delta is what a set of documents adds to the counts of a database, or takes
// from them. Deltas add: one Delta of many documents, many Deltas of one, and
// their Merge leave the same counts. The zero value changes nothing. A Delta is
// built by one goroutine; applied, it is only read.
type Delta struct {
	// Keep overrides the ledger mode of the database for the documents added by
	// this Delta; 0 is the database's own. Bulk training may keep less.
	Keep count.Ledger

	steps []step
	sums  []sum

	origin layout.Origin // of sums, or nothing
	listed bool          // all documents of the sums are listed
	again  bool          // add them also if they were added before
}

// A step does something with one document.
type step struct {
	kind  stepKind
	class string // where to; for stepTake where from, "" is wherever it is
	doc   []byte // a document as encodeBody encodes it, or for a bare id 16 bytes
}

func (s *step) id() (id count.DocID) {
	copy(id[:], s.doc)
	return id
}

type stepKind uint8

const (
	stepAdd     stepKind = 1 // learn it, or move it here
	stepTake    stepKind = 2 // forget it, with its counts if the ledger lacks them
	stepMove    stepKind = 3 // move it here; it must have been learned
	stepForget  stepKind = 4 // forget it: a bare id
	stepRelabel stepKind = 5 // move it here: a bare id
	stepNote    stepKind = 6 // its counts are among the sums: enter it in the ledger
	stepDigest  stepKind = 7 // the same, with an encoded ledger entry of LedgerDigest
)

// A sum is the counts of documents that are not named one by one.
type sum struct {
	classes []sumClass
	epoch   uint64 // of the database that the rows are of
	rows    []byte // term length u8, term, row length uvarint, row with class = index; each term once
	terms   uint64

	attributes []attributes.Attribute // in order of name
}

type sumClass struct {
	name    string
	docs    uint64
	lengths []count.Pair

	dropped, droppedWeight uint64
}

// pruned says whether terms had been dropped where the sum is from.
func (s *sum) pruned() bool {
	return s.epoch > 0 || slices.ContainsFunc(s.classes, func(c sumClass) bool { return c.dropped > 0 || c.droppedWeight > 0 })
}

// Add learns doc. A document that was learned as another class is moved; one
// that was learned as the same class changes nothing; see also
// Applied.Conflicts. doc is copied, and its Terms are sorted in place.
func (d *Delta) Add(doc count.Document) error { return d.addDocument(stepAdd, &doc) }

// Take forgets doc, which was learned as doc.Class, or as any class if that is
// empty. Where the ledger keeps the counts of the document, those are taken
// away; where it keeps a digest, those of doc, which must be the same; where it
// keeps nothing, those of doc.
func (d *Delta) Take(doc count.Document) error { return d.addDocument(stepTake, &doc) }

// Move makes doc, which must have been learned, one of doc.Class. Its counts
// are those of the ledger, or of doc where that keeps a digest.
func (d *Delta) Move(doc count.Document) error { return d.addDocument(stepMove, &doc) }

// Forget forgets the document of that id, of which the ledger must keep the
// counts.
func (d *Delta) Forget(id count.DocID) { d.steps = append(d.steps, step{stepForget, "", id[:]}) }

// Relabel moves the document of that id, of which the ledger must keep the
// counts, to class.
func (d *Delta) Relabel(id count.DocID, class string) error {
	if err := count.CheckName(class); err != nil {
		return err
	}
	d.steps = append(d.steps, step{stepRelabel, class, id[:]})
	return nil
}

func (d *Delta) addDocument(kind stepKind, doc *count.Document) error {
	if kind != stepTake || doc.Class != "" {
		if err := count.CheckName(doc.Class); err != nil {
			return err
		}
	}
	raw, err := encoded.Encode(doc)
	if err != nil {
		return err
	}
	d.steps = append(d.steps, step{kind, doc.Class, raw})
	return nil
}

// Each calls f for every document that d names, in order: with the class that d
// gives it, or "" if d forgets it, and with the document itself, or nil where d has
// only the id. The document may be kept.
func (d *Delta) Each(f func(id count.DocID, class string, doc *Encoded)) {
	for i := range d.steps {
		s := &d.steps[i]
		id := s.id()
		switch s.kind {
		case stepAdd, stepMove:
			f(id, s.class, &Encoded{s.class, s.doc})
		case stepRelabel:
			f(id, s.class, nil)
		default:
			f(id, "", nil)
		}
	}
}

// Encoded is a document of a Delta as the Delta holds it. It is immutable.
type Encoded struct {
	class string
	doc   []byte
}

// Size is the number of bytes that it takes.
func (e *Encoded) Size() int { return len(e.doc) }

// Document decodes it, in memory of its own.
func (e *Encoded) Document() (count.Document, error) {
	b, _, err := encoded.Parse(e.doc)
	if err != nil {
		return count.Document{}, err
	}
	return b.Decode(e.class), nil
}

// Len is the number of documents that d names.
func (d *Delta) Len() int { return len(d.steps) }

// Size is about how many bytes of memory d takes.
func (d *Delta) Size() int {
	n := 0
	for i := range d.steps {
		n += 64 + len(d.steps[i].doc)
	}
	for i := range d.sums {
		n += len(d.sums[i].rows) + d.sums[i].attributesSize()
	}
	return n
}

// Reset empties d.
func (d *Delta) Reset() {
	*d = Delta{Keep: d.Keep}
}

// Merge appends what other does to what d does, under d's Keep. other is not
// changed.
func (d *Delta) Merge(other *Delta) {
	d.steps = append(d.steps, other.steps...)
	d.sums = append(d.sums, other.sums...)
}

const (
	deltaMagic   = "PLYD"
	deltaVersion = 2
)

// MarshalBinary returns the wire form of d; see FORMAT.md, "Delta".
func (d *Delta) MarshalBinary() ([]byte, error) {
	b := append([]byte(deltaMagic), deltaVersion, byte(d.Keep))
	b = binary.AppendUvarint(b, uint64(len(d.steps)))
	for _, s := range d.steps {
		b = append(b, byte(s.kind))
		b = wire.AppendPrefixed(b, s.class)
		b = wire.AppendPrefixed(b, s.doc)
	}
	b = binary.AppendUvarint(b, uint64(len(d.sums)))
	for _, s := range d.sums {
		pruned := s.pruned()
		b = append(b, boolByte(pruned)<<1|boolByte(len(s.attributes) > 0)<<2)
		b = binary.AppendUvarint(b, uint64(len(s.classes)))
		for _, c := range s.classes {
			b = wire.AppendPrefixed(b, c.name)
			b = binary.AppendUvarint(b, c.docs)
			b = wire.AppendPairs(b, c.lengths)
			if pruned {
				b = binary.AppendUvarint(b, c.dropped)
				b = binary.AppendUvarint(b, c.droppedWeight)
			}
		}
		if pruned {
			b = binary.AppendUvarint(b, s.epoch)
		}
		b = binary.AppendUvarint(b, s.terms)
		b = wire.AppendPrefixed(b, s.inOrder())
		if len(s.attributes) > 0 {
			b = attributes.AppendList(b, s.attributes)
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32c.Checksum(b)), nil
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is ErrInvalid, and
// so are sums that no documents give, or do not count the documents that are to
// enter the ledger with them.
func (d *Delta) UnmarshalBinary(data []byte) error {
	bad := fmt.Errorf("delta: %w", count.ErrInvalid)
	n := len(data) - 4
	if n < 6 || string(data[:4]) != deltaMagic || binary.LittleEndian.Uint32(data[n:]) != crc32c.Checksum(data[:n]) {
		return bad
	}
	if data[4] != deltaVersion {
		return fmt.Errorf("delta of version %d, this program reads version %d: %w", data[4], deltaVersion, count.ErrInvalid)
	}
	out := Delta{Keep: count.Ledger(data[5])}
	if out.Keep != 0 && !out.Keep.Valid() {
		return bad
	}
	r := &wire.Reader{Data: append([]byte(nil), data[6:n]...)}
	for range r.Count() {
		s := step{kind: stepKind(r.Byte()), class: string(r.Prefixed()), doc: r.Prefixed()}
		if r.Bad || s.check() != nil {
			return bad
		}
		out.steps = append(out.steps, s)
	}
	for range r.Count() {
		s, ok := readSum(r)
		if !ok {
			return bad
		}
		out.sums = append(out.sums, s)
	}
	if !r.Whole() {
		return bad
	}
	if err := out.checkNotes(); err != nil {
		return fmt.Errorf("delta: %w", err)
	}
	*d = out
	return nil
}

// check returns an error unless the step is one that the methods of Delta
// could have made.
func (s *step) check() error {
	if s.class != "" || (s.kind != stepTake && s.kind != stepForget) {
		if err := count.CheckName(s.class); err != nil {
			return err
		}
	}
	switch s.kind {
	case stepAdd, stepTake, stepMove, stepNote:
		b, rest, err := encoded.Parse(s.doc)
		if err != nil || len(rest) != 0 || !b.Sorted() {
			return count.ErrInvalid
		}
	case stepForget, stepRelabel:
		if len(s.doc) != len(count.DocID{}) {
			return count.ErrInvalid
		}
	case stepDigest:
		if _, _, err := s.digestEntry(); err != nil {
			return err
		}
	default:
		return count.ErrInvalid
	}
	return nil
}

// digestEntry reads a stepDigest: an id and the encoded entry.
func (s *step) digestEntry() (count.DocID, stored.Entry, error) {
	id := s.id()
	if len(s.doc) < len(id) {
		return id, stored.Entry{}, count.ErrInvalid
	}
	e, err := stored.DecodeEntry(id[:], s.doc[len(id):])
	if err == nil && e.Keep != count.LedgerDigest {
		err = count.ErrInvalid
	}
	return id, e, err
}

func readSum(r *wire.Reader) (sum, bool) {
	flags := r.Byte()
	var s sum
	pruned := flags&2 > 0
	r.Bad = r.Bad || flags&^6 > 0
	for range r.Count() {
		c := sumClass{name: string(r.Prefixed()), docs: r.Uvarint(), lengths: r.Pairs()}
		if pruned {
			c.dropped, c.droppedWeight = r.Uvarint(), r.Uvarint()
		}
		if r.Bad || count.CheckName(c.name) != nil {
			return s, false
		}
		s.classes = append(s.classes, c)
	}
	if pruned {
		s.epoch = r.Uvarint()
	}
	s.terms = r.Uvarint()
	s.rows = r.Prefixed()
	if flags&4 > 0 {
		s.attributes = attributes.ReadList(r)
	}
	if r.Bad || pruned != s.pruned() || s.epoch >= stored.LostEpoch {
		return s, false
	}
	return s, s.check() == nil
}

// check returns an error unless s is what documents can sum up to.
func (s *sum) check() error {
	tokens, nonEmpty := make([]uint64, len(s.classes)), make([]uint64, len(s.classes))
	for i, c := range s.classes {
		docs := uint64(0)
		for k, l := range c.lengths {
			if l.N > count.MaxTokens || l.Count == 0 || l.Count > count.MaxDocs || (k > 0 && l.N <= c.lengths[k-1].N) {
				return count.ErrInvalid
			}
			docs += l.Count
			tokens[i] += l.N * l.Count
			if l.N > 0 {
				nonEmpty[i] += l.Count
			}
		}
		if docs == 0 || docs > count.MaxDocs || docs != c.docs || (i > 0 && c.name <= s.classes[i-1].name) {
			return count.ErrInvalid
		}
		if tokens[i] > count.MaxSum || c.dropped > tokens[i] || c.droppedWeight > count.MaxSum || c.droppedWeight>>16 > c.dropped {
			return count.ErrInvalid
		}
		tokens[i] -= c.dropped
	}
	terms, last := uint64(0), []byte(nil)
	err := s.each(func(term []byte, row *table.Row) error {
		terms++
		if row.Epoch > s.epoch || bytes.Compare(term, last) <= 0 {
			return count.ErrInvalid
		}
		last = term
		for _, c := range row.Cells {
			if c.DF > nonEmpty[c.Class] || c.TF > tokens[c.Class] || len(c.U) > count.MaxCount {
				return count.ErrInvalid
			}
			tokens[c.Class] -= c.TF
		}
		return nil
	})
	for _, left := range tokens {
		if left != 0 {
			return count.ErrInvalid
		}
	}
	if err != nil || terms != s.terms {
		return count.ErrInvalid
	}
	docs := make([]uint64, len(s.classes))
	for i := range s.classes {
		docs[i] = s.classes[i].docs
	}
	return attributes.Check(s.attributes, docs)
}

// addRow appends a term with its cells, whose classes are indices, and the epoch
// of its row.
func (s *sum) addRow(term []byte, epoch uint64, cells []table.Cell) {
	row := table.AppendRow(table.AppendEpoch(nil, epoch), cells)
	s.rows = append(s.rows, byte(len(term)))
	s.rows = append(s.rows, term...)
	s.rows = binary.AppendUvarint(s.rows, uint64(len(row)))
	s.rows = append(s.rows, row...)
	s.terms++
}

// inOrder returns the rows in ascending order of their terms, as the wire form has
// them: those of a database come in that of its tables.
func (s *sum) inOrder() []byte {
	type part struct{ term, all []byte }
	var parts []part
	for r := (wire.Reader{Data: s.rows}); r.At < len(r.Data) && !r.Bad; {
		start := r.At
		term := r.Bytes(int(r.Byte()))
		r.Prefixed()
		parts = append(parts, part{term, r.Data[start:r.At]})
	}
	byTerm := func(a, b part) int { return bytes.Compare(a.term, b.term) }
	if slices.IsSortedFunc(parts, byTerm) {
		return s.rows
	}
	slices.SortFunc(parts, byTerm)
	rows := make([]byte, 0, len(s.rows))
	for _, p := range parts {
		rows = append(rows, p.all...)
	}
	return rows
}

// each calls f with each term and its row, valid only during the call.
func (s *sum) each(f func(term []byte, row *table.Row) error) error {
	r := wire.Reader{Data: s.rows}
	var row table.Row
	for r.At < len(r.Data) {
		term := r.Bytes(int(r.Byte()))
		raw := r.Prefixed()
		if r.Bad || len(term) == 0 || row.Decode(raw, true) != nil || table.Check(row.Cells) != nil {
			return count.ErrInvalid
		}
		if n := len(row.Cells); int64(row.Cells[n-1].Class) >= int64(len(s.classes)) {
			return count.ErrInvalid
		}
		if err := f(term, &row); err != nil {
			return err
		}
	}
	return nil
}

func (s *sum) attributesSize() int {
	n := 0
	for i := range s.attributes {
		n += 100 * (1 + len(s.attributes[i].Row.Cells) + len(s.attributes[i].Values))
	}
	return n
}

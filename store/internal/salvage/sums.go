package salvage

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Sums is what is left of a database whose ledger does not keep the counts of every document:
// the rows of its sound count tables, and what its ledger knows.
type Sums struct {
	summed.Documents
	Ledger []Entered
	index  map[uint32]uint32 // of classes, by id
}

// Entered is a document of the ledger. Doc is nil if the ledger keeps a digest.
type Entered struct {
	ID    count.DocID
	Class string
	Entry stored.Entry
	Doc   *encoded.Document
}

// summing computes Sums.
type summing struct {
	*Remains
	classes map[count.ClassID]*count.Class // totals as of the last record
	ledger  map[count.DocID]stored.Entry   // as of the last record
	terms   uint64                         // that the totals count
	tail    []stored.Record                // not in all tables
	start   uint64                         // the last lost record that the totals count: a table must have it
	end     uint64                         // the first lost record that they do not count: no table may have it
	dir     layout.Directory               // the sound tables
	lows    []uint64                       // the lowest hash of each
}

// errShort is returned when rows are missing although no table seems to be lost.
var errShort = errors.New("rows are missing")

// Sums returns what the sound count tables hold with the records that they lack, or an error that
// says why too little is left. Terms of damaged tables count as pruned.
func (l *Remains) Sums(out *Report) (*Sums, error) {
	const alone = ", and the ledger does not keep the counts of every document"
	s := &summing{Remains: l, end: math.MaxUint64, classes: make(map[count.ClassID]*count.Class)}
	gaps := l.gaps()
	switch {
	case l.header == nil:
		return nil, notRepaired("the header, with the key of all hashes, is lost")
	case l.Corpus == nil:
		return nil, notRepaired("the corpus totals are lost" + alone)
	case len(l.odd) > 0:
		return nil, notRepaired("the totals of class %q are lost"+alone, l.Names[l.odd[0]])
	case l.nameless:
		return nil, notRepaired("the totals of a class are lost, of which nothing else is left" + alone)
	}
	for _, seq := range gaps {
		if seq > l.Corpus.Seq {
			s.end = seq // what follows may be of the same documents
			break
		}
		s.start = seq
	}
	l.lostTail(gaps, out)
	if err := cmp.Or(s.replay(), s.readTables()); err != nil {
		return nil, err
	}
	sums, dropped, err := s.sum(false)
	if err == errShort {
		sums, dropped, err = s.sum(true)
	}
	if err != nil {
		return nil, err
	}
	l.sayNames(out)
	if dropped > 0 {
		sums.Epoch++ // lost terms count as dropped at the end of the epoch before
		out.lost("%d occurrences of terms of damaged count tables, which are as if they had been pruned", dropped)
	}
	if err := s.enter(sums, out); err != nil {
		return nil, err
	}
	if l.header.Flags&stored.FlagAttributes != 0 {
		s.attributes(sums, out)
	}
	out.rebuilt("the file, from the count tables that are sound")
	return sums, nil
}

// replay brings the totals and the ledger up to the last record.
func (s *summing) replay() error {
	for id, c := range s.totals {
		s.classes[id] = new(*c)
		s.classes[id].Lengths = slices.Clone(c.Lengths)
	}
	s.ledger, s.terms = maps.Clone(s.entries), s.Corpus.Vocabulary
	for i := range s.Records {
		rec, err := s.Record(&s.Records[i])
		if err != nil {
			return err
		}
		if rec.Seq >= s.end {
			break
		}
		rec.Epoch = s.Corpus.Epoch
		switch {
		case rec.Keep == count.LedgerNone:
		case rec.Op == stored.OpTrain:
			s.ledger[rec.Doc.ID] = rec.Entry()
		default:
			delete(s.ledger, rec.Doc.ID)
		}
		if rec.Seq <= s.Corpus.Merged {
			continue
		}
		s.tail = append(s.tail, rec)
		if rec.Seq <= s.Corpus.Seq {
			continue
		}
		_, weight := rec.Doc.Weights()
		ok, c, sign := true, s.classes[rec.Class], rec.Sign() // terms are counted later
		if rec.Keep == count.LedgerNone {
			ok = rows.AddTo(&c.Untracked, sign)
		}
		if !ok || !rows.AddDocument(c, &rec.Doc, weight, sign) || !rows.AddPair(&c.Lengths, rec.Doc.Tokens, sign) {
			return notRepaired("log record %d takes more from class %q than that has", rec.Seq, s.Names[rec.Class])
		}
		s.terms += uint64(sign) * rec.Fresh // wraps for -1
	}
	return nil
}

// readTables finds the sound tables.
func (s *summing) readTables() error {
	pieces := s.Buckets[string(stored.BucketTable)].Pieces
	slices.SortFunc(pieces, func(a, b pages.Piece) int { return bytes.Compare(a.Key, b.Key) })
	for _, p := range pieces {
		if len(p.Key) != 8 {
			continue // a pad key
		}
		bound, data := stored.DecodeSeq(p.Key), s.Value(p)
		if data == nil || table.Verify(data, &s.header.Key, 0, bound) != nil {
			continue
		}
		t, err := table.Open(data)
		if err != nil || t.Seq() < s.start || t.Seq() >= s.end {
			continue
		}
		low := bound
		if t.All(func(_ uint32, term, _ []byte) bool { low = min(low, s.header.Key.Hash(term)); return true }) != nil {
			continue
		}
		if n := len(s.lows); n > 0 && low <= s.dir.Bounds[n-1] {
			return notRepaired("two count tables have the same hashes")
		}
		s.dir.Bounds, s.dir.Tables, s.lows = append(s.dir.Bounds, bound), append(s.dir.Tables, t), append(s.lows, low)
	}
	return nil
}

// sum sums the rows and the tail, and returns how many occurrences of terms are lost. torn says
// that the hashes between two sound tables may belong to a lost one; without it nothing may be
// missing.
func (s *summing) sum(torn bool) (*Sums, uint64, error) {
	from := func(hash uint64) uint64 {
		i, _ := slices.BinarySearch(s.dir.Bounds, hash)
		if i == len(s.lows) || torn && hash < s.lows[i] {
			return math.MaxUint64 // as if a table had all records
		}
		return s.dir.Tables[i].Seq()
	}
	load := rows.Loader{Overlay: rows.NewOverlay(), Key: &s.header.Key, From: from}
	for i := range s.tail {
		load.Add(&s.tail[i].Doc, uint32(s.tail[i].Class), s.tail[i].Sign(), s.tail[i].Seq)
	}
	a := newAdder(s)
	f := rows.Folder{Epoch: s.Corpus.Epoch}
	for i := range s.dir.Tables {
		changed, err := s.dir.Changed(i, load.Overlay, &f)
		if err != nil && !torn {
			return nil, 0, errShort
		}
		if err != nil {
			return nil, 0, notRepaired("the log and the rows do not fit together, %v", err)
		}
		if err := a.table(&s.dir.Tables[i], changed); err != nil {
			return nil, 0, err
		}
	}
	dropped := uint64(0)
	for i := range a.Classes {
		c, sum := &a.Classes[i], a.sums[i]
		if sum.Tokens > c.Tokens || sum.Weight > c.Weight {
			return nil, 0, notRepaired("the totals of class %q are below what its terms come to", c.Name)
		}
		tokens, weight := c.Tokens-sum.Tokens, c.Weight-sum.Weight
		if !torn && (tokens != c.Dropped || weight != c.DroppedWeight || a.terms != s.terms) {
			return nil, 0, errShort
		}
		dropped += tokens - min(tokens, c.Dropped)
		c.Dropped, c.DroppedWeight = tokens, weight
	}
	return &a.Sums, dropped, nil
}

// adder adds rows to sums.
type adder struct {
	Sums
	sums  []rows.Sums // by index
	terms uint64
	row   table.Row
}

func newAdder(s *summing) *adder {
	a := new(adder)
	a.Epoch, a.index = s.Corpus.Epoch, make(map[uint32]uint32)
	ids := slices.SortedFunc(maps.Keys(s.classes), func(a, b count.ClassID) int { return cmp.Compare(s.Names[a], s.Names[b]) })
	for _, id := range ids {
		if c := s.classes[id]; c.Docs > 0 {
			a.index[uint32(id)] = uint32(len(a.Classes))
			a.Classes = append(a.Classes, *c)
			a.Classes[len(a.Classes)-1].Name = s.Names[id]
			a.sums = append(a.sums, rows.Sums{Terms: make(map[uint64]uint64)})
		}
	}
	return a
}

// table adds the rows of a table, some of which have changed.
func (a *adder) table(t *table.Table, changed []rows.Row) (err error) {
	instead := make(map[string]bool, len(changed))
	for _, r := range changed {
		if instead[string(r.Term)] = true; err == nil && r.Data != nil {
			err = a.add(r.Term, r.Data)
		}
	}
	all := t.All(func(_ uint32, term, data []byte) bool {
		if err == nil && !instead[string(term)] {
			err = a.add(term, data)
		}
		return err == nil
	})
	return cmp.Or(err, all)
}

func (a *adder) add(term, data []byte) error {
	if err := a.row.Decode(data, true); err != nil {
		return err
	}
	for i := range a.row.Cells {
		c := &a.row.Cells[i]
		at, known := a.index[c.Class]
		if !known {
			return notRepaired("term %.40q is of a class that is lost", term)
		}
		c.Class = at
		a.sums[at].Add(term, c.DF, c.TF, c.W)
	}
	if !count.OfChannel(term) {
		a.terms++
	}
	slices.SortFunc(a.row.Cells, func(a, b table.Cell) int { return cmp.Compare(a.Class, b.Class) })
	a.AddRow(term, a.row.Epoch, a.row.Cells)
	return nil
}

// enter lists the documents of the ledger. Terms whose rows are lost count as dropped in them.
func (s *summing) enter(to *Sums, out *Report) error {
	kept := make(map[string]bool)
	err := to.Each(func(term []byte, _ *table.Row) error { kept[string(term)] = true; return nil })
	if err != nil {
		return err
	}
	if s.start > 0 {
		clear(s.ledger) // nobody knows what the lost records have changed
	}
	at := make(map[uint64]*FoundRecord)
	for i := range s.Records {
		at[s.Records[i].seq] = &s.Records[i]
	}
	entered := make(map[count.ClassID]uint64)
	for _, id := range layout.InOrder(s.ledger) {
		e := Entered{ID: id, Class: s.Names[s.ledger[id].Class], Entry: s.ledger[id]}
		if e.Entry.Keep == count.LedgerFull {
			found := at[e.Entry.Seq]
			if found == nil || found.id != id || found.op != stored.OpTrain {
				continue
			}
			rec, err := s.Record(found)
			if err != nil {
				return err
			}
			left, err := rec.Doc.Split(func(term []byte, _ uint8) (bool, error) { return kept[string(term)], nil })
			if err != nil {
				return err
			}
			e.Doc = left.Clone()
		}
		entered[e.Entry.Class]++
		to.Ledger = append(to.Ledger, e)
	}
	untracked := uint64(0)
	for id, c := range s.classes {
		if entered[id] > c.Docs {
			return notRepaired("class %q has fewer documents than the ledger", s.Names[id])
		}
		untracked += c.Docs - entered[id] - min(c.Untracked, c.Docs-entered[id])
	}
	if untracked > 0 {
		out.lost("the ledger entries of %s, still counted: each can be learned again, and forgotten only with its text", documents(untracked))
	}
	return nil
}

// attributes adds the attributes whose row and values are complete.
func (s *summing) attributes(to *Sums, out *Report) {
	const forget = "; documents that have it cannot be forgotten"
	values := make(map[string][]attributes.Value)
	for _, p := range s.Buckets[string(stored.BucketValue)].Pieces {
		name, value, ok := attributes.SplitValueKey(p.Key)
		row, err := attributes.ReadValueRow(p.Key, s.Value(p), nil)
		if !ok || err != nil {
			continue // the check below misses it
		}
		for i := range row {
			row[i].Class = to.index[row[i].Class]
		}
		slices.SortFunc(row, func(a, b attributes.ValueCell) int { return cmp.Compare(a.Class, b.Class) })
		values[name] = append(values[name], attributes.Value{Value: string(value), Row: row})
	}
	docs := make([]uint64, len(to.Classes))
	for i := range to.Classes {
		docs[i] = to.Classes[i].Docs
	}
	b := s.Buckets[string(stored.BucketAttribute)]
	for _, p := range b.Pieces {
		a := attributes.Attribute{Name: string(p.Key), Values: values[string(p.Key)]}
		err := attributes.ReadRow(p.Key, s.Value(p), &a.Row)
		for i := range a.Row.Cells {
			a.Row.Cells[i].Class = to.index[a.Row.Cells[i].Class]
		}
		slices.SortFunc(a.Row.Cells, func(a, b attributes.Cell) int { return cmp.Compare(a.Class, b.Class) })
		slices.SortFunc(a.Values, func(a, b attributes.Value) int { return cmp.Compare(a.Value, b.Value) })
		if err != nil || attributes.Check([]attributes.Attribute{a}, docs) != nil {
			out.lost("what was counted of %s"+forget, attributes.NameOf(a.Name))
			continue
		}
		to.Attributes = append(to.Attributes, a)
	}
	slices.SortFunc(to.Attributes, func(a, b attributes.Attribute) int { return cmp.Compare(a.Name, b.Name) })
	if b.Torn {
		out.lost("perhaps what was counted of another attribute" + forget)
	}
}

package salvage

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/pages"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Remains is the sound data of a damaged database.
type Remains struct {
	*pages.Salvage
	Analyzer *string        // nil: lost, like those that follow
	Corpus   *stored.Corpus // the corpus totals
	header   *stored.Header
	settings map[string][]byte // the sound values of the bucket of settings, by key

	Names  map[count.ClassID]string       // of all classes; a lost one is invented
	totals map[count.ClassID]*count.Class // as of the corpus; all 0 for a class without a value
	last   uint64                         // the highest position known

	records    []FoundRecord // in order of position
	entries    map[count.DocID]stored.Entry
	totalsLost bool            // of some class
	unnamed    []count.ClassID // classes whose names are lost, in order
}

// FoundRecord is a sound record of the log, without its document; see Remains.Record.
type FoundRecord struct {
	seq   uint64
	op    stored.Op
	keep  count.Ledger
	class count.ClassID
	id    count.DocID
	where pages.Piece
}

// Read reads a damaged file, and reports losses to out. A file that has lost its
// analyzer's spec gets analyzer. The error wraps ErrNotRepaired or fault.ErrNotPolya, or
// is a *stored.FormatError, where one of them says what is wrong.
func Read(f *os.File, analyzer string, out *Report) (*Remains, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fault.Plain(err)
	}
	s, err := pages.Open(f, info.Size(), pages.Content{Buckets: append(slices.Concat(stored.Buckets, stored.AttributeBuckets), stored.BucketFold), Kind: kind})
	if err == pages.ErrNoPages {
		return nil, fault.ErrNotPolya
	}
	if err != nil {
		return nil, notRepaired("%v", err)
	}
	if s.Older {
		out.lost("perhaps the last change: of the two pages that say which is the newest state, one is damaged")
	}
	l := &Remains{Salvage: s, settings: make(map[string][]byte), entries: make(map[count.DocID]stored.Entry), Names: make(map[count.ClassID]string), totals: make(map[count.ClassID]*count.Class)}
	if err := l.readMeta(); err != nil {
		return nil, err
	}
	l.readLog()
	for _, p := range s.Buckets[string(stored.BucketLedger)].Pieces {
		if e, err := stored.DecodeEntry(p.Key, s.Value(p)); err == nil {
			e.Source = bytes.Clone(e.Source)
			l.entries[count.DocID(p.Key)] = e
		} else {
			s.Buckets[string(stored.BucketLedger)].Torn = true
		}
	}
	l.readClasses()
	switch {
	case l.Analyzer != nil:
		return l, nil
	case len(l.records) == 0:
		return nil, errNothing()
	case analyzer == "":
		return nil, notRepaired("its analyzer is lost; give the spec of the one that it was made with")
	}
	l.Analyzer = &analyzer
	return l, nil
}

// readMeta reads the header and the other settings.
func (l *Remains) readMeta() error {
	for _, p := range l.Buckets[string(stored.BucketMeta)].Pieces {
		value := l.Value(p)
		if bytes.Equal(p.Key, stored.KeyHeader) {
			h, err := stored.DecodeHeader(value)
			if newer := (*stored.FormatError)(nil); errors.As(err, &newer) {
				return newer
			} else if err == nil {
				l.header = &h
			}
		} else if wire.CheckCRC(value, p.Key) != nil {
			l.settings[string(p.Key)] = value
		}
	}
	if v := wire.CheckCRC(l.settings[string(stored.KeyAnalyzer)], stored.KeyAnalyzer); v != nil {
		l.Analyzer = new(string(v))
	}
	if c, err := stored.DecodeCorpus(l.settings[string(stored.KeyCorpus)]); err == nil {
		l.Corpus = &c
	}
	return nil
}

// readLog reads all records, with the ids of their documents.
func (l *Remains) readLog() {
	b := l.Buckets[string(stored.BucketLog)]
	l.last = b.Sequence
	for _, p := range b.Pieces {
		rec, err := stored.DecodeRecord(p.Key, l.Value(p))
		if err == nil && rec.Doc.Sorted() {
			l.records = append(l.records, FoundRecord{rec.Seq, rec.Op, rec.Keep, rec.Class, rec.Doc.ID, p})
			l.last = max(l.last, rec.Seq)
		}
	}
	slices.SortFunc(l.records, func(a, b FoundRecord) int { return cmp.Compare(a.seq, b.seq) })
	l.records = slices.CompactFunc(l.records, func(a, b FoundRecord) bool { return a.seq == b.seq })
}

// Tags reports whether classes are sets of tags: as the header says, or without it their names.
func (l *Remains) Tags() bool {
	if l.header != nil {
		return l.header.Tags()
	}
	for _, name := range l.Names {
		if count.Tags(name) == nil {
			return false
		}
	}
	return len(l.Names) > 0
}

// Ledger returns the mode of the ledger, full where the header that says it is lost.
func (l *Remains) Ledger() count.Ledger {
	if l.header != nil {
		return l.header.Ledger
	}
	return count.LedgerFull
}

// Record returns the record of r with its document.
func (l *Remains) Record(r *FoundRecord) (stored.Record, error) {
	return stored.DecodeRecord(r.where.Key, l.Value(r.where))
}

// readClasses reads the names and totals of all classes that any data belongs to.
func (l *Remains) readClasses() {
	for _, p := range l.Buckets[string(stored.BucketClass)].Pieces {
		if name := wire.CheckCRC(l.Value(p), p.Key); len(p.Key) == 4 && count.CheckClassName(string(name)) == nil {
			l.Names[count.ClassID(binary.BigEndian.Uint32(p.Key))] = string(name)
		}
	}
	lost := false
	for _, p := range l.Buckets[string(stored.BucketTotal)].Pieces {
		if len(p.Key) != 4 {
			continue
		}
		c := &count.Class{ID: count.ClassID(binary.BigEndian.Uint32(p.Key))}
		if stored.DecodeClass(l.Value(p), p.Key, c) == nil {
			l.totals[c.ID] = c
		} else {
			lost = true
		}
	}
	mentioned := make(map[count.ClassID]bool)
	for id := range l.Names {
		mentioned[id] = true
	}
	for id := range l.totals {
		mentioned[id] = true
	}
	for _, r := range l.records {
		mentioned[r.class] = true
	}
	for _, e := range l.entries {
		mentioned[e.Class] = true
	}
	for id := range mentioned {
		// If the totals of any class are damaged, their key may be damaged too, and the class
		// unknown.
		if l.totals[id] == nil && (lost || l.Buckets[string(stored.BucketTotal)].Torn) {
			l.totalsLost = true
		} else if l.totals[id] == nil {
			l.totals[id] = &count.Class{ID: id} // it is new since the totals were written
		}
		if l.Names[id] == "" {
			l.unnamed = append(l.unnamed, id)
		}
	}
	slices.Sort(l.unnamed)
	l.rename()
}

// rename invents names for the classes that have lost theirs.
func (l *Remains) rename() {
	taken := make(map[string]bool)
	for _, name := range l.Names {
		taken[name] = true
	}
	for _, id := range l.unnamed {
		name := fmt.Sprintf("class %d", id)
		for taken[name] {
			name += "'"
		}
		l.Names[id], taken[name] = name, true
	}
}

// kind guesses the bucket of a key and value by their checksum, nil if none fits.
func kind(key, v []byte) []byte {
	if t, err := table.Open(v); len(key) == 8 && err == nil && t.Sound() {
		return stored.BucketTable
	}
	if _, err := stored.DecodeRecord(key, v); err == nil {
		return stored.BucketLog
	}
	if _, err := stored.DecodeEntry(key, v); err == nil {
		return stored.BucketLedger
	}
	bare := wire.CheckCRC(v, key)
	if bare == nil {
		return nil
	}
	if len(key) == 4 && stored.DecodeClass(v, key, new(count.Class)) == nil {
		return stored.BucketTotal
	}
	if len(key) == 4 && count.CheckClassName(string(bare)) == nil {
		return stored.BucketClass
	}
	if stored.IsSetting(key) {
		return stored.BucketMeta
	}
	if attributes.ReadRow(key, v, new(attributes.Row)) == nil {
		return stored.BucketAttribute
	}
	if _, _, ok := attributes.SplitValueKey(key); ok && new(attributes.Row).DecodeValue(bare) == nil {
		return stored.BucketValue
	}
	return stored.BucketState
}

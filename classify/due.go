package classify

import (
	"encoding/binary"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/tagged"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// keyTried is the key of the number of documents when a calibration last failed because
// the ledger has too few in full. Without it every training would read the ledger in vain.
const keyTried = "calibration/tried"

type dueFit struct {
	calibrate bool
	grown     bool // that is so because of new documents, not because of keyPart
	lost      bool // there is a calibration that is no longer supported

	documents uint64 // learned so far
	classes   int    // with documents
	part      int    // the size of the sample that a fit which is not slow may have; 0 if that would not do
}

func (d dueFit) any() bool { return d.calibrate || d.lost }

// slow returns whether a person who has taught a document would notice the fit.
func (d dueFit) slow() bool { return d.documents*uint64(d.classes) > smallFit }

// smallFit is the largest product of documents and classes that are fitted in some 50 ms.
// 22,000 messages of two classes take a second.
const smallFit = 800

// partFewest is the least number of documents of a class in a part: fewer are below classFewest too
// often.
const partFewest = 6

// partOf returns the size of a sample that is fitted in some 50 ms, 0 if a class would have too few
// documents in it.
func partOf(classes []*count.Class, docs uint64) int {
	part := smallFit / max(count.WithDocuments(classes), 1)
	for _, class := range classes {
		if class.Docs > 0 && uint64(part)*class.Docs < partFewest*docs {
			return 0
		}
	}
	return part
}

// keyPart is a key that is there if the calibration is to a part of the documents: whoever has
// the time calibrates anew.
const keyPart = "calibration/part"

// keyPartTried is keyTried for parts of the documents, which fail more often.
const keyPartTried = "calibration/part-tried"

// due returns the fits that are due. Calibrating is due if the number of documents, or of
// a class, has changed by share since it was done or tried. In a database that follows a
// log nothing is due, since ApplyLog fits.
func (c *Classifier) due(share float64) (due dueFit, err error) {
	err = c.db.View(func(s *store.Snapshot) error {
		log, err := s.Stream()
		if err == nil && log == nil {
			due = c.dueIn(s, share)
		}
		return err
	})
	return due, err
}

func (c *Classifier) dueIn(s *store.Snapshot, share float64) (due dueFit) {
	if c.db.Tags() {
		return dueOfTags(s, share)
	}
	docs := s.Documents()
	due.documents, due.classes = docs, count.WithDocuments(s.Classes())
	due.grown = docs >= uint64(fewest(s.Classes())) && due.classes > 1
	part := false
	if c.db.Ledger() == count.LedgerFull {
		due.part = partOf(s.Classes(), docs)
	}
	if k := c.calibrations.read(s); k != nil {
		due.grown = due.grown && outgrown(k, docs, s.Classes(), share, func(class *count.Class) uint64 { return k.Learned[class.ID] })
		if part = s.State(keyPart) != nil; !part && k.Sample > due.part {
			due.part = 0
		}
	} else {
		due.lost = s.State(keyCalibration) != nil
	}
	more := func(key string) bool {
		tried, known := numberAt(s, key)
		return !known || grown(docs, tried, share)
	}
	due.grown = due.grown && more(keyTried)
	if !more(keyPartTried) {
		due.part = 0
	}
	due.calibrate = due.grown || part
	return due
}

func dueOfTags(s *store.Snapshot, share float64) dueFit {
	c, k := tagged.New(s), tagged.Parse(s.StateInPlace(tagged.KeyCalibration), s.StateInPlace(tagged.KeyLayer))
	due := dueFit{documents: c.Documents, classes: len(c.Classes)}
	if k == nil {
		due.grown = c.Documents >= tagged.Fewest
	} else {
		due.grown = outgrown(k.Calibration, c.Documents, c.Classes, share, k.Learned)
	}
	due.calibrate = due.grown
	return due
}

// A class that has doubled, and grown by at least classGrowth documents, was hardly in the
// calibration sample. A new sample may have at most classPays documents for each changed
// document, unless a class is new: nothing is known of it, and so less of the others.
const (
	classGrowth = 10
	classPays   = 20
)

// outgrown reports whether the documents, in all or of a class, have changed so much since k that
// calibrating is worthwhile. then returns the documents of a class at that time.
func outgrown(k *calibration.Calibration, docs uint64, classes []*count.Class, share float64, then func(*count.Class) uint64) bool {
	doubled, fresh, all := false, false, uint64(0)
	for _, class := range classes {
		before := then(class)
		n := changed(class.Docs, before)
		all += n
		fresh = fresh || before == 0 && class.Docs >= classGrowth
		doubled = doubled || class.Docs > before && n >= max(classGrowth, before)
	}
	return grown(docs, k.Documents, share) || fresh || doubled && classPays*all >= uint64(k.Sample)
}

// FitDue reports whether the documents have grown by the share growth,
// calibration.RefitGrowth or TrainGrowth, since the last calibration.
func (c *Classifier) FitDue(growth float64) (bool, error) {
	due, err := c.due(growth)
	return due.grown, err
}

// number returns the value of the state for a number.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// numberAt returns the number that the state has at a key, 0 for none.
func numberAt(s *store.Snapshot, key string) (n uint64, known bool) {
	data := s.StateInPlace(key)
	if len(data) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(data), true
}

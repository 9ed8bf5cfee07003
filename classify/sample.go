package classify

import (
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
)

const (
	// sampleOthers is the number of documents in the calibration sample that are not of a
	// given class, where classes are equally large: a rate of .1 % is known from 2,995 of
	// them on. Leave-one-out takes a tenth of a millisecond a document with two classes.
	// Weights and biases need fewer: on 20 Newsgroups 1,000 documents give .866 correct
	// and 3,000 .873; on SpamAssassin 1,000 give a log loss of .028 to .029 and 2,000 one
	// of .027 to .028.
	sampleOthers = 4000

	// sampleMost is the size of the sample for two classes.
	sampleMost = 2 * sampleOthers

	// sampleCells bounds documents × classes: the scores of all components are kept
	// until the fits are done, and a training waits for these. With 128 classes that
	// are 1,024 documents.
	sampleCells = 1 << 17

	// sampleKept bounds the limit that the database keeps from a Calibrate for
	// trainings to come.
	sampleKept = 10_000

	// sampleFewest and fewestPerClass are the numbers of documents below which the
	// weights stay what they are by default. A document that is left out leaves its
	// class smaller than the others, which biases its score where classes are small.
	sampleFewest   = 20
	fewestPerClass = 2
)

// sampleSize is the size of the calibration sample for so many classes.
func sampleSize(classes int) int {
	classes = max(classes, 2)
	return min(sampleOthers*classes/(classes-1), max(sampleCells/classes, 2*sampleFewest))
}

// fewest is the number of documents from which on models are calibrated.
func fewest(classes []*count.Class) int {
	n := withDocuments(classes)
	return max(sampleFewest, min(fewestPerClass*n, sampleSize(n)/2))
}

// classFewest is the number of documents in the sample from which on a class is fitted.
// With fewer a fit would only learn that the class does not occur.
const classFewest = 3

// sampleKey is a pseudo-random key to draw samples by: the finalizer of MurmurHash3 (A.
// Appleby) over the id.
func sampleKey(id count.DocID) uint64 {
	h := binary.LittleEndian.Uint64(id[:8])
	for _, more := range []uint64{binary.LittleEndian.Uint64(id[8:]), 0x9e3779b97f4a7c15} {
		h ^= more
		h ^= h >> 33
		h *= 0xff51afd7ed558ccd
		h ^= h >> 33
		h *= 0xc4ceb9fe1a85ec53
		h ^= h >> 33
	}
	return h
}

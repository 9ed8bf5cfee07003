package classify

import (
	"encoding/binary"

	"github.com/polya-classifier/polya/store/count"
)

const (
	// sampleOthers is the number of documents in the calibration sample that are not of a
	// given class, for classes of equal size: a false-positive rate of .1 % needs 2,995 of
	// them, weights and biases fewer. Leave-one-out takes a tenth of a millisecond per
	// document with two classes.
	sampleOthers = 4000

	// sampleMost is the size of the sample for two classes.
	sampleMost = 2 * sampleOthers

	// sampleCells bounds documents × classes: the scores of all components are kept until
	// the fits are done, and a training may wait for these. With 128 classes, of which a
	// document keeps the scores at the most, it allows 1,024 documents.
	sampleCells = 1 << 17

	// sampleKept bounds the limit of a Calibrate that the database stores for later
	// trainings.
	sampleKept = 10_000

	// sampleFewest and fewestPerClass are the numbers of documents below which the weights
	// stay at their defaults. Leaving a document out of a small class biases its score.
	sampleFewest   = 20
	fewestPerClass = 2
)

// sampleSize returns the size of the calibration sample for this number of classes.
func sampleSize(classes int) int {
	classes = max(classes, 2)
	return min(sampleOthers*classes/(classes-1), sampleCells/min(classes, shortlisted))
}

// fewest returns the least number of documents for a calibration.
func fewest(classes []*count.Class) int {
	n := withDocuments(classes)
	return max(sampleFewest, min(fewestPerClass*n, sampleSize(n)/2))
}

// classFewest is the least number of documents in the sample for fitting a class. With
// fewer a fit would only learn that the class does not occur.
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

// within reports whether a key is in the sample with this share of all documents.
func within(key uint64, share float64) bool { return float64(key) < share*(1<<64) }

package model

import "math"

// record is what is kept of a term, in words, for a processor adds these up without a look
// at single bytes:
//
//	its size in words, flags, and the low half of the hash of the term
//	and, if the term is known,
//	what TermSums.Strong returns of it, if it is strong
//	what it contributes to the sum of squares, if there is such a sum
//	by list a run: a word for the number of contributions, and of each a word for
//	the sum, counted from the first of the list, and one for the value
//
// A run of more contributions than half the sums of its list, which are no means, is instead
// the word all and a value for each sum, of which 0 is none.
//
// The term itself is not there: that two have the same hash is as likely as two equal
// numbers of 64 bits drawn by chance, and nobody can write a document that makes it likelier.
type record []uint64

const (
	sizeBits = 16
	hashBits = 32

	isKnown   = 1 << (sizeBits + iota) // some class has the term
	isStrong                           // TermSums.Strong reports it
	ofField                            // and it is of a field
	ofChannel                          // it is of a channel

	// all is no number of contributions.
	all = math.MaxUint64

	// maxContributions is the most that a term may have, which are those to each class
	// of each part: of the default Stack 85 classes. With more, few terms would fill
	// the memory there is for them.
	maxContributions = 1 << 9

	maxRecord = 1 + 2 + (1+2)*maxContributions
)

const _ = uint(1<<sizeBits - 1 - maxRecord)

func (r record) size() int { return int(r[0] & (1<<sizeBits - 1)) }

// is reports whether the record is of the term of a hash of which the high half agrees.
func (r record) is(hash uint64) bool { return r[0]>>hashBits == hash&(1<<hashBits-1) }

// appendRun appends a run. With sums, their number, they are no means.
func appendRun(data []uint64, list []contribution, sums int) []uint64 {
	if 2*len(list) <= sums || sums == 0 {
		data = append(data, uint64(len(list)))
		for _, one := range list {
			data = append(data, uint64(one.class), math.Float64bits(one.value))
		}
		return data
	}
	data = append(data, all)
	at := len(data)
	data = append(data, make([]uint64, sums)...)
	for _, one := range list {
		data[at+one.class] = math.Float64bits(one.value)
	}
	return data
}

// addRun adds the contributions of the run that data begins with, times weight, to sums, and
// returns what follows it.
func addRun(sums []float64, data []uint64, weight float64) []uint64 {
	n := data[0]
	data = data[1:]
	if n == all {
		values := data[:len(sums)]
		for i, v := range values {
			sums[i] += weight * math.Float64frombits(v)
		}
		return data[len(sums):]
	}
	run := data[:2*n]
	for i := 1; i < len(run); i += 2 {
		sums[run[i-1]] += weight * math.Float64frombits(run[i])
	}
	return data[len(run):]
}

// weighed is a sum of weighed contributions with that of their weights.
type weighed struct{ value, weight float64 }

// addMeans is addRun to sums that are divided by those of their weights.
func addMeans(sums []weighed, data []uint64, weight float64) []uint64 {
	run := data[1:][:2*data[0]]
	for i := 1; i < len(run); i += 2 {
		to := &sums[run[i-1]]
		to.value += weight * math.Float64frombits(run[i])
		to.weight += weight
	}
	return data[1+len(run):]
}

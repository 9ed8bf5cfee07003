package model

import (
	"math"

	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/store/count"
)

// record holds the cached contributions of a term, in words:
//
//	its size in words, flags, the number of weights that a Layer has for it, and the low
//	half of the hash of the term
//	and, if the term is known,
//	the number of means that it contributes to, and for each list that of its sums
//	the result of TermSums.Strong, if it is strong
//	if there is a Layer of its kind, its idf, and the weights in blocks of up to four: a word for
//	which sums they are for, and one for the weights in units of layer.Unit
//	the contributions, those to means first, in blocks of up to four: a word for which
//	sums they are for, and one for each value
//
// What a sum is for has 16 bits; for means the lowest is 1 if they are of weights that are all 1.
//
// The term itself is not stored: two 64-bit hashes are hardly ever equal, and nobody can
// choose terms to make them so.
type record []uint64

const (
	isKnown   = 1 << (sizeBits + iota) // some class has the term
	isStrong                           // TermSums.Strong reports it
	ofField                            // and it is of a field
	ofChannel                          // it is of a channel
)

const (
	sizeBits   = 12
	layerShift = 16
	numberBits = 16
	hashBits   = 32

	// all has the bits of a number of contributions.
	all = 1<<numberBits - 1

	// maxSums is how many means, and how many other sums, there can be: those of 85 classes.
	// Arrays of as many need no check of an index.
	maxSums = 1 << 11

	// maxLists is how many numbers of contributions have room beside that of means. There
	// are no more kinds of weights.
	maxLists = 3

	// maxContributions is the largest number of contributions of a term, one for each class
	// of each part: 85 classes for the default Stack. With more, few terms would fill the
	// memory.
	maxContributions = 1 << 9

	maxRecord = 1 + 1 + 1 + 1 + (1+1)*maxContributions
)

const _ = uint(1<<sizeBits - 1 - maxRecord)

func (r record) size() int { return int(r[0] & (1<<sizeBits - 1)) }

// is reports whether the record is of the term with this hash, whose high half agrees.
func (r record) is(hash uint64) bool { return r[0]>>hashBits == hash&(1<<hashBits-1) }

// record makes the record of a missing term; row is nil if no class has the term.
func (m *Reading) record(k *TermSums, asked int, row *Row) {
	at := len(m.data)
	m.begins = append(m.begins, at)
	m.data = append(m.data, m.hashes[m.missing[asked]]<<hashBits)
	if row != nil {
		if k.FieldsOf != nil {
			row.Fields = k.FieldsOf(row.Term)
		}
		m.describe(k, at, row)
	}
	m.data[at] |= uint64(len(m.data) - at)
}

// describe appends the rest of the record of a known term, and sets the flags in its first
// word.
func (m *Reading) describe(k *TermSums, at int, row *Row) {
	numbers := len(m.data)
	channel, ratio, ofLayer := count.OfChannel(row.Term), 0.0, k.layers[layer.Kind(row.Term)]
	m.data[at] |= isKnown
	m.data = append(m.data, 0)
	if channel {
		m.data[at] |= ofChannel
	} else if k.Strong != nil {
		ratio = k.Strong(row)
	}
	if ratio != 0 {
		m.data[at] |= isStrong
		if row.Fields > TextFields {
			m.data[at] |= ofField
		}
		m.data = append(m.data, math.Float64bits(ratio))
	}
	if ofLayer >= 0 {
		s := k.stack.parts[ofLayer].layer
		m.data = append(m.data, math.Float64bits(s.idf(row)))
		m.data[at] |= m.appendWeights(s, row, k.first[ofLayer]) << layerShift
	}
	m.run = m.run[:0]
	for i := range k.stack.parts {
		p := &k.stack.parts[i]
		if p.ratios == nil || channel && p.ratios.channel == AllFields {
			continue
		}
		m.run = p.ratios.appendPlaced(m.run, row, k.first[i], &m.memory)
	}
	m.data[numbers] = uint64(len(m.run))
	m.data = appendBlocks(m.data, m.run)
	if channel {
		return
	}
	for l := range k.lists {
		to := &k.lists[l]
		m.run = m.run[:0]
		for _, i := range to.parts {
			k.stack.parts[i].terms.contribute(row, &m.memory)
			for _, one := range m.memory.list {
				m.run = append(m.run, contribution{k.first[i] + one.class, one.value})
			}
		}
		m.data = appendBlocks(m.data, m.run)
		m.data[numbers] |= uint64(len(m.run)) << (numberBits * (1 + l))
	}
}

// appendWeights appends the weights of a Layer, whose sums begin at first, and returns how many
// there are.
func (m *Reading) appendWeights(s *layerScorer, row *Row, first int) (n uint64) {
	s.contribute(row, &m.memory)
	for _, one := range m.memory.list {
		if n%blockLength == 0 {
			m.data = append(m.data, 0, 0)
		}
		end, shift := len(m.data), n%blockLength*numberBits
		m.data[end-2] |= uint64(first+one.class) << shift
		m.data[end-1] |= uint64(uint16(int16(one.value/layer.Unit))) << shift
		n++
	}
	return n
}

// appendBlocks appends contributions in blocks.
func appendBlocks(data []uint64, list []contribution) []uint64 {
	for at := 0; len(list) > 0; list = list[min(blockLength, len(list)):] {
		at = len(data)
		data = append(data, 0)
		for i, one := range list[:min(blockLength, len(list))] {
			data[at] |= uint64(one.class) << (numberBits * i)
			data = append(data, math.Float64bits(one.value))
		}
	}
	return data
}

const blockLength = 64 / numberBits

// addRun adds the n contributions that data begins with, times weight, to sums, and returns
// what follows them.
func addRun(sums *[maxSums]float64, data []uint64, n uint64, weight float64) []uint64 {
	for n > 0 {
		size, to := min(n, blockLength), data[0]
		for _, v := range data[1:][:size] {
			sums[to%maxSums] += weight * math.Float64frombits(v)
			to >>= numberBits
		}
		data, n = data[1+size:], n-size
	}
	return data
}

// weighed is a sum of weighted contributions and the sum of their weights.
type weighed struct{ value, weight float64 }

// add adds a value, times weight.
func (s *weighed) add(value uint64, weight float64) {
	s.value += weight * math.Float64frombits(value)
	s.weight += weight
}

// addMeans is addRun to number of sums that are divided by the sum of their weights, of
// which those that are not all 1 are weight for the term.
func addMeans(sums *[maxSums]weighed, data []uint64, n uint64, weight float64) []uint64 {
	weights := [2]float64{weight, 1}
	for n > 0 {
		size, to := min(n, blockLength), data[0]
		for _, v := range data[1:][:size] {
			sums[to>>1%maxSums].add(v, weights[to&1])
			to >>= numberBits
		}
		data, n = data[1+size:], n-size
	}
	return data
}

// addLayer adds n weights, times unit, to sums. A block that is not full
// ends with weights of 0.
func addLayer(sums *[maxSums]float64, data []uint64, n uint64, unit float64) []uint64 {
	for i := uint64(0); i < n; i += blockLength {
		block := (*[2]uint64)(data)
		to, values := block[0], block[1]
		data = data[2:]
		sums[to%maxSums] += float64(int16(values)) * unit
		sums[to>>16%maxSums] += float64(int16(values>>16)) * unit
		sums[to>>32%maxSums] += float64(int16(values>>32)) * unit
		sums[to>>48%maxSums] += float64(int16(values>>48)) * unit
	}
	return data
}

package layer

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/polya-classifier/polya/store/count"
)

// Weights are the weights of terms by class, times the idf of the term when they were
// learned. They are immutable, and kept as bytes, all numbers little-endian:
//
//	version, u8 2
//	u64 hash of all that follows, never 0
//	classes, u16, and for each u32 its id
//	terms, u32, and u8 the number of bits b of the index
//	index, 2^b+1 u32: the number of terms whose hash begins with fewer bits than that
//	terms, for each in ascending order of hash u64 hash, u32 number of weights up to it
//	weights, each u16 class by its place above, i16 in units of 1/256
//
// A term is identified only by its hash; the counts have the term itself. So is a feature of attributes,
// whose weights are as they are, in place of times an idf; see Columns. The scale of numbers is two
// float64 in place of weights.
type Weights struct {
	Classes []count.ClassID // in the numbering of the weights

	bits    int
	index   []byte
	terms   []byte
	weights []byte
}

const (
	version = 2

	// least is the absolute weight, without idf, below which weights are dropped. The rest is small enough
	// for the file, and accuracy on 20 Newsgroups is the same to the digit.
	least = 0.1

	// Unit is what weights are multiples of, up to 32767.
	Unit     = 1. / 256
	greatest = math.MaxInt16

	sumSize    = 1 + 8
	headSize   = sumSize + 2
	termSize   = 8 + 4
	weightSize = 2 + 2
)

// hashed is the hash of a term, with its row of weights and its idf, or with bytes in place of weights.
type hashed struct {
	hash uint64
	row  int32
	idf  float64
	raw  []byte
}

// compact returns the weights that are worth keeping, of classes 0, 1, ...; Marshal sets
// their ids. n and df are as for Learn. list has features that are no terms.
func (p *pass) compact(terms *Terms, n uint64, df []uint64, list []hashed) *Weights {
	for i := range p.terms {
		if row := p.terms[i].row; row >= 0 && slices.ContainsFunc(p.of(row), isKept) {
			list = append(list, hashed{Hash(terms.Term(i)), row, IDF(n, df[i]), nil})
		}
	}
	slices.SortFunc(list, func(a, b hashed) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.row, b.row)) })
	w := &Weights{bits: bits.Len(uint(len(list) / 4))}
	next := 0
	for i := range 1<<w.bits + 1 {
		for next < len(list) && list[next].hash>>1>>(63-w.bits) < uint64(i) {
			next++
		}
		w.index = binary.LittleEndian.AppendUint32(w.index, uint32(next))
	}
	for _, t := range list {
		w.terms = binary.LittleEndian.AppendUint64(w.terms, t.hash)
		w.weights = append(w.weights, t.raw...)
		for c, v := range p.of(t.row) {
			if isKept(v) && t.raw == nil {
				w.weights = binary.LittleEndian.AppendUint16(w.weights, uint16(c))
				fixed := int16(max(-greatest, min(greatest, math.Round(float64(v)*t.idf/Unit))))
				w.weights = binary.LittleEndian.AppendUint16(w.weights, uint16(fixed))
			}
		}
		w.terms = binary.LittleEndian.AppendUint32(w.terms, uint32(len(w.weights)/weightSize))
	}
	return w
}

// of returns the weights of a row.
func (p *pass) of(row int32) []float32 {
	return p.weights[int(row)*p.classes : (int(row)+1)*p.classes]
}

func isKept(v float32) bool { return v >= least || v <= -least }

// Marshal returns the bytes of the weights, whose classes have these ids.
func (w *Weights) Marshal(ids []count.ClassID) []byte {
	b := binary.LittleEndian.AppendUint16(make([]byte, sumSize), uint16(len(ids)))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.terms)/termSize))
	b = slices.Concat(b, []byte{byte(w.bits)}, w.index, w.terms, w.weights)
	b[0] = version
	binary.LittleEndian.PutUint64(b[1:], Hash(b[sumSize:])|1)
	return b
}

// Sum returns the hash that Marshal has stored in the bytes of weights, 0 for other bytes.
// It does not check the rest, which a database verifies.
func Sum(data []byte) uint64 {
	if len(data) < headSize || data[0] != version {
		return 0
	}
	return binary.LittleEndian.Uint64(data[1:])
}

// Parse reads the output of Marshal, and keeps data. It returns nil for another version or
// length; other invalid bytes give meaningless weights.
func Parse(data []byte) *Weights {
	w := &Weights{}
	if len(data) < headSize || data[0] != version {
		return nil
	}
	classes := int(binary.LittleEndian.Uint16(data[sumSize:]))
	data = data[headSize:]
	if len(data) < 4*classes+4+1 {
		return nil
	}
	for i := range classes {
		w.Classes = append(w.Classes, count.ClassID(binary.LittleEndian.Uint32(data[4*i:])))
	}
	data = data[4*classes:]
	terms := int(binary.LittleEndian.Uint32(data))
	w.bits = int(data[4])
	data = data[5:]
	if terms < 0 || terms > len(data)/termSize || w.bits != bits.Len(uint(terms/4)) {
		return nil
	}
	index := 4 * (1<<w.bits + 1) // at most 16 bytes per term
	if len(data) < index+termSize*terms || (len(data)-index-termSize*terms)%weightSize != 0 {
		return nil
	}
	w.index, w.terms, w.weights = data[:index], data[index:index+termSize*terms], data[index+termSize*terms:]
	return w
}

// Row are the weights of one term.
type Row []byte

// Row returns the weights of the term of a Hash, none if all of them are about 0.
func (w *Weights) Row(hash uint64) Row {
	from, to := w.bucket(hash)
	term := func(i int) uint64 { return binary.LittleEndian.Uint64(w.terms[i*termSize:]) }
	at := from + sort.Search(to-from, func(i int) bool { return term(from+i) >= hash })
	if at >= to || term(at) != hash {
		return nil
	}
	return w.at(at)
}

// bucket returns the range of terms that contains a hash.
func (w *Weights) bucket(hash uint64) (from, to int) {
	at, terms := 4*int(hash>>1>>(63-w.bits)), uint32(len(w.terms)/termSize)
	return int(min(binary.LittleEndian.Uint32(w.index[at:]), terms)), int(min(binary.LittleEndian.Uint32(w.index[at+4:]), terms))
}

// at returns the weights of term i.
func (w *Weights) at(i int) Row {
	first := 0
	if i > 0 {
		first = int(binary.LittleEndian.Uint32(w.terms[i*termSize-4:])) * weightSize
	}
	last := int(binary.LittleEndian.Uint32(w.terms[i*termSize+8:])) * weightSize
	if first > last || last > len(w.weights) {
		return nil // invalid bytes
	}
	return w.weights[first:last]
}

// Len returns the number of weights.
func (r Row) Len() int { return len(r) / weightSize }

// At returns weight i with its class, an index into Weights.Classes.
func (r Row) At(i int) (class int, weight float64) {
	r = r[i*weightSize:]
	return int(binary.LittleEndian.Uint16(r)), Unit * float64(int16(binary.LittleEndian.Uint16(r[2:])))
}

// Hash is FNV-1a with the finalizer of MurmurHash3, so that its first bits are as good
// as its last. It depends only on the term: equal documents give equal bytes.
func Hash[T string | []byte](term T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(term) {
		h = (h ^ uint64(term[i])) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

package calibration

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// A Suspect is a learned document whose label is probably wrong.
type Suspect struct {
	ID     count.DocID
	Class  count.ClassID // its label
	Likely count.ClassID // the most probable of its classes
	Wrong  float64       // the probability that the label is wrong, above .5
}

// mostSuspects bounds the suspects that are kept: nobody looks at more.
const mostSuspects = 1000

// suspectsVersion is the first byte of suspects in binary form.
const suspectsVersion = 1

// MarshalSuspects returns the likeliest suspects in binary form: a version, then of each its
// id, its two classes, and the bits of Wrong. It sorts the suspects.
func MarshalSuspects(list []Suspect) []byte {
	slices.SortFunc(list, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Wrong, a.Wrong), slices.Compare(a.ID[:], b.ID[:]))
	})
	data := []byte{suspectsVersion}
	for _, s := range list[:min(len(list), mostSuspects)] {
		data = append(data, s.ID[:]...)
		data = binary.AppendUvarint(data, uint64(s.Class))
		data = binary.AppendUvarint(data, uint64(s.Likely))
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(s.Wrong)))
	}
	return data
}

// ParseSuspects reads the output of MarshalSuspects. It returns nil if data is anything else.
func ParseSuspects(data []byte) (list []Suspect) {
	if len(data) == 0 || data[0] != suspectsVersion {
		return nil
	}
	data = data[1:]
	for len(data) > 0 {
		var s Suspect
		if len(data) < len(s.ID) {
			return nil
		}
		data = data[copy(s.ID[:], data):]
		for _, class := range []*count.ClassID{&s.Class, &s.Likely} {
			v, n := binary.Uvarint(data)
			if n <= 0 || v > math.MaxUint32 {
				return nil
			}
			*class, data = count.ClassID(v), data[n:]
		}
		if len(data) < 4 {
			return nil
		}
		s.Wrong = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
		if data = data[4:]; !(s.Wrong >= 0 && s.Wrong <= 1) {
			return nil
		}
		list = append(list, s)
	}
	return list
}

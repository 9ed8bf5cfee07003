package calibration

import (
	"cmp"
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

// mostSuspects bounds the suspects that are kept: people look at a few.
const mostSuspects = 1000

// suspectsVersion is the first byte of suspects in binary form.
const suspectsVersion = 1

// MarshalSuspects returns the likeliest suspects in binary form: a version, then of each its
// id, its two classes, and the bits of Wrong. It sorts the suspects.
func MarshalSuspects(list []Suspect) []byte {
	slices.SortFunc(list, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Wrong, a.Wrong), slices.Compare(a.ID[:], b.ID[:]))
	})
	c := codec{data: []byte{suspectsVersion}}
	for _, s := range list[:min(len(list), mostSuspects)] {
		c.suspect(&s)
	}
	return c.data
}

// ParseSuspects reads the output of MarshalSuspects. It returns nil if data is anything else.
func ParseSuspects(data []byte) (list []Suspect) {
	if len(data) == 0 || data[0] != suspectsVersion {
		return nil
	}
	for c := (codec{data: data[1:], reads: true}); len(c.data) > 0; {
		var s Suspect
		if c.suspect(&s); c.bad || !(s.Wrong >= 0 && s.Wrong <= 1) {
			return nil
		}
		list = append(list, s)
	}
	return list
}

func (c *codec) suspect(s *Suspect) {
	wrong := float32(s.Wrong)
	c.bytes(s.ID[:])
	c.class(&s.Class)
	c.class(&s.Likely)
	c.float32(&wrong)
	s.Wrong = float64(wrong)
}

package calibration

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// errNotFinite is the error of Marshal for a number that is infinite or NaN.
var errNotFinite = errors.New("a calibration is not finite")

// Marshal returns k in binary form: the fields in order, numbers as unsigned varints,
// floating-point numbers in 8 or 4 bytes, little-endian, texts after their length in
// bytes, and lists and maps after the number of their entries, in order of key. It is not
// JSON because parsing that took a twentieth of the time of an answer. The error is for a
// number that is not finite.
func (k *Calibration) Marshal() ([]byte, error) {
	c := codec{data: []byte{version}}
	c.calibration(k)
	if c.bad {
		return nil, errNotFinite
	}
	return c.data, nil
}

// Parse reads the output of Marshal. It returns nil if data is anything else, such as the
// output of an earlier version: the next calibration replaces it.
func Parse(data []byte) *Calibration {
	if len(data) == 0 || data[0] != version {
		return nil
	}
	c, k := codec{data: data[1:], reads: true}, new(Calibration)
	c.calibration(k)
	if c.bad || len(c.data) > 0 || k.Sample < 1 {
		return nil
	}
	return k
}

// codec writes or reads the values passed to its methods. After an error it reads nothing
// more.
type codec struct {
	reads bool
	data  []byte // the output, or the rest of the input
	bad   bool   // reading: malformed input; writing: a number that is not finite
}

func (c *codec) calibration(k *Calibration) {
	c.number(&k.Documents)
	dict(c, &k.Learned, c.number)
	dict(c, &k.Sampled, c.int)
	c.int(&k.Sample)
	c.int(&k.Limit)
	c.text(&k.Chosen)
	c.number(&k.Layer)
	c.int(&k.Latest.Documents)
	c.number(&k.Latest.Since)
	for _, x := range []*float64{&k.Latest.Loss, &k.Latest.Before, &k.Latest.Error} {
		c.float(x, math.MaxFloat64)
	}
	dict(c, &k.WrongLabels, func(x *float64) { c.float(x, 1) })
	dict(c, &k.Marks, func(m *Mark) {
		c.text(&m.Term)
		c.float(&m.Own, 1)
		c.float(&m.Others, 1)
	})
	list(c, &k.Models, c.model)
}

func (c *codec) model(m *Model) {
	c.text(&m.Name)
	list(c, &m.Components, c.text)
	c.number(&m.Documents)
	c.float(&m.Loss, math.MaxFloat64)
	list(c, &m.Weights, func(x *float64) {
		c.fitted(x)
		c.bad = c.bad || c.reads && *x < 0
	})
	c.bad = c.bad || c.reads && len(m.Weights) != len(m.Components)
	dict(c, &m.Bias, c.fitted)
	c.float(&m.Floor, 1)
	c.float(&m.Variance, 1)
	c.int(&m.Seen)
	c.bad = c.bad || c.reads && min(m.Floor, m.Variance) < 0
	dict(c, &m.Tails, c.tail)
	dict(c, &m.Zones, c.zone)
	dict(c, &m.Bounds, func(b *Bounds) {
		for i := range b {
			c.fitted(&b[i])
		}
	})
}

func (c *codec) zone(z *Zone) {
	c.fitted(&z.No)
	c.fitted(&z.Yes)
	c.bad = c.bad || c.reads && z.No > z.Yes
	for i := range z.Own {
		c.int(&z.Own[i])
	}
	for i := range z.Others {
		c.int(&z.Others[i])
	}
}

// tail encodes ranks and caught as differences, since both ascend.
func (c *codec) tail(t *Tail) {
	c.int(&t.Documents)
	c.int(&t.Own)
	c.float32(&t.Raised)
	n := c.length(len(t.Ranks))
	if c.reads && n > 0 {
		t.Ranks, t.LogOdds, t.Caught = make([]int, n), make([]float32, n), make([]int, n)
	}
	last, caught := 0, 0
	for i := range n {
		rank, more := t.Ranks[i]-last, t.Caught[i]-caught
		c.int(&rank)
		c.int(&more)
		last, caught = last+rank, caught+more
		c.bad = c.bad || c.reads && (last >= t.Documents || caught > t.Own)
		t.Ranks[i], t.Caught[i] = last, caught
		c.float32(&t.LogOdds[i])
	}
}

// bytes writes b or fills it.
func (c *codec) bytes(b []byte) {
	if !c.reads {
		c.data = append(c.data, b...)
	} else if c.bad = c.bad || len(b) > len(c.data); !c.bad {
		c.data = c.data[copy(b, c.data):]
	}
}

func (c *codec) number(n *uint64) {
	if !c.reads {
		c.data = binary.AppendUvarint(c.data, *n)
		return
	}
	v, size := binary.Uvarint(c.data)
	if c.bad = c.bad || size <= 0; !c.bad {
		*n, c.data = v, c.data[size:]
	}
}

func (c *codec) class(id *count.ClassID) {
	v := uint64(*id)
	c.number(&v)
	c.bad = c.bad || v > math.MaxUint32
	*id = count.ClassID(v)
}

// int reads a number that fits an int of 32 bits.
func (c *codec) int(n *int) {
	v := uint64(*n)
	if c.reads {
		v = 0
	}
	c.number(&v)
	c.bad = c.bad || c.reads && v > math.MaxInt32
	if c.reads && c.bad {
		v = 0
	}
	*n = int(v)
}

// length reads or writes a number of entries, each of at least a byte, and returns it.
func (c *codec) length(n int) int {
	c.int(&n)
	if c.reads && n > len(c.data) {
		c.bad, n = true, 0
	}
	return n
}

func (c *codec) text(s *string) {
	n := c.length(len(*s))
	if !c.reads {
		c.data = append(c.data, *s...)
		return
	}
	*s, c.data = string(c.data[:n]), c.data[n:]
}

// float reads a number between -limit and limit.
func (c *codec) float(x *float64, limit float64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(*x))
	c.bytes(b[:])
	*x = math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
	if !c.reads {
		limit = math.MaxFloat64
	}
	c.bad = c.bad || !(math.Abs(*x) <= limit)
}

func (c *codec) fitted(x *float64) { c.float(x, maxFitted) }

func (c *codec) float32(x *float32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], math.Float32bits(*x))
	c.bytes(b[:])
	*x = math.Float32frombits(binary.LittleEndian.Uint32(b[:]))
	c.bad = c.bad || *x-*x != 0
}

// list reads nil for no entries.
func list[T any](c *codec, values *[]T, value func(*T)) {
	n := c.length(len(*values))
	if c.reads && n > 0 {
		*values = make([]T, n)
	}
	for i := range *values {
		value(&(*values)[i])
	}
}

// dict reads nil for no entries.
func dict[V any](c *codec, m *map[count.ClassID]V, value func(*V)) {
	n := c.length(len(*m))
	if !c.reads {
		for _, id := range slices.Sorted(maps.Keys(*m)) {
			v := (*m)[id]
			c.class(&id)
			value(&v)
		}
		return
	}
	if n > 0 {
		*m = make(map[count.ClassID]V, n)
	}
	for range n {
		var key count.ClassID
		var v V
		c.class(&key)
		value(&v)
		(*m)[key] = v
	}
	c.bad = c.bad || len(*m) != n
}

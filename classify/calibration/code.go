package calibration

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/store/count"
)

// errNotFinite is the error of Marshal for a number that is infinite or NaN.
var errNotFinite = errors.New("a calibration is not finite")

// Marshal returns k in binary form: the fields in order, numbers as unsigned varints,
// floating-point numbers in 8 or 4 bytes, little-endian, texts behind their length in
// bytes, and lists and maps behind the number of their entries, in order of key. It is no
// JSON because to read that took a twentieth of the time of an answer. The error is for a
// number that is not finite.
func (k *Calibration) Marshal() ([]byte, error) {
	w := calibrationWriter{[]byte{version}, true}
	w.number(k.Documents)
	writeMap(&w, k.Learned, w.number)
	writeMap(&w, k.Sampled, w.int)
	w.int(k.Sample)
	w.int(k.Limit)
	w.text(k.Chosen)
	w.int(len(k.Models))
	for i := range k.Models {
		w.model(&k.Models[i])
	}
	if !w.finite {
		return nil, errNotFinite
	}
	return w.data, nil
}

type calibrationWriter struct {
	data   []byte
	finite bool
}

func (w *calibrationWriter) number(n uint64) { w.data = binary.AppendUvarint(w.data, n) }
func (w *calibrationWriter) int(n int)       { w.number(uint64(n)) }

func (w *calibrationWriter) text(s string) {
	w.int(len(s))
	w.data = append(w.data, s...)
}

func (w *calibrationWriter) float(x float64) {
	w.finite = w.finite && !math.IsNaN(x) && !math.IsInf(x, 0)
	w.data = binary.LittleEndian.AppendUint64(w.data, math.Float64bits(x))
}

func (w *calibrationWriter) model(m *Model) {
	w.text(m.Name)
	w.int(len(m.Components))
	for _, c := range m.Components {
		w.text(c)
	}
	w.number(m.Documents)
	writeMap(w, m.Sampled, w.int)
	w.float(m.Loss)
	w.int(len(m.Weights))
	for _, x := range m.Weights {
		w.float(x)
	}
	writeMap(w, m.Bias, w.float)
	writeMap(w, m.Tails, w.tail)
	writeMap(w, m.Zones, w.zone)
	writeMap(w, m.Bounds, w.bounds)
}

func (w *calibrationWriter) zone(z filter.Zone) {
	w.float(z.No)
	w.float(z.Yes)
	for _, n := range append(z.Own[:], z.Others[:]...) {
		w.int(n)
	}
}

func (w *calibrationWriter) bounds(b filter.Bounds) {
	w.float(b.Strongest)
	w.float(b.Fields)
}

func (w *calibrationWriter) tail(t Tail) {
	w.int(t.Documents)
	w.int(t.Own)
	w.int(len(t.Ranks))
	last, lastCaught := 0, 0
	for i, r := range t.Ranks {
		w.int(r - last)
		w.int(t.Caught[i] - lastCaught) // ranks ascend, so that no fewer are caught
		last, lastCaught = r, t.Caught[i]
		w.float32(t.LogOdds[i])
	}
	w.int(len(t.Top))
	for _, d := range t.Top {
		w.data = append(w.data, d.ID[:]...)
		w.float32(d.LogOdds)
	}
}

func (w *calibrationWriter) float32(x float32) {
	w.finite = w.finite && x-x == 0
	w.data = binary.LittleEndian.AppendUint32(w.data, math.Float32bits(x))
}

func writeMap[V any](w *calibrationWriter, m map[count.ClassID]V, value func(V)) {
	w.int(len(m))
	for _, id := range slices.Sorted(maps.Keys(m)) {
		w.number(uint64(id))
		value(m[id])
	}
}

// Parse returns what marshal has written, nil if data is anything else.
func Parse(data []byte) *Calibration {
	if len(data) == 0 || data[0] != version {
		return nil
	}
	r := calibrationReader{data: data[1:]}
	k := &Calibration{Documents: r.number()}
	k.Learned = readMap(&r, r.number)
	k.Sampled = readMap(&r, r.int)
	k.Sample, k.Limit, k.Chosen = r.int(), r.int(), r.text()
	k.Models = make([]Model, r.count())
	for i := range k.Models {
		r.model(&k.Models[i])
	}
	if r.bad || len(r.data) > 0 || k.Sample < 1 {
		return nil
	}
	return k
}

// calibrationReader reads until it meets what it cannot, and then only zeros.
type calibrationReader struct {
	data []byte
	bad  bool
}

func (r *calibrationReader) bytes(n int) []byte {
	if r.bad || n > len(r.data) {
		r.bad = true
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *calibrationReader) number() uint64 {
	n, size := binary.Uvarint(r.data)
	r.bad = r.bad || size <= 0
	if r.bad {
		return 0
	}
	r.data = r.data[size:]
	return n
}

// int reads what an int of 32 bits can hold.
func (r *calibrationReader) int() int {
	n := r.number()
	r.bad = r.bad || n > math.MaxInt32
	if r.bad {
		return 0
	}
	return int(n)
}

// count reads a number of entries, each of at least a byte.
func (r *calibrationReader) count() int {
	n := r.int()
	if n > len(r.data) {
		r.bad = true
		return 0
	}
	return n
}

func (r *calibrationReader) text() string { return string(r.bytes(r.int())) }

// float reads a number between -limit and limit.
func (r *calibrationReader) float(limit float64) float64 {
	b := r.bytes(8)
	if b == nil {
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(b))
	r.bad = r.bad || !(math.Abs(x) <= limit)
	return x
}

func (r *calibrationReader) model(m *Model) {
	m.Name = r.text()
	m.Components = make([]string, r.count())
	for i := range m.Components {
		m.Components[i] = r.text()
	}
	m.Documents = r.number()
	m.Sampled = readMap(r, r.int)
	m.Loss = r.float(math.MaxFloat64)
	m.Weights = make([]float64, r.count())
	for i := range m.Weights {
		m.Weights[i] = r.float(maxFitted)
		r.bad = r.bad || m.Weights[i] < 0
	}
	m.Bias = readMap(r, func() float64 { return r.float(maxFitted) })
	m.Tails = readMap(r, r.tail)
	m.Zones = readMap(r, r.zone)
	m.Bounds = readMap(r, r.bounds)
}

func (r *calibrationReader) zone() filter.Zone {
	z := filter.Zone{No: r.float(maxFitted), Yes: r.float(maxFitted)}
	r.bad = r.bad || z.No > z.Yes
	for i := range z.Own {
		z.Own[i] = r.int()
	}
	for i := range z.Others {
		z.Others[i] = r.int()
	}
	return z
}

func (r *calibrationReader) bounds() filter.Bounds {
	return filter.Bounds{Strongest: r.float(maxFitted), Fields: r.float(maxFitted)}
}

func (r *calibrationReader) tail() Tail {
	t := Tail{Documents: r.int(), Own: r.int()}
	if n := r.count(); n > 0 {
		t.Ranks, t.LogOdds, t.Caught = make([]int, n), make([]float32, n), make([]int, n)
		last, caught := 0, 0
		for i := range t.Ranks {
			last, caught = last+r.int(), caught+r.int()
			r.bad = r.bad || last < 0 || last >= t.Documents || caught < 0 || caught > t.Own
			t.Ranks[i], t.Caught[i], t.LogOdds[i] = last, caught, r.float32()
		}
	}
	if n := r.count(); n > 0 {
		t.Top = make([]TopDocument, n)
		for i := range t.Top {
			copy(t.Top[i].ID[:], r.bytes(len(t.Top[i].ID)))
			t.Top[i].LogOdds = r.float32()
		}
	}
	return t
}

// float32 reads a finite number.
func (r *calibrationReader) float32() float32 {
	b := r.bytes(4)
	if b == nil {
		return 0
	}
	x := math.Float32frombits(binary.LittleEndian.Uint32(b))
	r.bad = r.bad || x-x != 0
	return x
}

// readMap reads a map, nil if it has no entries.
func readMap[V any](r *calibrationReader, value func() V) map[count.ClassID]V {
	n := r.count()
	if n == 0 {
		return nil
	}
	m := make(map[count.ClassID]V, n)
	for range n {
		id := r.number()
		r.bad = r.bad || id > math.MaxUint32
		m[count.ClassID(id)] = value()
	}
	r.bad = r.bad || len(m) != n
	return m
}

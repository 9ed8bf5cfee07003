package recent

import (
	"encoding/binary"
	"math"
	"testing"
)

func lesson(t *testing.T, a Answer, features ...uint16) *Lesson {
	t.Helper()
	l := a.Lesson(features)
	if l == nil {
		t.Fatalf("%+v is no surprise", a)
	}
	return l
}

// A surprise moves the answer for an equal document towards the class taught, one that shares
// nothing not at all, and the second of two near copies less than the first.
func TestLesson(t *testing.T) {
	t.Parallel()
	var c Correction
	if l, weight := c.LogOdds([]uint16{1}); l != 0 || weight != .5 || !c.Empty() {
		t.Errorf("nothing learned: %v, %v", l, weight)
	}
	first := lesson(t, Answer{LogOdds: -2}, 1, 2, 3, 4)
	c.Add(first.Marshal(), true)
	l, weight := c.LogOdds([]uint16{1, 2, 3, 4})
	if math.Abs(l-float64(first.Step)) > 1e-5 || l < 2 || weight != .5 || c.Empty() {
		t.Errorf("an equal document: %v, %v", l, weight)
	}
	if near, _ := c.LogOdds([]uint16{1, 2, 8, 9}); math.Abs(near-l/2) > 1e-5 {
		t.Errorf("half of the features: %v of %v", near, l)
	}
	if other, _ := c.LogOdds([]uint16{5, 6}); other != 0 {
		t.Errorf("another document: %v", other)
	}
	second := lesson(t, Answer{LogOdds: -2, Correction: l, Weight: weight}, 1, 2, 3, 4)
	if !(second.Step < first.Step/2 && second.Gain > 0) {
		t.Errorf("a near copy: %+v after %+v", second, first)
	}
	c.Add(second.Marshal(), true)
	if _, weight = c.LogOdds([]uint16{1}); weight <= .5 {
		t.Errorf("the weight after it has helped is %v", weight)
	}
	c.Add(first.Marshal(), false)
	if l, _ := c.LogOdds([]uint16{1, 2, 3, 4}); math.Abs(l-float64(second.Step)) > 1e-5 {
		t.Errorf("the same of the other class: %v", l)
	}
}

// What is answered well is no lesson, and a label that is surely wrong a small one.
func TestSurprise(t *testing.T) {
	t.Parallel()
	for _, a := range []Answer{{LogOdds: 3}, {LogOdds: -1, Correction: 5, Weight: 1}, {LogOdds: math.NaN()}} {
		if l := a.Lesson([]uint16{1}); l != nil {
			t.Errorf("%+v: %+v", a, l)
		}
	}
	if l := (&Answer{}).Lesson(nil); l != nil {
		t.Errorf("a document without features: %+v", l)
	}
	doubtful, wrong := lesson(t, Answer{LogOdds: -2}, 1), lesson(t, Answer{LogOdds: -12}, 1)
	if math.Abs(float64(wrong.Step)) > float64(doubtful.Step)/10 {
		t.Errorf("a wrong label moves answers by %v, a doubtful answer by %v", wrong.Step, doubtful.Step)
	}
	likely := lesson(t, Answer{LogOdds: -2, Other: .2}, 1)
	if likely.Step >= doubtful.Step/2 {
		t.Errorf("where a fifth of the labels are wrong: %v of %v", likely.Step, doubtful.Step)
	}
}

func FuzzAdd(f *testing.F) {
	f.Add((&Lesson{1, .5, []uint16{1, 2}}).Marshal())
	f.Add((&Lesson{-5, -5, []uint16{65535}}).Marshal())
	f.Add((&Lesson{float32(math.NaN()), float32(math.Inf(1)), []uint16{1}}).Marshal())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Correction
		c.Add(data, true)
		if c.Empty() {
			return
		}
		features := data[lessonHead:]
		l, weight := c.LogOdds([]uint16{binary.LittleEndian.Uint16(features)})
		if most := rate * math.Sqrt(float64(len(features))); !(math.Abs(l) <= most) || !(weight > 0 && weight < 1) {
			t.Errorf("%v with weight %v from %x", l, weight, data)
		}
		c.Add(data, false)
		if l, _ := c.LogOdds([]uint16{binary.LittleEndian.Uint16(features)}); math.Abs(l) > 1e-3 {
			t.Errorf("added to both classes: %v", l)
		}
	})
}

package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// drawnAnswers returns answers that are right as often as their log-odds say.
func drawnAnswers(rng *rand.Rand, n int) []Answered {
	var list []Answered
	for range n {
		a := Answered{Class: count.ClassID(rng.IntN(5)), LogOdds: 6 * rng.Float64()}
		if rng.Float64() < 1/(1+math.Exp(-a.LogOdds)) {
			a.Right = 1
		}
		list = append(list, a)
	}
	return list
}

// The precision of an answer is that of the best cut-off which it reaches, by definition, and
// later answers of that precision are right as often.
func TestPrecisionOfRecord(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	answers := drawnAnswers(rng, 3000)
	for i := range answers {
		answers[i].Class = 3 // its own precision is that of all
	}
	r := NewRecord(slices.Clone(answers))
	precisions := make([]float64, len(answers)) // of what is at least as sure as each
	for i, cut := range answers {
		right, all := 0., 0.
		for _, a := range answers {
			if a.LogOdds >= cut.LogOdds {
				right, all = right+a.Right, all+1
			}
		}
		precisions[i] = right / (all + 1)
	}
	for range 200 {
		x := 7*rng.Float64() - .5
		want := 0.
		for i, cut := range answers {
			if cut.LogOdds <= x {
				want = max(want, precisions[i])
			}
		}
		if got := r.Precision(3, x); math.Abs(got-want) > 3e-3 {
			t.Fatalf("log-odds %v: precision %v, want %v", x, got, want)
		}
	}
	for _, asked := range []float64{.8, .9, .95} {
		r := NewRecord(drawnAnswers(rng, 3000))
		right, all := 0., 0.
		for _, a := range drawnAnswers(rng, 20_000) {
			if r.Precision(a.Class, a.LogOdds) >= asked {
				right, all = right+a.Right, all+1
			}
		}
		if all < 1000 || right/all < asked-.02 {
			t.Errorf("asked %v: %v of %v right", asked, right, all)
		}
	}
}

// A class whose answers are worse than others earns less, and a few answers show nothing.
func TestPrecisionOfClass(t *testing.T) {
	t.Parallel()
	var list []Answered
	for i := range 1000 {
		list = append(list, Answered{Class: 1, LogOdds: 3 + float64(i)/1000, Right: 1})
	}
	for i := range 50 {
		list = append(list, Answered{Class: 2, LogOdds: 3 + float64(i)/50, Right: float64(i % 2)})
	}
	r := NewRecord(list)
	if good, bad := r.Precision(1, 3.5), r.Precision(2, 3.5); good < .95 || bad > .8 {
		t.Errorf("precision %v of the good class, %v of the bad one", good, bad)
	}
	few := NewRecord([]Answered{{1, 1, 5, 1}, {1, 1, 5, 1}, {1, 1, 4, 1}})
	if p := few.Precision(1, 9); p != .75 {
		t.Errorf("three right answers are worth %v, want 3/4", p)
	}
	if p := few.Precision(1, 3); p != 0 {
		t.Errorf("less sure than all: %v", p)
	}
	if p := (*Record)(nil).Precision(1, 3); p != 0 {
		t.Errorf("without a record: %v", p)
	}
	e := few.Earned(new(count.ClassID(1)), .7, math.Inf(-1))
	if e != (Earned{3, 3, 3}) || few.Earned(nil, .7, math.Inf(-1)) != e {
		t.Errorf("%+v", e)
	}
	if e := few.Earned(new(count.ClassID(1)), .7, 4.5); e != (Earned{3, 2, 2}) {
		t.Errorf("with log-odds from 4.5 on: %+v", e)
	}
	if e := few.Earned(new(count.ClassID(2)), .7, 0); e != (Earned{}) {
		t.Errorf("of a class that was never answered: %+v", e)
	}
}

// A Record comes back as it was but for rounding, and keeps its precisions.
func TestRecordComesBack(t *testing.T) {
	t.Parallel()
	r := NewRecord(append(drawnAnswers(rand.New(rand.NewPCG(3, 4)), 500), Answered{Class: math.MaxUint32, LogOdds: math.Inf(1), Right: .3}, Answered{LogOdds: -2}))
	got := ParseRecord(r.Marshal())
	if got == nil || got.Documents() != r.Documents() {
		t.Fatalf("%d answers, want %d", got.Documents(), r.Documents())
	}
	for x := 0.; x < 6; x += .01 {
		if a, b := r.Precision(2, x), got.Precision(2, x); math.Abs(a-b) > .01 {
			t.Errorf("log-odds %v: precision %v, was %v", x, b, a)
		}
	}
	if string(got.Marshal()) != string(r.Marshal()) {
		t.Error("other bytes")
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(NewRecord(drawnAnswers(rand.New(rand.NewPCG(5, 6)), 20)).Marshal())
	f.Add([]byte{recordVersion, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := ParseRecord(data)
		if r == nil {
			return
		}
		for _, x := range []float64{-100, 0, 1, 100} {
			if p := r.Precision(1, x); !(p >= 0 && p <= 1) {
				t.Errorf("precision %v", p)
			}
		}
		if again := ParseRecord(r.Marshal()); again == nil || again.Documents() != r.Documents() {
			t.Error("it does not come back")
		}
	})
}

func FuzzSuspects(f *testing.F) {
	list := []Suspect{{count.DocID{1}, 1, 2, .75}, {count.DocID{2}, math.MaxUint32, 0, .5}}
	f.Add(MarshalSuspects(list))
	f.Fuzz(func(t *testing.T, data []byte) {
		list := ParseSuspects(data)
		if len(list) > 0 && len(list) < mostSuspects && len(ParseSuspects(MarshalSuspects(list))) != len(list) {
			t.Errorf("%d suspects do not come back", len(list))
		}
	})
}

// Where most of what comes is of the classes that are the hardest to tell, and as much of each was
// learned, answers keep the precision that they have earned.
func TestPrecisionOfOtherShares(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(n int, hard float64) (list []Answered) {
		for range n {
			a, ahead := Answered{LogOdds: 6 * rng.Float64()}, 1.
			if rng.Float64() < hard {
				a.Class, ahead = 8, -.5
			}
			if a.Class += count.ClassID(rng.IntN(8)); rng.Float64() < 1/(1+math.Exp(-a.LogOdds-ahead)) {
				a.Right = 1
			}
			a.Label = a.Class
			list = append(list, a)
		}
		return list
	}
	const learned, comes = .5, .8
	for _, asked := range []float64{.8, .9, .95} {
		r := NewRecord(draw(2000, learned))
		right, all := 0., 0.
		for _, a := range draw(20_000, comes) {
			if r.Precision(a.Class, a.LogOdds) >= asked {
				right, all = right+a.Right, all+1
			}
		}
		if right < (asked-.005)*all || all < 1000 {
			t.Errorf("%v asked: %v of %v right", asked, right/all, all)
		}
	}
}

// Where as much was learned of each class, and most of what comes is of the broadest classes, which are
// seldom told and sometimes taken for others, answers keep the precision that they have earned; and of
// shares that are known no more is asked than before.
func TestPrecisionOfEqualShares(t *testing.T) {
	t.Parallel()
	const classes, broad = 30, 6
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func(n int, comes float64) (list []Answered) {
		for range n {
			a := Answered{Label: count.ClassID(broad + rng.IntN(classes-broad)), LogOdds: 4 * rng.Float64(), Right: 1}
			a.Class = a.Label
			if rng.Float64() < comes {
				a.Label = count.ClassID(rng.IntN(broad))
				a.Class, a.Right = broad+count.ClassID(rng.IntN(classes-broad)), 0
				if rng.Float64() < .8 { // it is seen that little is known
					a.Class, a.Right, a.LogOdds = a.Label, 1, rng.Float64()
				}
			}
			list = append(list, a)
		}
		return list
	}
	filed := func(r *Record, comes float64) (right, all float64) {
		for _, a := range draw(20_000, comes) {
			if r.Precision(a.Class, a.LogOdds) >= .9 {
				right, all = right+a.Right, all+1
			}
		}
		return right, all
	}
	equal := NewRecord(draw(600, float64(broad)/classes))
	if right, all := filed(equal, .75); right < .9*all {
		t.Errorf("learned equally: %v of %v right", right/all, all)
	}
	if right, all := filed(equal, .1); all > 0 && right < .95*all {
		t.Errorf("learned equally, and asked about few of the broad: %v of %v right", right/all, all)
	}
	var unequal []Answered // shares as of a broken whole
	for _, a := range draw(1200, .1) {
		if int(a.Label)%5 == 0 || rng.Float64() < .2 {
			unequal = append(unequal, a)
		}
	}
	if right, all := filed(NewRecord(unequal), .1); all < 12_000 || right < .9*all {
		t.Errorf("learned as it comes: %v of %v right", right/all, all)
	}
}

// Many documents of one class and a few others, which were all taken for it, show nothing.
func TestPrecisionOfFewOthers(t *testing.T) {
	t.Parallel()
	var list []Answered
	for i := range 954 {
		a := Answered{Class: 1, Label: 1, LogOdds: 4 + float64(i)/954, Right: 1}
		if i%159 == 7 {
			a.Label, a.Right = 2, 0
		}
		list = append(list, a)
	}
	if p := NewRecord(list).Precision(1, 6); p >= .9 {
		t.Errorf("precision %v, though all of the few others were taken for it", p)
	}
}

// A Record of an earlier program, without labels, is read: as if each answer were of its label's class.
func TestRecordWithoutLabels(t *testing.T) {
	t.Parallel()
	data := []byte{1, 0x80, 0xe8, 3, 5, 255, 0x80, 8, 6, 0}
	r := ParseRecord(data)
	want := NewRecord([]Answered{{Class: 5, Label: 5, LogOdds: 3, Right: 1}, {Class: 6, Label: 6, LogOdds: 2}})
	if r == nil || string(r.Marshal()) != string(want.Marshal()) {
		t.Fatalf("%x, want %x", r.Marshal(), want.Marshal())
	}
	if again := ParseRecord(want.Marshal()); again == nil || again.Precision(5, 4) != r.Precision(5, 4) {
		t.Error("other precision")
	}
	if ParseRecord([]byte{recordVersion + 1}) != nil {
		t.Error("a later version was read")
	}
}

// A class without answers so far hides none that is answered worse than others.
func TestWorstAmongUnanswered(t *testing.T) {
	t.Parallel()
	sums := []*sum{{right: 9, all: 10}, {}, {right: 1, all: 10}, {}}
	want := (1 + (worstShare*20-10)*.9) / (worstShare * 21)
	if got := worst(sums, 20); math.Abs(got-want) > 1e-12 {
		t.Errorf("the worst of 20 answers: %v, want %v", got, want)
	}
}

// Answers of a class that the Record has no document of earn nothing; those of others earn less by its
// share of what comes, if it was taught since: half of two new of four classes, or less if more was
// taught of the others. A class that was there and had too few documents takes nothing from others.
func TestClassesTaughtSince(t *testing.T) {
	t.Parallel()
	var answers []Answered
	for i := range 400 {
		class := count.ClassID(1 + i%2)
		answers = append(answers, Answered{Class: class, Label: class, LogOdds: 5, Right: 1})
	}
	r := NewRecord(answers)
	k := &Calibration{
		Learned: map[count.ClassID]uint64{1: 200, 2: 200, 3: 2},
		Models:  []Model{{Name: "stack", Zones: map[count.ClassID]Zone{1: {}, 2: {}}}},
	}
	of := func(docs ...uint64) *Record {
		var classes []*count.Class
		for i, n := range docs {
			classes = append(classes, &count.Class{ID: count.ClassID(i + 1), Docs: n})
		}
		return r.Bounded(k, "stack", classes)
	}
	before := r.Precision(1, 5)
	for _, test := range []struct {
		of   *Record
		want float64 // of what the others had earned
	}{
		{of(200, 200, 2), 1},
		{of(200, 200, 3), 1},
		{of(200, 200, 0, 1), 1 - 1./3},
		{of(200, 200, 2, 7, 9), 1 - 2./5},
		{of(246, 200, 2, 1, 1), 1 - 4./53},
		{of(200, 200, 20), 1},
		{of(200, 150, 0), 1},
	} {
		if got := test.of.Precision(1, 5); math.Abs(got-test.want*before) > 1e-9 {
			t.Errorf("precision %v, want %v", got, test.want*before)
		}
		for class := range test.of.absent {
			if got := test.of.Precision(class, 5); got != 0 || class < 3 {
				t.Errorf("of class %d, which is unknown, answers have earned %v", class, got)
			}
		}
	}
	few := of(200, 200, 2, 1)
	if e := few.Precision(1, 5); !few.Lacks(1, e, .9) || few.Lacks(1, e, .7) || few.Lacks(1, .3, .9) || !few.Lacks(4, 0, .1) || few.Lacks(1, 0, .9) {
		t.Errorf("what lacks, at %v", e)
	}
	k.Models[0].Zones = nil // so many classes that a sample lacks some
	if many := of(200, 200, 2, 1); !many.Knows(3) || many.Knows(4) {
		t.Errorf("of many classes absent %v", many.absent)
	}
}

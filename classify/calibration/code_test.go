package calibration

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

func sampleCalibration() *Calibration {
	return &Calibration{
		Documents: 1 << 40,
		Learned:   map[count.ClassID]uint64{0: 700, 7: 1 << 35, math.MaxUint32: 1},
		Sampled:   map[count.ClassID]int{0: 300, 7: 200},
		Sample:    500,
		Limit:     400,
		Chosen:    "stack",
		Marks:     map[count.ClassID]Mark{7: {"list:a", 1, .0625}, 9: {}},
		Models: []Model{
			{Name: "stack", Components: []string{"dcm", "normalised /n^0.75", "ratio"}, Documents: 900, Loss: .0625,
				Weights: []float64{.1, 0, 1e6}, Bias: map[count.ClassID]float64{0: -1.5, 7: 1e-300},
				Tails: map[count.ClassID]Tail{
					7: {Documents: 300, Own: 200, Ranks: []int{0, 1, 2, 5, 40}, LogOdds: []float32{math.MaxFloat32, 3, 2.5, -1, -math.MaxFloat32},
						Caught: []int{0, 170, 170, 180, 200}},
					0: {Documents: 200},
				},
				Zones:  map[count.ClassID]Zone{7: {No: -2.5, Yes: 1e6, Own: [3]int{1, 2, 197}, Others: [3]int{300, 0, 0}}, 0: {}},
				Bounds: map[count.ClassID]Bounds{7: {21.5, 0.25, 0.5}, 9: {}}},
			{Name: "größer"},
		},
	}
}

func TestCalibrationComesBack(t *testing.T) {
	t.Parallel()
	k := sampleCalibration()
	data, err := k.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if got := Parse(data); !reflect.DeepEqual(got, k) {
		t.Errorf("%+v, want %+v", got, k)
	}
	for range 10 { // maps have no order
		if again, _ := k.Marshal(); string(again) != string(data) {
			t.Fatal("other bytes")
		}
	}
}

// What other versions have written is not read.
func TestCalibrationOfOtherVersions(t *testing.T) {
	t.Parallel()
	data, err := sampleCalibration().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for other := range 256 {
		data[0] = byte(other)
		if got := Parse(data); (got != nil) != (other == version) {
			t.Errorf("version %d gives %+v", other, got)
		}
	}
}

// What ends early, goes on, or holds what no fit gives is not read.
func TestBrokenCalibration(t *testing.T) {
	t.Parallel()
	good, err := sampleCalibration().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if Parse(good[:n]) != nil {
			t.Errorf("%d of %d bytes are read", n, len(good))
		}
	}
	if Parse(append(good[:len(good):len(good)], 0)) != nil {
		t.Error("a byte more is read")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 20000 { // no panic, and no memory for what is not there
		bad := append([]byte(nil), good...)
		for range 1 + random.IntN(3) {
			bad[1+random.IntN(len(bad)-1)] = byte(random.Uint32())
		}
		k := Parse(bad)
		if k == nil {
			continue
		}
		for _, m := range k.Models {
			for _, w := range m.Weights {
				if !(w >= 0 && w <= maxFitted) {
					t.Fatalf("weight %v", w)
				}
			}
			if !(m.Floor >= 0 && m.Floor <= 1) || !(m.Variance >= 0 && m.Variance <= 1) {
				t.Fatalf("floor %v, variance %v", m.Floor, m.Variance)
			}
			for _, z := range m.Zones {
				if !(z.No <= z.Yes) || math.IsInf(z.No, 0) || math.IsInf(z.Yes, 0) {
					t.Fatalf("%+v", z)
				}
			}
			for _, tail := range m.Tails {
				if len(tail.Ranks) != len(tail.LogOdds) || len(tail.Ranks) != len(tail.Caught) {
					t.Fatalf("%+v", tail)
				}
			}
		}
	}
}

func TestInfiniteCalibrationIsNotKept(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*Model){
		func(m *Model) { m.Loss = math.NaN() },
		func(m *Model) { m.Weights[1] = math.Inf(1) },
		func(m *Model) { m.Bias[7] = math.Inf(-1) },
		func(m *Model) { m.Tails[7].LogOdds[2] = float32(math.NaN()) },
	} {
		k := sampleCalibration()
		change(&k.Models[0])
		if _, err := k.Marshal(); err == nil {
			t.Errorf("%+v is kept", k.Models[0])
		}
	}
}

package tagged

import (
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store/count"
)

// A calibration of an earlier program lacks the last components, and is read; one of others is not.
func TestParseOfEarlierPrograms(t *testing.T) {
	t.Parallel()
	names := componentNames()
	for n := len(names) - 3; n <= len(names); n++ {
		k := calibration.Calibration{Documents: 30, Sample: 30, Models: []calibration.Model{{
			Name: "x", Components: slices.Clone(names[:n]), Weights: make([]float64, n), Bias: map[count.ClassID]float64{0: 0},
		}}}
		data, err := k.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if f := Parse(data, nil); f == nil || f.At("x") != 0 {
			t.Errorf("%d of %d components: %v", n, len(names), f)
		}
		k.Models[0].Components[n-1] = "another"
		if data, err = k.Marshal(); err != nil {
			t.Fatal(err)
		}
		if f := Parse(data, nil); f != nil {
			t.Errorf("with another component: %v", f)
		}
	}
}

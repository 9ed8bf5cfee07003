package classify

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// A database of the program before answers as it did there. The calibration is of polya at commit b38e66a, which was
// trained with the same documents and gave the probability.
func TestCalibrationOfTheProgramBefore(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/calibration6")
	if err != nil {
		t.Fatal(err)
	}
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Analyzer: "polya-3", Fitting: FitByHand})
	var texts []string
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("hello agenda meeting w%d", i), fmt.Sprintf("cheap pills offer v%d", i))
	}
	trainAll(t, c, []string{"a", "b"}, texts)
	if err := c.Store().PutState(map[string][]byte{keyCalibration: data, keyLayer: nil}); err != nil {
		t.Fatal(err)
	}
	const was = 0.9953182772873357
	if r := ask(t, c, "hello cheap agenda w3"); r.Class != "a" || math.Abs(r.Probability-was) > 1e-12 {
		t.Errorf("%s %v, want a %v", r.Class, r.Probability, was)
	}
}

package classify

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store"
)

// A calibration of an earlier version is as good as none, until models are fitted next.
func TestCalibrationOfTheProgramBefore(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Fitting: FitByHand})
	var texts []string
	for i := range 12 {
		texts = append(texts, fmt.Sprintf("hello agenda meeting w%d", i), fmt.Sprintf("cheap pills offer v%d", i))
	}
	trainAll(t, c, []string{"a", "b"}, texts)
	want := ask(t, c, "hello cheap agenda w3")
	if _, err := c.Calibrate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	fitted := ask(t, c, "hello cheap agenda w3")
	var data []byte
	read := func() {
		t.Helper()
		if err := c.Store().View(func(s *store.Snapshot) error { data = s.State(keyCalibration); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if read(); calibration.Parse(data) == nil || fitted.Probability == want.Probability {
		t.Fatal("nothing was calibrated")
	}
	data[0]--
	if err := c.Store().PutState(map[string][]byte{keyCalibration: data}); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, c, "hello cheap agenda w3"); got.Class != want.Class || got.Probability != want.Probability {
		t.Errorf("with an earlier calibration it is %s %v, without %s %v", got.Class, got.Probability, want.Class, want.Probability)
	}
	if _, err := c.Calibrate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, c, "hello cheap agenda w3"); got.Probability != fitted.Probability {
		t.Errorf("calibrated again it is %v, want %v", got.Probability, fitted.Probability)
	}
}

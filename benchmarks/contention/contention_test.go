package contention

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// Nobody who asks or trains is refused or starves, whoever else does at that time, and
// whatever long work goes on beside.
func TestContention(t *testing.T) {
	polya := filepath.Join(t.TempDir(), "polya")
	if out, err := exec.Command("go", "build", "-o", polya, "../../cmd/polya").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	loads := map[string]*load{"beside compactions": {ask: 2, train: 2, beside: "compact"}}
	if !testing.Short() {
		loads["many of both"] = &load{ask: 10, train: 10}
		loads["readers and a writer"] = &load{ask: 8, train: 1}
		loads["beside calibrations"] = &load{ask: 2, train: 2, beside: "calibrate"}
	}
	for name, l := range loads {
		t.Run(name, func(t *testing.T) {
			l.polya, l.mail, l.time = polya, "../../testdata/mail/train", 2*time.Second
			for _, r := range l.run(t.TempDir()) {
				t.Logf("%s: %d done, the fewest of a loop %d, longest %.0f ms", r.name, len(r.times), r.least, harness.Quantile(r.times, 1))
				if r.refused > 0 {
					t.Errorf("%s: %d were refused: %s", r.name, r.refused, r.first)
				}
				if r.least < 1 {
					t.Errorf("%s: somebody has starved", r.name)
				}
			}
		})
	}
}

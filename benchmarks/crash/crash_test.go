package crash

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/internal/power"
	"github.com/polya-classifier/polya/internal/raced"
)

func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}

// shortened are the options of a test.
func shortened(t *testing.T) options {
	o := options{dir: t.TempDir(), seed: 1, workers: 2}
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if dir, err := os.MkdirTemp("/dev/shm", "crash-"); err == nil {
			o.dir = dir
			t.Cleanup(func() { os.RemoveAll(dir) })
		}
	}
	return o
}

// mustRecord skips the test where nothing can be recorded, unless that is where all
// tests must run.
func mustRecord(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, power.ErrUnsupported) || errors.Is(err, power.ErrNotPermitted) && os.Getenv("CI") == "" {
		t.Skipf("a loss of power cannot be tried here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A loss of power at any moment loses nothing that was acknowledged.
func TestPowerLoss(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	o := shortened(t)
	o.states = 600
	var b strings.Builder
	var total tally
	mustRecord(t, harness.Try(func() { total = o.losePower(&b) }))
	if total.wrong() > 0 || total.opened < o.states {
		t.Errorf("%s\n%v", b.String(), total.examples)
	}
}

// A disk that lies is found out, so that the tests above can fail.
func TestLostSyncs(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	o := shortened(t)
	var b strings.Builder
	mustRecord(t, harness.Try(func() { o.lostSyncs(&b) }))
	if strings.Count(b.String(), "as it must be") != 2 {
		t.Error(b.String())
	}
}

// A process that is killed at any moment loses nothing either.
func TestKill(t *testing.T) {
	t.Parallel()
	o := shortened(t)
	o.kills = 20
	var b strings.Builder
	total := o.kill(&b)
	if total.wrong() > 0 || total.opened != o.kills {
		t.Errorf("%s\n%v", b.String(), total.examples)
	}
}

package harness

import (
	"os"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	line := "21018 (spamd (child) x) S 21015 21015 21015 0 -1 4194624 8888 0 0 0 142 7 30 1 20 0 1 0 3049590 85979136 18862"
	if got, ok := parseStat(line); !ok || got != (Stat{21018, 21015, 1800 * time.Millisecond}) {
		t.Errorf("got %v, %v", got, ok)
	}
	for _, bad := range []string{"", "1 (x", "1 (x) S 1 2"} {
		if _, ok := parseStat(bad); ok {
			t.Errorf("%q passed", bad)
		}
	}
	if list := Family(os.Getpid()); len(list) == 0 || list[0].PID != os.Getpid() {
		t.Errorf("the family of %d: %v", os.Getpid(), list)
	}
}

func TestField(t *testing.T) {
	if got := field([]byte("Name:\tx\nVmPeak:\t   99 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), "VmHWM"); got != 2048 {
		t.Errorf("got %d", got)
	}
}

// TestHalf has the first bytes that md5sum of GNU coreutils prints.
func TestHalf(t *testing.T) {
	for name, want := range map[string]bool{"00001": true, "a": true, "message digest": false, "00005": false} { // 4c, 0c, f9, e7
		if got := Half(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

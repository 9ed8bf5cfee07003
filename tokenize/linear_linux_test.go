package tokenize

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// threadTime is the CPU time of the thread, which other programs and tests do not lengthen.
func threadTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A mebibyte of any of these costs little.
func TestDisguiseIsLinear(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a := analyzer(t, "")
	for _, part := range []string{
		"a ", "a b ", "a.", "а ", "\u202e", "\u202ea\n", "a\u202c", "v1a ", "vіа ", "é ", "<bdo dir=rtl>", "<i>", "<i class=b>", "</i>", "<p>", "<td>", "<table>",
		"<style>.b{color:#fff}</style><i class=b>", "<iframe srcdoc='", "<iframe srcdoc='&lt;iframe srcdoc=&amp;apos;'>", "<a href=x>y.zz", "🇦", "🅐", "<div hidden><p>",
	} {
		text := []byte(strings.Repeat(part, 1<<20/len(part)))
		start := threadTime(t)
		var b Bag
		a.HTML(&b, text)
		a.Text(&b, "", text)
		took := threadTime(t) - start
		t.Logf("%q: %v", part, took)
		if took > 3*time.Second {
			t.Errorf("%q takes %v", part, took)
		}
	}
}

package tokenize

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
)

// threadTime is the CPU time of the thread, which other programs and tests do not lengthen.
func threadTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A mebibyte of any of these costs at most twenty times what plain words cost beside it. They take up to
// six times as much; squares would take hundreds.
func TestDisguiseIsLinear(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a := analyzer(t, "polya-7 channel=off")
	took := func(part string) time.Duration {
		text := []byte(strings.Repeat(part, 1<<20/len(part)))
		start := threadTime(t)
		var b Bag
		a.HTML(&b, text)
		a.Text(&b, "", text)
		return threadTime(t) - start
	}
	for _, part := range []string{
		"a b ", "a.", "а ", "\u202e", "\u202ea\n", "a\u202c", "v1a ", "vіа ", "é ", "<bdo dir=rtl>", "<i>", "<i class=b>", "</i>", "<p>", "<td>", "<table>",
		"<style>.b{color:#fff}</style><i class=b>", "<iframe srcdoc='", "<iframe srcdoc='&lt;iframe srcdoc=&amp;apos;'>", "<a href=x>y.zz", "🇦", "🅐", "<div hidden><p>",
	} {
		plain, disguised := took("a "), took(part)
		t.Logf("%q: %v, plain words %v", part, disguised, plain)
		if disguised > 20*plain {
			t.Errorf("%q takes %v, plain words %v", part, disguised, plain)
		}
	}
}

package mail

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/tokenize"
)

// hang is far more than any of these messages takes: the tests count work, and
// the time only keeps a quadratic loop from going unseen.
const hang = 20 * time.Second

// attack reads a message made to exhaust, which exceeds a limit unless that is "". It returns the
// counts and how many bytes were allocated.
func attack(t *testing.T, raw string, limit string) (map[string]int, uint64) {
	t.Helper()
	a, err := tokenize.New(words)
	if err != nil {
		t.Fatal(err)
	}
	var bag tokenize.Bag
	var before, after runtime.MemStats
	message := []byte(raw)
	runtime.ReadMemStats(&before)
	start := time.Now()
	Read(a, &bag, message)
	if took := time.Since(start); took > hang {
		t.Errorf("took %v", took)
	}
	runtime.ReadMemStats(&after)
	got := make(map[string]int, bag.Len())
	for i := range bag.Len() {
		term, n := bag.At(i)
		got[string(term)] = n
	}
	if limit != "" && got["limit:"+limit] != 1 {
		t.Errorf("no limit:%s", limit)
	}
	return got, after.TotalAlloc - before.TotalAlloc
}

// maxMemory is what a message may cost in memory, whatever its length: the
// buffers for MaxText, the terms, and the analyzer's own.
const maxMemory = 128 << 20

func TestDeepMultiparts(t *testing.T) {
	var b strings.Builder
	const depth = 5000
	for i := range depth {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	b.WriteString("\nplum\n")
	got, memory := attack(t, b.String(), "depth")
	if got["plum"] != 1 {
		t.Error("the text below was not read")
	}
	if memory > maxMemory {
		t.Errorf("allocated %d MB", memory>>20)
	}
}

func TestDeepMessages(t *testing.T) {
	got, _ := attack(t, strings.Repeat("Subject: x\nContent-Type: message/rfc822\n\n", 50_000)+"Subject: pear\n\nplum", "depth")
	if got["plum"] != 1 || got["pear"] != 1 {
		t.Error("the innermost message was not read")
	}
}

// Each of these attached messages is encoded, and so all behind it is decoded once more.
func TestDeepCodedMessages(t *testing.T) {
	attack(t, strings.Repeat("Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n", 100_000)+"Subject: pear\n\nplum", "depth")
}

func TestManyParts(t *testing.T) {
	raw := "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\nContent-Type: image/png\n\nx\n", 100_000) + "--b--\n"
	got, _ := attack(t, raw, "parts")
	s := scans.Get().(*scan)
	defer s.free()
	if n := got["mime:image/png"]; n < 100 || n > MaxParts {
		t.Errorf("%d parts were looked at", n)
	}
	long := "Content-Type: multipart/mixed; boundary=b; charset=" + strings.Repeat("a", 100_000) + "\n\n" + strings.Repeat("--b\n\nx\n", MaxParts)
	if _, memory := attack(t, long, ""); memory > maxMemory {
		t.Errorf("with a long charset: allocated %d MB", memory>>20)
	}
}

// TestScanBudget nests multiparts that all reach to the end of a long message
// full of lines that are almost boundaries.
func TestScanBudget(t *testing.T) {
	var b strings.Builder
	for i := range MaxDepth - 1 {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=a%d\n\n--a%d\n", i, i)
	}
	b.WriteString("\n" + strings.Repeat("--a1x\n", 2<<20))
	attack(t, b.String(), "")
}

// The style sheets of all pages have a limit together, which no page of these exceeds.
func TestManySheets(t *testing.T) {
	page := "<style>" + strings.Repeat("*{color:red}", 700) + "</style>" + strings.Repeat("<b>x</b>", 700)
	for pages, want := range map[int]bool{1: false, 7: false, 20: true} {
		raw := "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\nContent-Type: text/html\n\n"+page+"\n", pages) + "--b--\n"
		for range 2 { // one message takes nothing of the next
			if got, _ := attack(t, raw, ""); (got["limit:style"] > 0) != want {
				t.Errorf("%d pages: limit:style %d", pages, got["limit:style"])
			}
		}
	}
}

func TestEndlessLine(t *testing.T) {
	raced.Skip(t)
	for _, head := range []string{"", "\n", "Subject: ", "Subject: x\n\n", "Content-Type: text/html\n\n", "Content-Type: text/plain; name=",
		"Subject: x\n ", "To: ", "Received: ", "Content-Type: multipart/mixed; boundary=x\n\n--"} {
		for _, fill := range []string{"a", " ", "a ", "\x00", "\xff", "=?", "<", "@a", "\"", "=", "\r", ";a=", "[*", "=?a?q?"} {
			_, memory := attack(t, head+strings.Repeat(fill, 2<<20/len(fill)), "")
			if memory > maxMemory {
				t.Errorf("%q and %q: allocated %d MB", head, fill, memory>>20)
			}
		}
	}
	attack(t, "Subject: x\n\n"+strings.Repeat("a", 50<<20), "text")
	attack(t, "Subject: "+strings.Repeat("a", 50<<20), "header")
}

func TestHeaderBomb(t *testing.T) {
	many, _ := attack(t, strings.Repeat("X-A: b\n", 1_000_000)+"\nplum", "header")
	if many["plum"] != 1 {
		t.Error("the body was not read")
	}
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "X-A%d: b\n", i)
	}
	names, _ := attack(t, b.String()+"\nplum", "header")
	if len(names) > 3*MaxFields {
		t.Errorf("%d terms", len(names))
	}
	folded, _ := attack(t, "Subject: x\n"+strings.Repeat(" pear\n", 1_000_000)+"\nplum", "header")
	if folded["plum"] != 1 {
		t.Error("the body was not read")
	}
	attack(t, "To: "+strings.Repeat("a@b.example, ", 1_000_000)+"\n\nplum", "header")
}

func TestLongText(t *testing.T) {
	raced.Skip(t)
	for _, encoding := range []string{"base64", "quoted-printable", "8bit"} {
		head := "Content-Transfer-Encoding: " + encoding + "\n\n"
		_, memory := attack(t, head+strings.Repeat("cGx1bSBwZWFyIGZpZwo=\n", 2<<20), "text")
		if memory > maxMemory {
			t.Errorf("%s: allocated %d MB", encoding, memory>>20)
		}
	}
	attack(t, "Content-Transfer-Encoding: base64\n\n"+strings.Repeat("!", 50<<20), "")
}

// TestAllocations holds that a message as most are costs no memory beyond what
// the analyzer takes for itself.
func TestAllocations(t *testing.T) {
	raced.Skip(t)                                    // a sync.Pool would forget at random what it was given
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // or a sync.Pool is emptied meanwhile on a busy machine
	a, err := tokenize.New(words)
	if err != nil {
		t.Fatal(err)
	}
	var bag tokenize.Bag
	raw := []byte(plainLetter)
	allocations := testing.AllocsPerRun(100, func() {
		bag.Reset()
		Read(a, &bag, raw)
	})
	if allocations > 2 {
		t.Errorf("%v allocations", allocations)
	}
}

package bombs

import (
	"runtime"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
)

// hang is far more than any bomb of these takes: it only keeps a quadratic loop from
// going unseen.
const hang = 2 * time.Minute

// bounds are the bytes that each reader may allocate for each byte of a bomb, and beside.
// That is far more than is held at one time.
var bounds = map[string]struct{ each, beside uint64 }{
	"mail":                      {2, 48 << 20},
	"identity of mail":          {2, 1 << 20},
	"text":                      {40, 16 << 20}, // a ligature of three bytes is four words, each of which is stemmed
	"text, stemmed, with pairs": {24, 24 << 20},
	"text as a link":            {0, 8 << 20},
	"HTML":                      {24, 16 << 20},
	"mbox":                      {100, 4 << 20},
	"JSON lines":                {400, 16 << 20}, // an error of 700 bytes for each line of two
	"tables":                    {300, 16 << 20}, // the same, and a document for each
	"found out":                 {400, 16 << 20},
	"dumps":                     {64, 2 << 20},
}

// TestBombs reads all bombs.
func TestBombs(t *testing.T) {
	n := 512 << 10
	if testing.Short() || raced.On() {
		n = 64 << 10
	}
	withReaders(func(all []reader) {
		for _, r := range all {
			for _, x := range r.bombs {
				explode(t, r, x.name, x.make(n))
			}
		}
	})
}

// TestLinesOf100MB reads a line in each place where one may stand.
func TestLinesOf100MB(t *testing.T) {
	if testing.Short() || raced.On() {
		t.Skip("takes a gigabyte of memory")
	}
	const n = 100 << 20
	lines := map[string][]bomb{
		"mail": {
			repeated("nothing else", "", "a", ""), repeated("a field", "Subject: ", "plum ", ""), repeated("addresses", "To: ", "a@b.example,", ""),
			repeated("text", "Subject: x\n\n", "plum ", ""), repeated("a page", page, "<b>", ""), repeated("base64", "Content-Transfer-Encoding: base64\n\n", "cGx1", ""),
			repeated("quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\n", "=61", ""), repeated("a part", mixed+"--b\n\n", "plum ", ""),
			repeated("a message", "Content-Type: message/rfc822\n\nSubject: x\n\n", "plum ", ""), repeated("no line feed", "Subject: x\r\r", "plum ", ""),
		},
		"text":       {repeated("a word", "", "a", "")},
		"HTML":       {repeated("an attribute", "<a b='", "a", ""), repeated("a word", "", "a", "")},
		"mbox":       {repeated("a body", dated, "a", "")},
		"JSON lines": {repeated("a text", `{"text":"`, "a", `"}`), repeated("a time", `{"text":"x","time":"`, "a", `"}`)},
		"tables":     {repeated("a cell", "text,b\n", "a", ",1\n"), repeated("a quote without end", "text,b\n\"", "a", "")},
		"dumps":      {repeated("a class", dumpHead+"class\t", "a", "\t1\t1\t1\n")},
	}
	withReaders(func(all []reader) {
		for _, r := range all {
			for _, x := range lines[r.name] {
				explode(t, r, x.name, x.make(n))
			}
		}
	})
}

// explode reads a bomb.
func explode(t *testing.T, r reader, name string, raw []byte) {
	t.Helper()
	bound, known := bounds[r.name]
	if !known {
		t.Fatalf("no bound for %s", r.name)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	r.read(raw)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if took > hang {
		t.Errorf("%s, %s: %d bytes took %v", r.name, name, len(raw), took)
	}
	if got, most := after.TotalAlloc-before.TotalAlloc, bound.each*uint64(len(raw))+bound.beside; got > most {
		t.Errorf("%s, %s: %d bytes took %d MB of memory, more than %d", r.name, name, len(raw), got>>20, most>>20)
	}
}

package terminal

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"plain größer 価格 🎁": "plain größer 価格 🎁",
		"\x1b[31mred":       `\x1b[31mred`,
		"a\tb\nc\x7f":       `a\tb\nc\x7f`,
		"\u202egnp.exe":     `\u202egnp.exe`,
		"\u009b31m":         `\u009b31m`,
		"caf\xe9":           `caf\xe9`,
		"\U000e0041":        `\U000e0041`,
		"\ufffd":            "\ufffd",
	} {
		if got := Printable(s); got != want {
			t.Errorf("%q is printed as %q, want %q", s, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	tab := Table{Numeric: []bool{false, true}}
	tab.Add("term", "n", "")
	tab.Add("価格", "12", "x")
	var b bytes.Buffer
	if err := tab.Write(&b); err != nil {
		t.Fatal(err)
	}
	if want := "term   n\n価格  12  x\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 16384: "16,384", 1234567: "1,234,567"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

func TestNumbersReadBack(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0, 1, 0.1, 1.0 / 3, 1e-6, 1e-7, 5e-324, 778.5298175224307, 1e20, 1e21, math.MaxFloat64, -12.5} {
		b := AppendNumber(nil, x)
		var got float64
		if err := json.Unmarshal(b, &got); err != nil || got != x {
			t.Errorf("%v is written %s and read %v, %v", x, b, got, err)
		}
	}
	for x, want := range map[float64]string{math.Inf(1): "null", math.Inf(-1): "null", math.Copysign(0, -1): "0"} {
		if got := string(AppendNumber(nil, x)); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "<a&b>", `"quoted" \ and`, "\x00\x1b\u2028", "größer", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(AppendString(nil, s), &got); err != nil || got != string([]rune(s)) {
			t.Errorf("%q reads back as %q, %v", s, got, err)
		}
		if p := Printable(s); strings.ContainsAny(p, "\x00\x1b\n\r\t\x7f\u202e") || Printable(p) != p {
			t.Errorf("%q is printed as %q", s, p)
		}
	})
}

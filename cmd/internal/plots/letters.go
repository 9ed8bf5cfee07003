package plots

import (
	"strings"

	"golang.org/x/text/width"
)

// families is the font-family of the figures; the last always exists. All but the
// last have letters of the same widths.
const families = "Liberation Sans,Arial,Helvetica,sans-serif"

// widths are the widths of ASCII characters in these fonts, from the blank on, in
// thousandths of the size.
var widths = [...]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// otherWidth is the width assumed for an unknown letter that is not wide, in thousandths
// of the size.
const otherWidth = 600

// widthOf returns the width of a character in thousandths of the size, and whether it
// is known.
func widthOf(r rune) (thousandths int, known bool) {
	switch {
	case r >= ' ' && int(r-' ') < len(widths):
		return int(widths[r-' ']), true
	case wide(r):
		return 1000, false
	}
	switch r {
	case '\u00a0':
		return 278, true
	case '…', '—':
		return 1000, true
	case '–':
		return 556, true
	case '−':
		return 584, true
	case '·', '“', '”':
		return 333, true
	case '‘', '’':
		return 222, true
	}
	return otherWidth, false
}

func wide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

func foreign(r rune) bool {
	_, known := widthOf(r)
	return !known
}

func known(s string) bool { return strings.IndexFunc(s, foreign) < 0 }

func textWidth(s string, size float64) float64 {
	sum := 0
	for _, r := range s {
		thousandths, _ := widthOf(r)
		sum += thousandths
	}
	return float64(sum) * size / 1000
}

func widest(lines []string, size float64) float64 {
	most := 0.
	for _, line := range lines {
		most = max(most, textWidth(line, size))
	}
	return most
}

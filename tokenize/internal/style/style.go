// Package style reads style sheets as far as they decide whether a text can be seen, in
// which order its letters are shown, and what a sheet itself says (CSS content).
package style

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// Property is a group of properties of CSS that hide a text in the same way.
type Property uint8

const (
	Display     Property = iota // 1: none
	Visibility                  // 1: hidden; inherited
	Opacity                     // 1: hardly any
	Size                        // 1: of the font, illegible; inherited
	Color                       // of the text; inherited
	Background                  // its colour
	Positioned                  // 1: apart from its place in the text
	Moved                       // 1: out of sight, or cut to nothing, if Positioned
	Outside                     // 1: out of sight in any case
	Squeezed                    // 1: no width or no height, if Clipped
	Clipped                     // 1: what does not fit is not shown
	RightToLeft                 // 1
	Override                    // 1: all letters are shown in that direction
	properties                  // their number
)

// Colours that are none. All others are red, green and blue, a byte each.
const (
	Transparent = -1 - iota
	Unknown     // a picture
)

// Style has the declared values of an element. The zero value has none.
type Style struct {
	values [properties]value

	// Content is the text that a sheet adds before and behind that of the element.
	Content []byte
}

type value struct {
	rank uint32 // greater overrides; 0 is none
	is   int32
}

// The ranks of declarations: important ones, and within these attributes before sheets.
const (
	fromSheet     = 1
	fromAttribute = 1 << 29
	important     = 1 << 30
)

// Get returns the value of a property, def if there is none.
func (s *Style) Get(p Property, def int32) int32 {
	if v := s.values[p]; v.rank > 0 {
		return v.is
	}
	return def
}

// Is reports whether the value of a property is 1.
func (s *Style) Is(p Property) bool { return s.values[p].is == 1 }

// Set gives a property the value of an attribute of HTML, which every style overrides.
func (s *Style) Set(p Property, is int32) { s.put(p, value{fromSheet, is}) }

func (s *Style) put(p Property, v value) {
	if v.rank >= s.values[p].rank {
		s.values[p] = v
	}
}

// Attribute adds the declarations of a style attribute.
func (s *Style) Attribute(css []byte) {
	eachDeclaration(normal(css), false, func(d declaration) {
		if d.content == nil {
			s.put(d.property, value{d.rank | fromAttribute, d.is})
		}
	})
}

// declaration is a declared property, or the value of content.
type declaration struct {
	property Property
	rank     uint32 // important or 0
	is       int32
	content  []byte
}

// inDoubt returns what of d counts where it may not hold, and whether anything: it hides no text.
func (d declaration) inDoubt() (declaration, bool) {
	if d.content == nil && (d.property == Color || d.property == Background) {
		d.is = Unknown
	}
	return d, d.content != nil || d.is != 1 || d.property >= RightToLeft
}

// eachDeclaration calls f for those that matter. In a sheet the next one may begin after a
// nested rule.
func eachDeclaration(css []byte, sheet bool, f func(declaration)) {
	for len(css) > 0 {
		var text []byte
		text, _, css = until(css, ";")
		for stop := byte('{'); sheet && stop != 0; {
			var rest []byte
			if _, stop, rest = until(text, "{"); stop != 0 {
				text = afterBlock(rest)
			}
		}
		key, v, ok := bytes.Cut(text, []byte(":"))
		if !ok {
			continue
		}
		var d declaration
		if at := bytes.IndexByte(v, '!'); at >= 0 && bytes.EqualFold(trim(v[at+1:]), []byte("important")) {
			v, d.rank = v[:at], important
		}
		var lowKey, lowValue [64]byte
		key = ascii.AppendLower(lowKey[:0], trim(key))
		if v = trim(v); len(v) == 0 {
			continue
		}
		if string(key) == "content" {
			d.content = v
			f(d)
		} else if d.property, d.is, ok = valueOf(string(key), ascii.AppendLower(lowValue[:0], v)); ok {
			f(d)
		}
	}
}

// valueOf returns what a declaration, in lower case, gives a property.
func valueOf(key string, v []byte) (p Property, is int32, ok bool) {
	word := string(first(v))
	switch key {
	case "display":
		return Display, One(string(v) == "none"), true
	case "visibility":
		return Visibility, One(string(v) == "hidden" || string(v) == "collapse"), word != "inherit"
	case "opacity":
		n, _, number := length(word)
		return Opacity, One(n < leastOpacity), number
	case "filter":
		return Opacity, One(word == "opacity(0)"), true
	case "font", "font-size":
		is, ok = fontSize(key, v)
		return Size, is, ok
	case "color":
		return Color, colour(v), word != "inherit"
	case "background", "background-color":
		return Background, background(v), true
	case "background-image":
		return Background, Unknown, word != "none"
	case "position":
		return Positioned, One(strings.Contains(" absolute fixed relative sticky ", " "+string(v)+" ")), true
	case "left", "top", "right", "bottom":
		return Moved, 1, far(word)
	case "clip":
		return Moved, 1, bytes.HasPrefix(v, []byte("rect(")) && !bytes.ContainsAny(v, "23456789u")
	case "text-indent", "margin-left", "margin-top", "margin-right":
		return Outside, 1, far(word)
	case "clip-path":
		return Outside, 1, bytes.HasPrefix(v, []byte("inset(100%")) || bytes.HasPrefix(v, []byte("circle(0")) && !bytes.ContainsAny(v, ".123456789")
	case "transform":
		return Outside, 1, bytes.HasPrefix(v, []byte("scale(0)")) || bytes.HasPrefix(v, []byte("translate")) && bytes.Contains(v, []byte("-999"))
	case "content-visibility":
		return Outside, 1, word == "hidden"
	case "height", "max-height", "width", "max-width", "line-height":
		n, unit, number := length(word)
		if unit == "" && key == "line-height" {
			n *= 16
		}
		return Squeezed, One(number && n <= 1 && (unit != "%" || n == 0 && strings.HasSuffix(key, "width"))), true
	case "overflow":
		return Clipped, One(word == "hidden" || word == "clip"), true
	case "direction":
		return RightToLeft, One(word == "rtl"), true
	case "unicode-bidi":
		return Override, One(word == "bidi-override" || word == "isolate-override"), true
	}
	return 0, 0, false
}

const (
	// leastOpacity is the least that a reader notices, and legible the least size of a font
	// in pixels.
	leastOpacity = .1
	legible      = 3

	// offScreen is the distance in pixels that moves a text out of sight.
	offScreen = -300
)

// One returns the value of a property that holds or not: 1 or 0.
func One(yes bool) int32 {
	if yes {
		return 1
	}
	return 0
}

// trim returns v without the white space of CSS around it.
func trim(v []byte) []byte { return bytes.Trim(v, " \t\r\n\f") }

func first(v []byte) []byte {
	if n := bytes.IndexAny(v, " \t\r\n\f"); n >= 0 {
		return v[:n]
	}
	return v
}

// length returns a number and its unit. Lengths are in pixels. Those of a unit that does not
// exist are none.
func length(word string) (n float64, unit string, ok bool) {
	end := 0
	if word == "" || word[0] > '9' {
		return 0, word, false
	}
	for end < len(word) && (word[end] >= '0' && word[end] <= '9' || word[end] == '.' || end == 0 && (word[0] == '-' || word[0] == '+') ||
		word[end] == 'e' && end+1 < len(word) && word[end+1] <= '9' || end > 0 && word[end-1] == 'e') {
		end++
	}
	n, err := strconv.ParseFloat(word[:end], 64)
	switch unit = word[end:]; unit {
	case "pt":
		n *= 4. / 3
	case "in":
		n *= 96
	case "em", "rem", "ex", "ch", "lh", "pc", "cm", "mm", "vw", "vh", "vmin", "vmax": // about
		n *= 16
	case "", "px", "%":
	default:
		return n, unit, false
	}
	return n, unit, err == nil
}

// far reports whether a length is out of sight.
func far(word string) bool {
	n, unit, ok := length(word)
	return ok && (n <= offScreen || unit == "%" && n <= -100)
}

// fontSize reads font-size, and the size in font: before "/" or a family.
func fontSize(key string, v []byte) (is int32, ok bool) {
	for word := range bytes.FieldsSeq(v) {
		size, _, _ := bytes.Cut(word, []byte("/"))
		n, unit, ok := length(string(size))
		switch {
		case ok && unit == "" && n >= 100: // a weight
		case ok && unit == "%":
			return 1, n < 10 // any other keeps what is inherited
		case ok && (unit == "em" || unit == "ex"):
			return 1, n < legible/2
		case ok:
			return One(n < legible), true
		}
		if key == "font-size" {
			return 0, !ok && string(word) != "inherit" && string(word) != "smaller" && string(word) != "larger"
		}
	}
	return 0, false
}

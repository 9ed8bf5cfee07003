package style

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// Colour reads a colour of an attribute of HTML, where "#" may be missing and nothing is
// transparent.
func Colour(v []byte) int32 {
	v = trim(v)
	if c := hexadecimal(bytes.TrimPrefix(v, []byte("#"))); c >= 0 {
		return c
	}
	var low [32]byte
	if c := colour(ascii.AppendLower(low[:0], v)); c >= 0 && bytes.IndexByte(v, '(') < 0 {
		return c
	}
	return Unknown
}

// Alike reports whether a reader cannot tell a text of one colour on another one.
func Alike(text, ground int32) bool {
	if text == Transparent {
		return true
	}
	if text < 0 || ground < 0 {
		return false
	}
	for shift := 0; shift <= 16; shift += 8 {
		if d := text>>shift&0xff - ground>>shift&0xff; d > noticed || d < -noticed {
			return false
		}
	}
	return true
}

// noticed is the greatest difference of red, green or blue that a reader does not notice.
const noticed = 16

// names has the colours by name that mail uses; others are Unknown.
const names = " white ffffff black 000000 red ff0000 green 008000 blue 0000ff yellow ffff00 gray 808080 grey 808080 silver c0c0c0 " +
	"maroon 800000 navy 000080 olive 808000 purple 800080 teal 008080 aqua 00ffff cyan 00ffff fuchsia ff00ff magenta ff00ff lime 00ff00 " +
	"orange ffa500 snow fffafa ivory fffff0 azure f0ffff whitesmoke f5f5f5 ghostwhite f8f8ff floralwhite fffaf0 mintcream f5fffa " +
	"seashell fff5ee aliceblue f0f8ff lightyellow ffffe0 beige f5f5dc linen faf0e6 lightgrey d3d3d3 lightgray d3d3d3 gainsboro dcdcdc "

// colour reads a colour in lower case.
func colour(v []byte) int32 {
	word := string(v)
	switch {
	case word == "transparent":
		return Transparent
	case strings.HasPrefix(word, "#"):
		return hexadecimal(v[1:])
	case strings.HasPrefix(word, "rgb"):
		return components(word)
	}
	if at := strings.Index(names, " "+word+" "); at >= 0 && word != "" && word[0] > '9' {
		at += len(word) + 2
		return hexadecimal([]byte(names[at : at+6]))
	}
	return Unknown
}

// hexadecimal reads three or six digits; four and eight have an opacity.
func hexadecimal(s []byte) int32 {
	n, err := strconv.ParseUint(string(s), 16, 32)
	switch {
	case err != nil:
	case len(s) == 6:
		return int32(n)
	case len(s) == 3:
		return int32(n>>8*0x110000 | n>>4&15*0x1100 | n&15*0x11)
	case (len(s) == 4 || len(s) == 8) && n&15 == 0:
		return Transparent
	}
	return Unknown
}

func components(word string) int32 {
	at := strings.IndexByte(word, '(')
	if at < 0 {
		return Unknown
	}
	parts := strings.FieldsFunc(word[at+1:], func(r rune) bool { return strings.ContainsRune(", /)\t\n", r) })
	if len(parts) < 3 {
		return Unknown
	}
	if len(parts) > 3 {
		if alpha, _, ok := length(parts[3]); ok && alpha < leastOpacity {
			return Transparent
		}
	}
	c := int32(0)
	for _, part := range parts[:3] {
		n, unit, ok := length(part)
		if !ok {
			return Unknown
		}
		if unit == "%" {
			n = n * 255 / 100
		}
		c = c<<8 | int32(min(max(n, 0), 255))
	}
	return c
}

func background(v []byte) int32 {
	if bytes.HasPrefix(v, []byte("rgb")) {
		return colour(v)
	}
	if bytes.IndexByte(v, '(') >= 0 {
		return Unknown
	}
	other := int32(Transparent)
	for word := range bytes.FieldsSeq(v) {
		if c := colour(word); c != Unknown {
			return c
		}
		if word[0] >= 'a' && !strings.Contains(" none no-repeat repeat repeat-x repeat-y scroll fixed center top left right bottom initial unset inherit ", " "+string(word)+" ") {
			other = Unknown
		}
	}
	return other
}

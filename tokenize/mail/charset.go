package mail

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// toUTF8 returns text in UTF-8. The label, the charset that the message states, is often
// wrong, so the bytes come first: text with non-ASCII characters that is valid UTF-8 is
// UTF-8. Then comes the label; text without a known label is read as windows-1252.
func (s *scan) toUTF8(text, label []byte, html bool) []byte {
	if len(label) > 0 && ascii.HasPrefix(bytes.TrimPrefix(label, []byte("unicode-1-1-")), "utf-7") {
		s.unicode = appendUTF7(s.unicode[:0], text)
		return s.unicode
	}
	if !isWide(text, label) {
		text = s.withoutNUL(text)
		if plain(text) || ascii.Prefix(text) < len(text) && utf8.Valid(text) {
			return text
		}
	}
	enc := encodingOf(text, label, html)
	if enc == unicode.UTF8 {
		s.unicode = appendMixed(s.unicode[:0], text)
	} else {
		s.unicode = appendDecoded(s.unicode[:0], text, enc)
	}
	return s.unicode
}

// appendMixed appends text, reading bytes that are not valid UTF-8 as Windows-1252, their
// usual charset in text declared as UTF-8.
func appendMixed(dst, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			r = charmap.Windows1252.DecodeByte(text[0])
		}
		dst, text = utf8.AppendRune(dst, r), text[n:]
	}
	return dst
}

// plain reports whether text is ASCII without the escape of RFC 1468 (ISO-2022-JP)
// and without the "~{" of RFC 1843 (HZ).
func plain(text []byte) bool {
	return ascii.Prefix(text) == len(text) && bytes.IndexByte(text, 0x1b) < 0 && !bytes.Contains(text, []byte("~{"))
}

// withoutNUL drops NUL bytes, which are invisible, so that they do not split words. This
// also reads ASCII in unlabelled UTF-16.
func (s *scan) withoutNUL(text []byte) []byte {
	if bytes.IndexByte(text, 0) < 0 {
		return text
	}
	s.clean = slices.DeleteFunc(append(s.clean[:0], text...), func(c byte) bool { return c == 0 })
	return s.clean
}

// isWide reports whether the characters of a text are units of 16 or 32 bits.
func isWide(text, label []byte) bool {
	return ascii.HasPrefix(label, "utf-16") || ascii.HasPrefix(label, "utf-32") || byteOrderMark(text) != ""
}

func byteOrderMark(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe\x00\x00")):
		return "utf-32le"
	case bytes.HasPrefix(text, []byte("\x00\x00\xfe\xff")):
		return "utf-32be"
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		return "utf-16be"
	}
	return ""
}

func encodingOf(text, label []byte, html bool) encoding.Encoding {
	if mark := byteOrderMark(text); mark != "" {
		label = []byte(mark)
	}
	if len(label) > 0 {
		if enc := lookup(string(label)); enc != nil {
			return enc
		}
	}
	if html {
		if enc := ofPage(text); enc != nil {
			return enc
		}
	}
	return charmap.Windows1252
}

// lookup returns the encoding with a label, nil if unknown.
func lookup(label string) encoding.Encoding {
	label = strings.ToLower(strings.Trim(label, blank+`"'`))
	if enc := standard(listed(label)); enc != nil && enc != encoding.Replacement {
		return enc
	}
	return unlisted(label)
}

// CharsetReader returns r decoded to UTF-8 from the encoding with a label, as
// [mime.WordDecoder] asks for it. An unknown label is an error.
func CharsetReader(label string, r io.Reader) (io.Reader, error) {
	enc := lookup(label)
	if enc == nil {
		return nil, fmt.Errorf("unknown charset %q", label)
	}
	return enc.NewDecoder().Reader(r), nil
}

// listed returns the label in the WHATWG encoding standard of one that occurs in mail but not there,
// or the label itself.
//
// QUIRK: RFC 2978: none of these is registered for mail under this name.
func listed(label string) string {
	switch label {
	case "cp932", "ms932":
		return "shift_jis"
	case "cp936", "gb2312_charset", "gb_2312":
		return "gbk"
	case "gb18030-2000":
		return "gb18030"
	case "cp949", "ms949":
		return "euc-kr"
	case "cp950", "chinesebig5", "big5_charset":
		return "big5"
	case "iso-2022-jp-1", "iso-2022-jp-2", "iso-2022-jp-ms", "cp50220":
		return "iso-2022-jp"
	case "cp874", "tis620":
		return "windows-874"
	case "utf", "utf-8-mac", "utf8mb4":
		return "utf-8"
	case "default", "default_charset", "unknown", "unknown-8bit", "x-unknown", "x-user-defined", "us", "usascii", "ansi", "latin-1",
		"iso", "iso-8859", "iso-8859-1-windows-", "8859_1", "iso_8859_1":
		return "windows-1252"
	case "cp-1251", "win-1251", "windows1251":
		return "windows-1251"
	case "cp-866":
		return "ibm866"
	case "koi-8":
		return "koi8-r"
	case "iso-8859-8-e-logical":
		return "iso-8859-8-i"
	}
	return label
}

// unlisted returns an encoding that the WHATWG standard leaves out, nil if the label is unknown.
func unlisted(label string) encoding.Encoding {
	switch label {
	case "hz-gb-2312", "hz":
		return simplifiedchinese.HZGB2312
	case "utf-32", "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	}
	if number := strings.TrimPrefix(strings.TrimPrefix(label, "cp"), "ibm"); number != label {
		for _, table := range charmap.All {
			if _, of, _ := strings.Cut(table.(fmt.Stringer).String(), " Code Page "); of != "" && strings.TrimLeft(number, "0") == strings.TrimLeft(of, "0") {
				return table
			}
		}
	}
	return nil
}

// appendDecoded appends src, decoded to UTF-8, to dst.
func appendDecoded(dst, src []byte, enc encoding.Encoding) []byte {
	if table, ok := enc.(*charmap.Charmap); ok && table.DecodeByte('A') == 'A' { // it contains ASCII unchanged, as all but EBCDIC do
		for n := ascii.Prefix(src); n < len(src); n = ascii.Prefix(src) {
			dst = utf8.AppendRune(append(dst, src[:n]...), table.DecodeByte(src[n]))
			src = src[n+1:]
		}
		return append(dst, src...)
	}
	dec := enc.NewDecoder()
	for {
		dst = slices.Grow(dst, len(src)+len(src)/2+minGrow)
		n, read, err := dec.Transform(dst[len(dst):cap(dst)], src, true)
		dst, src = dst[:len(dst)+n], src[read:]
		if err != transform.ErrShortDst {
			return dst
		}
	}
}

// appendUTF7 appends src, decoded from UTF-7 (RFC 2152): after "+" stand units of UTF-16 in
// base64, up to a "-", which is removed, or another character.
func appendUTF7(dst, src []byte) []byte {
	for {
		text, coded, shifted := bytes.Cut(src, []byte("+"))
		dst = append(dst, text...)
		if !shifted {
			return dst
		}
		n, bits, unit, before := 0, 0, rune(0), rune(0)
		for ; n < len(coded) && sixtyFour[coded[n]] < padding && coded[n] != '-' && coded[n] != '_'; n++ {
			unit, bits = unit<<6|rune(sixtyFour[coded[n]]), bits+6
			if bits < 16 {
				continue
			}
			bits -= 16
			now := unit >> bits
			unit &= 1<<bits - 1
			if r := utf16.DecodeRune(before, now); r != utf8.RuneError {
				dst = utf8.AppendRune(dst, r)
			} else if !utf16.IsSurrogate(now) {
				dst = utf8.AppendRune(dst, now)
			}
			before = now
		}
		if src = coded[n:]; len(src) > 0 && src[0] == '-' {
			src = src[1:]
			if n == 0 {
				dst = append(dst, '+')
			}
		}
	}
}

// minGrow is room for any one character that a decoder may write.
const minGrow = 64

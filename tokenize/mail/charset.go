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
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
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
	if !isWide(label) {
		if mark := byteOrderMark(text); mark != "" { // programs differ in whether it counts: both readings do
			wide := appendDecoded(nil, text, lookup(mark))
			for byteOrderMark(text) != "" {
				text = text[2:]
			}
			if narrow := s.toUTF8(text, label, html); !bytes.HasSuffix(wide, narrow) {
				wide = append(append(wide, '\n'), narrow...)
			}
			return wide
		}
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

// isWide reports whether the characters of a text with a label are units of 16 or 32 bits.
func isWide(label []byte) bool {
	return ascii.HasPrefix(label, "utf-16") || ascii.HasPrefix(label, "utf-32")
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
	if string(label) == "utf-16" && (bytes.HasPrefix(text, []byte{0}) || bytes.Index(text, []byte("\x00\n"))%2 == 0) {
		label = []byte("utf-16be") // the zero comes first in its unit; one within Chinese tells nothing
	}
	if enc := lookup(string(label)); enc != nil {
		return enc
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
	for _, e := range [...]struct{ listed, labels string }{
		{"shift_jis", "cp932 ms932"}, {"gbk", "cp936 gb2312_charset gb_2312"}, {"gb18030", "gb18030-2000"}, {"euc-kr", "cp949 ms949"},
		{"big5", "cp950 chinesebig5 big5_charset"}, {"iso-2022-jp", "iso-2022-jp-1 iso-2022-jp-2 iso-2022-jp-ms cp50220"},
		{"windows-874", "cp874 tis620"}, {"utf-8", "utf utf-8-mac utf8mb4"},
		{"windows-1252", "default default_charset unknown unknown-8bit x-unknown x-user-defined us usascii ansi latin-1 iso iso-8859 iso-8859-1-windows- 8859_1 iso_8859_1"},
		{"windows-1251", "cp-1251 win-1251 windows1251"}, {"ibm866", "cp-866"}, {"koi8-r", "koi-8"}, {"iso-8859-8-i", "iso-8859-8-e-logical"},
	} {
		if hasLabel(e.labels, label) {
			return e.listed
		}
	}
	return label
}

func hasLabel(labels, label string) bool {
	return len(label) > 1 && strings.Contains(labels, label) && slices.Contains(strings.Fields(labels), label)
}

// standard returns the encoding with a label of the WHATWG encoding standard, nil if there is none,
// as x/text/encoding/htmlindex does. To fill the maps of that takes each process longer than to
// look up the labels of a message here.
func standard(label string) encoding.Encoding {
	label = strings.ToLower(strings.TrimSpace(label))
	for _, e := range [...]struct {
		encoding.Encoding
		labels string
	}{
		{charmap.Windows1252, "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"},
		{unicode.UTF8, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"}, {charmap.CodePage866, "866 cp866 csibm866 ibm866"},
		{charmap.ISO8859_2, "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"},
		{charmap.ISO8859_3, "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"},
		{charmap.ISO8859_4, "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"},
		{charmap.ISO8859_5, "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988"},
		{charmap.ISO8859_6, "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
		{charmap.ISO8859_7, "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek"},
		{charmap.ISO8859_8, "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual"},
		{charmap.ISO8859_8I, "csiso88598i iso-8859-8-i logical"}, {charmap.ISO8859_10, "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
		{charmap.ISO8859_13, "iso-8859-13 iso8859-13 iso885913"}, {charmap.ISO8859_14, "iso-8859-14 iso8859-14 iso885914"},
		{charmap.ISO8859_15, "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"}, {charmap.ISO8859_16, "iso-8859-16"},
		{charmap.KOI8R, "cskoi8r koi koi8 koi8-r koi8_r"}, {charmap.KOI8U, "koi8-ru koi8-u"}, {charmap.Macintosh, "csmacintosh mac macintosh x-mac-roman"},
		{charmap.Windows874, "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"}, {charmap.Windows1250, "cp1250 windows-1250 x-cp1250"},
		{charmap.Windows1251, "cp1251 windows-1251 x-cp1251"}, {charmap.Windows1253, "cp1253 windows-1253 x-cp1253"},
		{charmap.Windows1254, "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254"},
		{charmap.Windows1255, "cp1255 windows-1255 x-cp1255"}, {charmap.Windows1256, "cp1256 windows-1256 x-cp1256"},
		{charmap.Windows1257, "cp1257 windows-1257 x-cp1257"}, {charmap.Windows1258, "cp1258 windows-1258 x-cp1258"},
		{charmap.MacintoshCyrillic, "x-mac-cyrillic x-mac-ukrainian"},
		{simplifiedchinese.GBK, "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"}, {simplifiedchinese.GB18030, "gb18030"},
		{traditionalchinese.Big5, "big5 big5-hkscs cn-big5 csbig5 x-x-big5"}, {japanese.EUCJP, "cseucpkdfmtjapanese euc-jp x-euc-jp"},
		{japanese.ISO2022JP, "csiso2022jp iso-2022-jp"}, {japanese.ShiftJIS, "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
		{korean.EUCKR, "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"},
		{encoding.Replacement, "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"},
		{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "unicodefffe utf-16be"},
		{unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
		{charmap.XUserDefined, "x-user-defined"},
	} {
		if hasLabel(e.labels, label) {
			return e.Encoding
		}
	}
	return nil
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

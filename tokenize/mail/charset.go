package mail

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// toUTF8 returns text in UTF-8. The label is what the message says about it,
// which is wrong often enough to ask the bytes first: text that has characters
// beyond ASCII and is valid UTF-8 is UTF-8; then comes the label; a text without
// a known label is taken for windows-1252.
func (s *scan) toUTF8(text, label []byte, html bool) []byte {
	if !isUTF16(text, label) {
		text = s.withoutNUL(text)
		if plain(text) || wide(text) && utf8.Valid(text) {
			return text
		}
	}
	enc := s.encodingOf(text, label, html)
	if enc == unicode.UTF8 {
		s.unicode = appendMixed(s.unicode[:0], text)
	} else {
		s.unicode = appendDecoded(s.unicode[:0], text, enc)
	}
	return s.unicode
}

// appendMixed appends what is UTF-8 in text, and takes the bytes that are not for
// Windows-1252, in which they mostly are where UTF-8 was promised.
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

// plain says whether text is ASCII without the escape of RFC 1468 (ISO-2022-JP)
// and without the "~{" of RFC 1843 (HZ).
func plain(text []byte) bool {
	return !wide(text) && bytes.IndexByte(text, 0x1b) < 0 && !bytes.Contains(text, []byte("~{"))
}

// wide says whether text has a byte beyond ASCII.
func wide(text []byte) bool {
	for len(text) >= 8 {
		if binary.LittleEndian.Uint64(text)&0x8080808080808080 != 0 {
			return true
		}
		text = text[8:]
	}
	for _, c := range text {
		if c >= 0x80 {
			return true
		}
	}
	return false
}

// withoutNUL drops NUL bytes, which readers do not see, so that they do not split
// words. It also reads the ASCII of UTF-16 without a label.
func (s *scan) withoutNUL(text []byte) []byte {
	if bytes.IndexByte(text, 0) < 0 {
		return text
	}
	s.clean = s.clean[:0]
	for _, c := range text {
		if c != 0 {
			s.clean = append(s.clean, c)
		}
	}
	return s.clean
}

func isUTF16(text, label []byte) bool {
	return hasPrefixFold(label, "utf-16") || byteOrderMark(text) != ""
}

func byteOrderMark(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		return "utf-16be"
	}
	return ""
}

// encodingOf finds the encoding of a text that is not UTF-8.
func (s *scan) encodingOf(text, label []byte, html bool) encoding.Encoding {
	if mark := byteOrderMark(text); mark != "" {
		label = []byte(mark)
	}
	if len(label) > 0 {
		if enc := lookup(string(label)); enc != nil {
			return enc
		}
		s.defects |= ErrCharset
	}
	if html {
		if enc := ofPage(text); enc != nil {
			return enc
		}
	}
	return charmap.Windows1252
}

// lookup finds the encoding with a label, nil if it is not known.
func lookup(label string) encoding.Encoding {
	label = strings.ToLower(strings.Trim(label, blank+`"'`))
	if enc, ok := unlisted[label]; ok {
		return enc
	}
	if to, ok := aliases[label]; ok {
		label = to
	}
	enc, err := htmlindex.Get(label)
	if err != nil || enc == encoding.Replacement {
		return nil
	}
	return enc
}

// aliases are labels that mail carries and the WHATWG encoding standard, which
// htmlindex follows, does not know.
//
// QUIRK: RFC 2978: none of these is registered for mail under this name.
var aliases = map[string]string{
	"cp932":                "shift_jis",
	"ms932":                "shift_jis",
	"cp936":                "gbk",
	"gb2312_charset":       "gbk",
	"gb_2312":              "gbk",
	"gb18030-2000":         "gb18030",
	"cp949":                "euc-kr",
	"ms949":                "euc-kr",
	"cp950":                "big5",
	"chinesebig5":          "big5",
	"big5_charset":         "big5",
	"iso-2022-jp-1":        "iso-2022-jp",
	"iso-2022-jp-2":        "iso-2022-jp",
	"iso-2022-jp-ms":       "iso-2022-jp",
	"cp50220":              "iso-2022-jp",
	"cp874":                "windows-874",
	"tis620":               "windows-874",
	"utf":                  "utf-8",
	"utf-8-mac":            "utf-8",
	"utf8mb4":              "utf-8",
	"default":              "windows-1252",
	"default_charset":      "windows-1252",
	"unknown":              "windows-1252",
	"unknown-8bit":         "windows-1252",
	"x-unknown":            "windows-1252",
	"x-user-defined":       "windows-1252",
	"us":                   "windows-1252",
	"usascii":              "windows-1252",
	"ansi":                 "windows-1252",
	"latin-1":              "windows-1252",
	"iso":                  "windows-1252",
	"iso-8859":             "windows-1252",
	"iso-8859-1-windows-":  "windows-1252",
	"8859_1":               "windows-1252",
	"iso_8859_1":           "windows-1252",
	"cp-1251":              "windows-1251",
	"win-1251":             "windows-1251",
	"windows1251":          "windows-1251",
	"cp-866":               "ibm866",
	"koi-8":                "koi8-r",
	"iso-8859-8-e-logical": "iso-8859-8-i",
}

// unlisted are encodings that the WHATWG standard leaves out.
var unlisted = map[string]encoding.Encoding{
	"hz-gb-2312": simplifiedchinese.HZGB2312,
	"hz":         simplifiedchinese.HZGB2312,
	"cp437":      charmap.CodePage437,
	"ibm437":     charmap.CodePage437,
	"cp850":      charmap.CodePage850,
	"ibm850":     charmap.CodePage850,
	"cp852":      charmap.CodePage852,
	"ibm852":     charmap.CodePage852,
	"cp855":      charmap.CodePage855,
	"ibm855":     charmap.CodePage855,
	"cp858":      charmap.CodePage858,
	"cp860":      charmap.CodePage860,
	"cp862":      charmap.CodePage862,
	"cp863":      charmap.CodePage863,
	"cp865":      charmap.CodePage865,
}

// appendDecoded appends src, decoded to UTF-8, to dst.
func appendDecoded(dst, src []byte, enc encoding.Encoding) []byte {
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

// minGrow is room for any one character that a decoder may write.
const minGrow = 64

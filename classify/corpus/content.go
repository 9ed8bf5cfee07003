package corpus

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// magics are the beginnings of binary files, with their formats.
var magics = []struct{ start, what string }{
	{"%PDF-", "a PDF file"},
	{"{\\rtf", "an RTF file"},
	{"%!PS-", "a PostScript file"},
	{"\x89PNG\r\n", "a PNG image"},
	{"\xff\xd8\xff", "a JPEG image"},
	{"GIF8", "a GIF image"},
	{"PK\x03\x04", "a ZIP archive or office document"},
	{"\xd0\xcf\x11\xe0\xa1\xb1", "an office document"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{"Rar!\x1a\x07", "a RAR archive"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd"},
	{"\x1f\x8b", "compressed by gzip"},
	{"\xfd7zXZ\x00", "compressed by xz"},
	{"\x7fELF", "a program"},
	{"SQLite format 3\x00", "an SQLite database"},
}

// Content with at least one control byte in minControls is not text: noise has more than
// a tenth, and text of any charset has only white space, escapes and overprinting. Up to
// three prove nothing.
const minControls = 20

// notText returns the format of content if it certainly is not text, else "".
func notText(content []byte) string {
	head := content[:min(len(content), headSize)]
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.start)) {
			return m.what
		}
	}
	if len(head) > 20 && string(head[16:20]) == "\xed\xda\x0c\xed" { // bbolt's, in the first page
		return "a database"
	}
	if bytes.IndexByte(content, 0) >= 0 {
		return "not text: it has NUL bytes"
	}
	controls := 0
	for _, c := range head {
		if c < ' ' && strings.IndexByte("\t\n\v\f\r\b\x1b", c) < 0 || c == 0x7f {
			controls++
		}
	}
	if controls > 3 && controls*minControls > len(head) {
		return "not text: it is full of control characters"
	}
	return ""
}

// isBlankText reports whether content is only white space.
func isBlankText(content []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(content, byteOrderMark))) == 0
}

// isUTF16 recognises UTF-16, as spreadsheets write "Unicode text", by its byte order mark.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
}

// decoded returns a cell as UTF-8: as in a text that is tokenised, a byte that is not
// UTF-8 is read as Windows-1252.
func decoded(cell string) string {
	if utf8.ValidString(cell) {
		return cell
	}
	var b []byte
	for i := 0; i < len(cell); {
		r, n := utf8.DecodeRuneInString(cell[i:])
		if r == utf8.RuneError && n == 1 {
			r = charmap.Windows1252.DecodeByte(cell[i])
		}
		i += n
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

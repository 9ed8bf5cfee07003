package corpus

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

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

package corpus

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
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
	{"PAR1", "a Parquet file"},
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

// sizeOf returns the size of a regular file, 0 for all else.
func sizeOf(r io.Reader) int64 {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// contextReader ends a long read when the context ends. After the end of the file it reads no
// more: readers of a small file meet its end several times, which would cost a system call each.
type contextReader struct {
	ctx   context.Context
	r     io.Reader
	left  int64 // of a file of known size
	ended bool
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if c.ended {
		return 0, io.EOF
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	c.ended = err == io.EOF || c.left == 0 && n > 0
	return n, err
}

// returns reads lines that end in a carriage return alone, as some spreadsheets of the Macintosh write them.
type returns struct{ io.Reader }

func (r returns) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	copy(p, bytes.ReplaceAll(p[:n], []byte("\r"), []byte("\n")))
	return n, err
}

// utf8Table returns a reader of a table or of JSON as UTF-8, without a byte order mark. Of UTF-16 without
// one the first two characters are of ASCII or Latin-1.
func utf8Table(in *bufio.Reader) *bufio.Reader {
	head, _ := in.Peek(len(byteOrderMark))
	unmarked := len(head) == len(byteOrderMark) && (head[0] == 0) == (head[2] == 0) && (head[0] == 0) != (head[1] == 0)
	order := unicode.LittleEndian
	if unmarked && head[0] == 0 {
		order = unicode.BigEndian
	}
	if unmarked || isUTF16(head) {
		return bufio.NewReaderSize(unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(in), headSize)
	}
	if bytes.Equal(head, byteOrderMark) {
		_, _ = in.Discard(len(byteOrderMark))
	}
	return in
}

package corpus

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// labelMark begins the labels before the text of a line, as fastText has them.
const labelMark = "__label__"

// readLines calls emit with the document that parse makes of each line of r that is not
// blank, and fail with errors in lines. A line of more than limit bytes is one.
func readLines(r *bufio.Reader, path string, o *Options, line []byte, limit int64, parse func([]byte, int64) (*Document, bool, error),
	emit func(*Document) error, fail func(error)) ([]byte, error) {
	for n := 1; ; n++ {
		var long bool
		var err error
		line, long, err = readLine(r, line[:0], limit)
		if err != nil && err != io.EOF {
			return line, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		text := line
		if n == 1 {
			text = bytes.TrimPrefix(text, byteOrderMark)
		}
		text = bytes.Trim(text, " \t\r\n") // the white space of JSON
		if long {
			fail(fmt.Errorf("%s:%d: line of more than %d bytes: split the document", path, n, limit))
		} else if len(text) > 0 {
			if err := giveParsed(text, path, n, o, parse, emit, fail); err != nil {
				return line, err
			}
		}
		if err == io.EOF {
			return line, nil
		}
	}
}

// giveParsed emits the document that parse makes of text, the nth of the file at path.
func giveParsed(text []byte, path string, n int, o *Options, parse func([]byte, int64) (*Document, bool, error), emit func(*Document) error, fail func(error)) error {
	d, cut, err := parse(text, o.MaxBytes)
	if err != nil {
		fail(fmt.Errorf("%s:%d: %w", path, n, err))
		return nil
	}
	d.Path = path + ":" + strconv.Itoa(n)
	if cut {
		o.cut(d)
	}
	return emit(d)
}

// parseLine makes a document of a line, whose class are the labels before its text, with
// commas between them.
func parseLine(line []byte, max int64) (d *Document, cut bool, err error) {
	var labels []string
	for bytes.HasPrefix(line, []byte(labelMark)) {
		label, text, _ := bytes.Cut(line, []byte(" "))
		labels = append(labels, string(label[len(labelMark):]))
		line = bytes.TrimLeft(text, " \t")
	}
	cut = int64(len(line)) > max
	d = &Document{Class: strings.Join(labels, ","), Content: line[:min(int64(len(line)), max)]}
	d.Format = detectSingle(d.Content[:min(len(d.Content), headSize)])
	return d, cut, nil
}

// manyLines is how many lines without a blank one between them look like as many documents:
// prose has paragraphs.
const manyLines = 20

// looksLines reports whether a text looks like a document a line.
func looksLines(text []byte) bool {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte(labelMark)) {
		return true
	}
	n := 1
	for line := range bytes.Lines(text) {
		if isBlankText(line) {
			return false
		}
		n++
	}
	return n > manyLines
}

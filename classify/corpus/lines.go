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

// readLines emits the document that parse makes of each line of r that is not blank. It
// records errors in lines; a line of more than limit bytes is one.
func (w *walker) readLines(r *bufio.Reader, path string, limit int64, parse func([]byte) (*Document, error)) error {
	for n := 1; ; n++ {
		var long bool
		var err error
		w.buffer, long, err = readLine(r, w.buffer[:0], limit)
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
		text := w.buffer
		if n == 1 {
			text = bytes.TrimPrefix(text, byteOrderMark)
		}
		text = bytes.Trim(text, " \t\r\n") // the white space of JSON
		if long {
			w.failed.add(fmt.Errorf("%s:%d: line of more than %d bytes: split the document", path, n, limit))
		} else if len(text) > 0 {
			if err := w.giveParsed(text, path, n, parse); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// giveParsed emits the document that parse makes of text, the nth of the file at path.
func (w *walker) giveParsed(text []byte, path string, n int, parse func([]byte) (*Document, error)) error {
	d, err := parse(text)
	if err != nil {
		w.failed.add(fmt.Errorf("%s:%d: %w", path, n, err))
		return nil
	}
	return w.emitText(d, path, n)
}

// emitText emits the nth document of the file at path, whose text may be too long.
func (w *walker) emitText(d *Document, path string, n int) error {
	d.Path = path + ":" + strconv.Itoa(n)
	if d.Cut = int64(len(d.Content)) > w.o.MaxBytes; d.Cut {
		d.Content = d.Content[:w.o.MaxBytes]
	}
	d.Format = Detect(d.Content)
	return w.emit(d)
}

// parseLine makes a document of a line, whose class are the labels before its text, with
// commas between them.
func parseLine(line []byte) (*Document, error) {
	var labels []string
	for bytes.HasPrefix(line, []byte(labelMark)) {
		label, text, _ := bytes.Cut(line, []byte(" "))
		labels = append(labels, string(label[len(labelMark):]))
		line = bytes.TrimLeft(text, " \t")
	}
	return &Document{Class: strings.Join(labels, ","), Content: line}, nil
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

func (w *walker) readLabelled(br *bufio.Reader, path string) error {
	return w.readLines(utf8Table(br), path, w.o.MaxBytes+1<<20, parseLine)
}

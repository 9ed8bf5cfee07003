package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/polya-classifier/polya/internal/dates"
)

var fromPrefix = []byte("From ")

// mboxReader reads the messages of an mbox in order.
//
// A message begins after a line "From sender date" that is the first or follows an empty
// one. The date is required, unless the first line has none either, because many programs do
// not quote "From " in bodies. A line of one or more ">" and "From " loses one ">" (mboxrd).
// Content-Length is not trusted: it is wrong in every mbox that was edited.
type mboxReader struct {
	r     *bufio.Reader
	max   int64
	dated bool

	body []byte
	cut  bool      // it is longer than max
	time time.Time // of the message in body
	next time.Time // of the next message
}

// start reads the first From line.
func (m *mboxReader) start() error {
	for {
		line, err := m.r.ReadSlice('\n')
		if err == nil && isBlank(line) {
			continue
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return err
		}
		if !bytes.HasPrefix(line, fromPrefix) {
			return errors.New(`not an mbox: the first line does not begin with "From "`)
		}
		m.next, m.dated = parseFromLine(line)
		return nil
	}
}

// message reads the next message into body and reports whether another follows.
func (m *mboxReader) message() (more bool, err error) {
	m.body, m.time, m.cut = m.body[:0], m.next, false
	blank := false // the previous line was empty
	for begins := true; ; {
		line, err := m.r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return false, err
		}
		if begins {
			if blank && err != bufio.ErrBufferFull && m.separator(line) {
				m.body = trimBlankLine(m.body)
				return true, nil
			}
			line = unquoteFrom(line)
			blank = isBlank(line)
		}
		begins = err == nil
		m.cut = m.cut || int64(len(m.body)+len(line)) > m.max
		m.body = append(m.body, line[:min(int64(len(line)), m.max-int64(len(m.body)))]...)
		if err == io.EOF {
			m.body = trimBlankLine(m.body)
			return false, nil
		}
	}
}

// separator reports whether line begins another message, and stores its time.
func (m *mboxReader) separator(line []byte) bool {
	if !bytes.HasPrefix(line, fromPrefix) {
		return false
	}
	t, ok := parseFromLine(line)
	if m.dated && !ok {
		return false
	}
	m.next = t
	return true
}

func (w *walker) readMbox(r *bufio.Reader, path string) error {
	m := mboxReader{r: r, max: w.o.MaxBytes, body: w.buffer}
	defer func() { w.buffer = m.body }()
	if err := m.start(); err == io.EOF {
		return nil
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	more := true
	for n := 1; more; n++ {
		var err error
		if more, err = m.message(); err != nil {
			return fmt.Errorf("%s: message %d: %w", path, n, err)
		}
		d := Document{Path: path, Content: m.body, Format: Mail, Time: m.time, Cut: m.cut}
		if more || n > 1 {
			d.Path = path + ":" + strconv.Itoa(n)
		}
		if err := w.emit(&d); err != nil {
			return err
		}
	}
	return nil
}

// startsMbox reports whether head begins with a From line, perhaps below empty ones.
func startsMbox(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\r\n"), fromPrefix)
}

// hasMessages reports whether content, which stood below a From line, has another one with a date
// below an empty line.
func hasMessages(content []byte) bool {
	if !bytes.Contains(content, []byte("\nFrom ")) {
		return false
	}
	m := mboxReader{r: bufio.NewReader(bytes.NewReader(content)), dated: true}
	more, _ := m.message()
	return more
}

// parseFromLine finds the date in the line before a message.
func parseFromLine(line []byte) (time.Time, bool) {
	fields := bytes.Fields(line[:min(len(line), maxFromLine+1)])
	if len(line) > maxFromLine || len(fields) < 5 {
		return time.Time{}, false
	}
	at, ok := dates.Parse(bytes.Join(fields[2:], []byte(" ")))
	if !ok || at.Year() < 1970 || at.Year() > 2199 || !bytes.Contains(line, strconv.AppendInt(nil, int64(at.Year()), 10)) {
		return time.Time{}, false // a year has four digits here
	}
	return at, true
}

// maxFromLine is the length beyond which a line is not taken for one before a message.
const maxFromLine = 1000

func isBlank(line []byte) bool { return string(line) == "\n" || string(line) == "\r\n" }

// unquoteFrom removes one ">" from ">From ", ">>From " and so on.
func unquoteFrom(line []byte) []byte {
	if len(line) > 0 && line[0] == '>' && bytes.HasPrefix(bytes.TrimLeft(line, ">"), fromPrefix) {
		return line[1:]
	}
	return line
}

// trimBlankLine removes the empty line that ends each message of an mbox.
func trimBlankLine(body []byte) []byte {
	for _, end := range []string{"\r\n", "\n"} {
		if rest, ok := bytes.CutSuffix(body, []byte(end)); ok && (len(rest) == 0 || rest[len(rest)-1] == '\n') {
			return rest
		}
	}
	return body
}

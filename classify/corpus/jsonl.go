package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// record is a JSON line. Other keys are ignored. Keys match in any case.
type record struct {
	Text       once[*string]    `json:"text"`
	Class      once[label]      `json:"class"`
	ID         once[label]      `json:"id"`
	Time       once[instant]    `json:"time"`
	Attributes once[attributes] `json:"attributes"`
}

// isDocument reports whether the record is a document: it has a text or attributes, even
// if repeated.
func (r *record) isDocument() bool {
	return r.Text.value != nil || r.Attributes.value != nil || r.Text.times > 1 || r.Attributes.times > 1
}

// twice returns a repeated key, "" if there is none.
func (r *record) twice() string {
	for i, times := range []int{r.Text.times, r.Class.times, r.ID.times, r.Time.times, r.Attributes.times} {
		if times > 1 {
			return []string{"text", "class", "id", "time", "attributes"}[i]
		}
	}
	return ""
}

// once is the value of a key that may occur once: encoding/json silently takes the last
// one.
type once[T any] struct {
	value T
	times int // number of occurrences of the key
}

// UnmarshalJSON reads the first value and counts the others.
func (o *once[T]) UnmarshalJSON(b []byte) error {
	if o.times++; o.times > 1 {
		return nil
	}
	return json.Unmarshal(b, &o.value)
}

// label is a string, or a number used as a class or an id.
type label string

// UnmarshalJSON keeps a number as written.
func (l *label) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = label(s)
		return nil
	}
	if b[0] == '-' || '0' <= b[0] && b[0] <= '9' {
		*l = label(b)
		return nil
	}
	return errors.New("class and id are strings or numbers")
}

// instant is a time as RFC 3339 text, a date, or seconds since 1970.
type instant struct{ time.Time }

// maxTime is the longest time that is read: the errors of time.Parse copy the text.
const maxTime = 100

// UnmarshalJSON reads null and "" as an unknown time.
func (t *instant) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		if s == "" {
			return nil
		}
		for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", time.DateOnly} {
			if len(s) > maxTime {
				break
			}
			if u, err := time.Parse(layout, s); err == nil {
				t.Time = u
				return nil
			}
		}
		return fmt.Errorf("time %.40q is not as in 2006-01-02T15:04:05Z", s)
	}
	seconds, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.Abs(seconds) > 1e11 {
		return errors.New("time is neither RFC 3339 text nor seconds since 1970")
	}
	whole, fraction := math.Modf(seconds)
	t.Time = time.Unix(int64(whole), int64(fraction*1e9)).UTC()
	return nil
}

// readJSONL emits each line of r, or each element if r is an array.
func (w *walker) readJSONL(r *bufio.Reader, path string) error {
	// One byte takes at most six in JSON (\u0000); the rest is room for the other
	// fields.
	limit := 6*w.o.MaxBytes + 1<<20
	if startsArray(r) {
		return w.readArray(r, path, limit)
	}
	return w.readLines(r, path, limit, parseRecord)
}

// startsArray reports whether the first byte that is not white space is a bracket. It waits
// for no more than that.
func startsArray(r *bufio.Reader) bool {
	for n := 1; ; n++ {
		head, err := r.Peek(n)
		if err != nil {
			return false
		}
		if c := head[n-1]; !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)) && !bytes.HasPrefix(byteOrderMark, head) {
			return c == '['
		}
	}
}

// readArray reads an array of records, of which none may have more than limit bytes.
func (w *walker) readArray(r *bufio.Reader, path string, limit int64) error {
	in := utf8Table(r) // without a byte order mark
	bound := &io.LimitedReader{R: in}
	d := json.NewDecoder(bound)
	for n := 0; ; n++ {
		bound.N = limit
		if n == 0 {
			if _, err := d.Token(); err != nil { // the bracket
				return fmt.Errorf("%s: %w", path, err)
			}
			continue
		}
		if !d.More() {
			if _, err := d.Token(); err != nil {
				return fmt.Errorf("%s:%d: the JSON array does not end", path, n)
			}
			return nil
		}
		var element json.RawMessage
		if err := d.Decode(&element); err != nil {
			return fmt.Errorf("%s:%d: not an element of a JSON array, or one of more than %d bytes: %w", path, n, limit, err)
		}
		if err := w.giveParsed(element, path, n, parseRecord); err != nil {
			return err
		}
	}
}

// parseRecord makes a document of a JSON line.
func parseRecord(line []byte) (*Document, error) {
	var r record
	var value valueError
	if err := json.Unmarshal(line, &r); errors.As(err, &value) {
		return nil, value
	} else if err != nil {
		return nil, fmt.Errorf("not a JSON object with a document: %w", err)
	}
	if key := r.twice(); key != "" {
		return nil, fmt.Errorf("two keys of the JSON object are %q, in letters of any case: keep one", key)
	}
	if !r.isDocument() {
		return nil, errors.New(`no "text" in the JSON object, and no "attributes"`)
	}
	d := &Document{Class: string(r.Class.value), ID: string(r.ID.value), Attributes: r.Attributes.value, Time: r.Time.value.Time}
	if r.Text.value != nil {
		d.Content = []byte(*r.Text.value)
	}
	return d, nil
}

// readLine appends a line to buf. A line above limit is read to its end and
// reported as long.
func readLine(r *bufio.Reader, buf []byte, limit int64) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if int64(len(buf)+len(part)) > limit {
			long = true
			buf = buf[:0]
		}
		if !long {
			buf = append(buf, part...)
		}
		if err != bufio.ErrBufferFull {
			return buf, long, err
		}
	}
}

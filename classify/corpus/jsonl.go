package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// record is a JSON object: its keys in their order, and their values.
type record struct {
	keys   []string
	values [][]byte // parts of the line
}

// parse reads an object. It stops when there are too many keys, since a list of keys takes
// many times the memory of the line.
func (r *record) parse(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); t != json.Delim('{') {
		return cmp.Or(err, errors.New("it is another value"))
	}
	var value json.RawMessage
	for d.More() {
		key, err := d.Token()
		if err = cmp.Or(err, d.Decode(&value)); err != nil {
			return err
		}
		if len(r.keys) == maxColumns {
			return badValue("more than %d keys", maxColumns)
		}
		end := int(d.InputOffset())
		r.keys, r.values = append(r.keys, key.(string)), append(r.values, line[end-len(value):end])
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the object")
	}
	return nil
}

// read reads the value of the key at this index, if that is not negative.
func (r *record) read(at int, value any) error {
	if at < 0 {
		return nil
	}
	for i, key := range r.keys {
		if i != at && strings.EqualFold(key, r.keys[at]) {
			return badValue("two keys of the JSON object are %.40q, in letters of any case: keep one", key)
		}
	}
	return json.Unmarshal(r.values[at], value)
}

// label is a string, or a number, true or false used as a class or an id.
type label string

// UnmarshalJSON keeps what is no string as written.
func (l *label) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = label(s)
		return nil
	}
	if b[0] != '{' && b[0] != '[' {
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
	return w.readLines(r, path, limit, w.o.parseRecord)
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
		if err := w.giveParsed(element, path, n, w.o.parseRecord); err != nil {
			return err
		}
	}
}

// parseRecord makes a document of a JSON line. It ignores keys without a role.
func (o *Options) parseRecord(line []byte) (*Document, error) {
	d, err := o.readRecord(line)
	var value valueError
	var missing *NoColumnError
	if err != nil && !errors.As(err, &value) && !errors.As(err, &missing) {
		err = fmt.Errorf("not a JSON object with a document: %w", err)
	}
	return d, err
}

func (o *Options) readRecord(line []byte) (*Document, error) {
	var r record
	if err := r.parse(line); err != nil {
		return nil, err
	}
	class, text, id, err := o.roles(r.keys)
	if err != nil {
		return nil, err
	}
	values := find(r.keys, "attributes")
	if text < 0 && values < 0 {
		return nil, &NoColumnError{"text", "text", r.keys}
	}
	var content string
	var at instant
	d := &Document{}
	err = cmp.Or(r.read(text, &content), r.read(class, (*label)(&d.Class)), r.read(id, (*label)(&d.ID)),
		r.read(find(r.keys, "time"), &at), r.read(values, (*attributes)(&d.Attributes)))
	d.Content, d.Time = []byte(content), at.Time
	return d, err
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

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
	"slices"
	"strings"
	"time"
)

// record is a JSON object: its keys in their order, and their values, which are strings,
// json.Numbers, bools, nil, or the json.RawMessages of arrays and objects.
type record struct {
	keys   []string
	values []any
}

// parse reads an object. It stops when there are too many keys, since a list of keys takes
// many times the memory of the line.
func (r *record) parse(line []byte) error {
	if line[0] != '{' {
		return errors.New("no { at its beginning")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	_, _ = d.Token() // the brace
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if len(r.keys) == maxColumns {
			return badValue("more than %d keys", maxColumns)
		}
		var value any
		if next := bytes.TrimLeft(line[d.InputOffset():], ": \t\r\n"); len(next) > 0 && (next[0] == '{' || next[0] == '[') {
			var raw json.RawMessage
			err, value = d.Decode(&raw), raw
		} else {
			value, err = d.Token()
		}
		if err != nil {
			return err
		}
		r.keys, r.values = append(r.keys, key.(string)), append(r.values, value)
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("no } at its end: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the object")
	}
	return nil
}

// value returns the value of the key at this index, nil if that is negative.
func (r *record) value(at int) (any, error) {
	if at < 0 {
		return nil, nil
	}
	for i, key := range r.keys {
		if i != at && strings.EqualFold(key, r.keys[at]) {
			return nil, badValue("two keys of the JSON object are %.40q, in letters of any case: keep one", key)
		}
	}
	return r.values[at], nil
}

// label returns the class or id at this index as written; of an array of strings, if there may be one, each after a comma.
func (r *record) label(at int, arrays bool) (string, error) {
	value, err := r.value(at)
	switch value := value.(type) {
	case nil:
		return "", err
	case json.RawMessage:
		var list []string
		if !arrays || json.Unmarshal(value, &list) != nil || strings.Contains(strings.Join(list, ""), ",") {
			return "", badValue("class and id are strings or numbers, or a class is an array of strings without commas")
		}
		return "," + strings.Join(list, ","), nil
	}
	return fmt.Sprint(value), nil
}

// texts returns the strings at these indices as one text.
func (r *record) texts(at []int) ([]byte, error) {
	texts := make([]string, len(at))
	for i, at := range at {
		value, err := r.value(at)
		if err != nil {
			return nil, err
		}
		text, ok := value.(string)
		if value != nil && !ok {
			return nil, badValue("%.40q is not a string in quotes; numbers, true, false, objects and arrays are not read as text", r.keys[at])
		}
		texts[i] = text
	}
	return joined(texts), nil
}

// time returns the time at this index: RFC 3339 text, a date, or seconds since 1970. Null and
// "" are an unknown time.
func (r *record) time(at int) (t time.Time, err error) {
	value, err := r.value(at)
	switch value := value.(type) {
	case nil:
		return t, err
	case json.Number:
		if seconds, err := value.Float64(); err == nil && math.Abs(seconds) <= 1e11 {
			whole, fraction := math.Modf(seconds)
			return time.Unix(int64(whole), int64(fraction*1e9)).UTC(), nil
		}
	case string:
		if value == "" {
			return t, nil
		}
		for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", time.DateOnly} {
			// Its errors copy the text.
			if t, err := time.Parse(layout, value[:min(len(value), 100)]); err == nil {
				return t, nil
			}
		}
		return t, fmt.Errorf("time %.40q is not as in 2006-01-02T15:04:05Z", value)
	}
	return t, errors.New("time is neither RFC 3339 text nor seconds since 1970")
}

// readJSONL emits each line of r, or each element if r is an array.
func (w *walker) readJSONL(r *bufio.Reader, path string) error {
	// One byte takes at most six in JSON (\u0000); the rest is room for the other
	// fields.
	limit := 6*w.o.MaxBytes + 1<<20
	r = utf8Table(r)
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
		if c := head[n-1]; !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)) {
			return c == '['
		}
	}
}

// readArray reads an array of records, of which none may have more than limit bytes.
func (w *walker) readArray(r *bufio.Reader, path string, limit int64) error {
	bound := &io.LimitedReader{R: r, N: limit}
	d := json.NewDecoder(bound)
	if _, err := d.Token(); err != nil { // the bracket
		return fmt.Errorf("%s: %w", path, err)
	}
	for n := 1; ; n++ {
		bound.N = limit
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
	if err != nil && !errors.As(err, new(valueError)) && !errors.As(err, new(*NoColumnError)) {
		hint := ""
		if _, syntax := errors.AsType[*json.SyntaxError](err); syntax && (bytes.Contains(line, []byte("NaN")) || bytes.Contains(line, []byte("Infinity"))) {
			hint = "; JSON has null, and neither NaN nor Infinity"
		}
		err = fmt.Errorf("not a JSON object with a document: %w%s", err, hint)
	}
	return d, err
}

func (o *Options) readRecord(line []byte) (*Document, error) {
	var r record
	if err := r.parse(line); err != nil {
		return nil, err
	}
	class, texts, id, err := o.roles(r.keys)
	if err != nil {
		return nil, err
	}
	values := find(r.keys, "attributes")
	if len(texts) == 0 && values < 0 {
		return nil, fmt.Errorf("%w, and no \"attributes\" with values", &NoColumnError{"text", "text", r.keys})
	}
	var errs [5]error
	d := &Document{}
	at := find(r.keys, "time")
	for i, key := range r.keys {
		if d.UnreadKey == "" && i != class && i != id && i != at && i != values && !slices.Contains(texts, i) {
			d.UnreadKey = key
		}
	}
	d.Content, errs[0] = r.texts(texts)
	d.Class, errs[1] = r.label(class, true)
	d.ID, errs[2] = r.label(id, false)
	d.Time, errs[3] = r.time(at)
	d.Attributes, errs[4] = r.attributes(values)
	return d, cmp.Or(errs[:]...)
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

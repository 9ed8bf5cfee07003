// Package terminal writes results for people and for programs: tables, numbers, progress
// bars, JSON lines, and text made safe for a terminal.
package terminal

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Streams are the three standard streams of a command, and how much it prints to them.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Quiet          bool  // print only errors, neither results nor notes
	Verbose        bool  // print more
	JSON           bool  // print results as JSON, one object a line
	Lost           error // why something that Printf printed is lost, as on a full disk; nil if nothing is
}

// Printf prints a result to Stdout, unless s is quiet.
func (s *Streams) Printf(format string, args ...any) {
	if !s.Quiet {
		_, err := fmt.Fprintf(s.Stdout, format, args...)
		s.Lost = cmp.Or(s.Lost, err)
	}
}

// Note prints a note to Stderr, unless s is quiet.
func (s *Streams) Note(err error) {
	if !s.Quiet {
		fmt.Fprintf(s.Stderr, "note: %s\n", Printable(err.Error()))
	}
}

// EncodeJSON prints v to Stdout as one line of JSON, unless s is quiet.
func (s *Streams) EncodeJSON(v any) error {
	if s.Quiet {
		return nil
	}
	line, err := JSONLine(v)
	if err == nil {
		_, err = s.Stdout.Write(line)
	}
	return err
}

// Result prints a result as JSON if that is asked for, or else by print; nothing if s is quiet.
func (s *Streams) Result(v any, print func() error) error {
	return Results(s, []any{v}, print)
}

// Results prints each of list as JSON if that is asked for, or else all by print; nothing if s is
// quiet.
func Results[T any](s *Streams, list []T, print func() error) error {
	if !s.JSON && !s.Quiet {
		return print()
	}
	for i := range list {
		if err := s.EncodeJSON(list[i]); err != nil {
			return err
		}
	}
	return nil
}

// JSONLine returns v as a line of JSON. It does not escape for HTML, but it escapes
// everything unsafe on a terminal: control characters of any kind, and bidirectional
// overrides.
func JSONLine(v any) ([]byte, error) {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return printableJSON(w.Bytes()), err
}

// printableJSON escapes unprintable characters, which occur only in JSON strings.
func printableJSON(line []byte) []byte {
	if IsPrintable(string(bytes.TrimSuffix(line, []byte("\n")))) {
		return line
	}
	var b []byte
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		switch {
		case r == '\n' || unicode.IsPrint(r):
			b = append(b, line[:n]...)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		}
		line = line[n:]
	}
	return b
}

// ExactPath returns the base64 of a path that is not UTF-8, which JSON cannot hold, and
// "" for any other.
func ExactPath(path string) string {
	if utf8.ValidString(path) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(path))
}

// AppendString appends s as a JSON string, without escaping for HTML.
func AppendString(b []byte, s string) []byte {
	text, _ := JSONLine(s) // strings always encode
	return append(b, bytes.TrimSuffix(text, []byte("\n"))...)
}

// AppendNumber appends a number that reads back exactly, or null for infinities and NaN,
// which JSON lacks.
func AppendNumber(b []byte, x float64) []byte {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return append(b, "null"...)
	}
	if x == 0 {
		x = 0 // rather than -0
	}
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(b, x, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, x, 'f', -1, 64)
}

// Number is a float64 whose JSON is null for infinities and NaN.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) { return AppendNumber(nil, float64(n)), nil }

// Share is a Number between 0 and 1.
type Share float64

// MarshalJSON implements json.Marshaler.
func (s Share) MarshalJSON() ([]byte, error) { return Number(s).MarshalJSON() }

// String returns it in percent.
func (s Share) String() string { return fmt.Sprintf("%.2f", 100*float64(s)) }

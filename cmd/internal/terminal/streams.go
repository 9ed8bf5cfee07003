// Package terminal writes results for people and for programs: tables, numbers, progress
// bars, JSON lines, and text made safe for a terminal.
package terminal

import (
	"cmp"
	"fmt"
	"io"
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

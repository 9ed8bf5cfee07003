package config

import (
	"fmt"
	"io/fs"
	"math"
	"strconv"

	"github.com/polya-classifier/polya/internal/numeric"
)

// Size is a number of bytes, written as "64 MiB" or 67108864.
type Size int64

// UnmarshalText reads a size.
func (s *Size) UnmarshalText(text []byte) error {
	n, err := numeric.Bytes(string(text))
	if err != nil || n > math.MaxInt {
		return fmt.Errorf("%q is no size: want one as \"64 MiB\"", text)
	}
	*s = Size(n)
	return nil
}

// Mode is the permissions of a socket, written as "0660".
type Mode fs.FileMode

// UnmarshalText reads a mode.
func (m *Mode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 9)
	if err != nil {
		return fmt.Errorf("%q is no mode of a socket: want one as \"0660\"", text)
	}
	*m = Mode(n)
	return nil
}

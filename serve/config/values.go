package config

import (
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/serve/engine"
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

// options returns the engine's options about users with databases.
func (u *Users) options() engine.Users {
	o := engine.Users{Path: u.Path, MaxOpen: u.MaxOpen}
	if u.StripDomain {
		o.Name = func(user string) string {
			name, _, _ := strings.Cut(user, "@")
			return strings.ToLower(name)
		}
	}
	if u.Pattern == "" && u.Names == nil {
		return o
	}
	var pattern *regexp.Regexp
	if u.Pattern != "" {
		pattern = regexp.MustCompile("^(?:" + u.Pattern + ")$") // check has compiled it
	}
	// Root's spamc names root, and means everybody's database rather than one of his own.
	o.Known = func(name string) bool {
		return slices.Contains(u.Names, name) || pattern != nil && pattern.MatchString(name) && name != "root"
	}
	return o
}

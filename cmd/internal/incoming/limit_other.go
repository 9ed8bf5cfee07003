//go:build !linux

package incoming

import "io"

// Limit returns how much of a message is kept in memory and classified, in bytes.
func Limit() int { return maxMessage }

func direct(in io.Reader, out io.Writer) (io.Reader, io.Writer) { return in, out }

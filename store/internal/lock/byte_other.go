//go:build !linux || android

package lock

import (
	"errors"
	"os"
	"time"
)

const (
	writer = iota
	turnstile
	claim
	queue
)

// supported returns false: there are no locks of open file descriptions here. The
// system's locks belong to a process, which loses them when it closes any descriptor of
// the same file.
func supported(*os.File) bool { return false }

func tryByte(*os.File, int64, bool) error             { return errors.ErrUnsupported }
func waitByte(*os.File, int64, bool, time.Time) error { return errors.ErrUnsupported }
func unlockByte(*os.File, int64)                      {}
func heldByte(*os.File, int64, bool) bool             { return false }

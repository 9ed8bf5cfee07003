//go:build unix

package file

import "syscall"

// errReadOnlyFS is what opening a file for writing gives on a read-only mount.
var errReadOnlyFS error = syscall.EROFS

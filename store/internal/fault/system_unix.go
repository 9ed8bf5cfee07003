//go:build unix

package fault

import "syscall"

// errReadOnlyFS is what opening a file for writing gives on a read-only mount.
var errReadOnlyFS error = syscall.EROFS

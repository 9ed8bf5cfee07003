//go:build !unix

package fault

import "io/fs"

// errReadOnlyFS is what opening a file for writing gives on a read-only mount.
var errReadOnlyFS = fs.ErrPermission

//go:build !unix

package file

import "io/fs"

// errReadOnlyFS is what opening a file for writing gives on a read-only mount.
var errReadOnlyFS = fs.ErrPermission

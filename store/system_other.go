//go:build !unix

package store

import "io/fs"

// errReadOnlyFS is what opening a file for writing gives on a read-only mount.
var errReadOnlyFS = fs.ErrPermission

// sameOwner has nothing to do where a file inherits its owner.
func sameOwner(string, fs.FileInfo) error { return nil }

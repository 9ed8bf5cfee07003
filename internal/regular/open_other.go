//go:build !unix

package regular

import "os"

// OpenFile is os.OpenFile for a regular file.
func OpenFile(path string, flag int, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}

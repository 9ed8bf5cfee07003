//go:build !unix

package file

import (
	"errors"
	"os"
)

// createUnnamed cannot make a file without a name here.
func createUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// TempFolder makes a new folder in $TMPDIR and returns its path. Its name begins with prefix.
// The error says where it cannot be made, and what to do.
func TempFolder(prefix string) (string, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err == nil {
		return dir, nil
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return "", fmt.Errorf("%s: no temporary folder can be made there: %w; set TMPDIR to a folder that can be written", os.TempDir(), err)
}

//go:build !unix

package terminal

import "os"

// Ready reports whether some lines can be written to f without waiting for who reads them,
// which is not known here.
func Ready(*os.File) bool { return false }

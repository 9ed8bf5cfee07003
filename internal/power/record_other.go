//go:build !(linux && amd64)

package power

import "os/exec"

// Record returns ErrUnsupported.
func Record(*exec.Cmd, string, Options) (*Recording, error) { return nil, ErrUnsupported }

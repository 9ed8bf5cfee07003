//go:build !linux

package client

import "net"

// trusted relies on the permissions of the folder.
func trusted(*net.UnixConn, string) error { return nil }

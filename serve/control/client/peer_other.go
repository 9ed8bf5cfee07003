//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package client

// trusted leaves it to the permissions of the folder who listens.
func trusted(int, string) error { return nil }

//go:build !linux

package memory

// Bound does nothing where the address space is seldom limited.
func Bound() {}

//go:build !linux

package command

// boundMemory does nothing where the address space is seldom limited.
func boundMemory() {}

//go:build !linux

package main

// boundMemory does nothing where the address space is seldom limited.
func boundMemory() {}

//go:build !amd64

package crc32c

func instruction(sum uint32, data []byte) uint32 { return update(sum, data) }

func hasInstruction() bool { return false }

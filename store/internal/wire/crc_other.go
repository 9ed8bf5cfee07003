//go:build !amd64

package wire

const hasInstruction = false // hash/crc32 needs no tables here that take long

func instruction(uint32, []byte) uint32 { panic("wire: no instruction") }

package crc32c

// instruction is update by the processor's own instruction, which takes no tables: eight
// bytes in three cycles.
//
//go:noescape
func instruction(sum uint32, data []byte) uint32

// features is what CPUID says in register C for leaf 1.
func features() uint32

// hasInstruction reports whether the processor has SSE 4.2.
func hasInstruction() bool { return features()>>20&1 != 0 }

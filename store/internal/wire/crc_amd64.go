package wire

// instruction is Sum with the processor's CRC-32C instruction, which needs no tables:
// eight bytes in three cycles.
//
//go:noescape
func instruction(sum uint32, data []byte) uint32

// features returns register C of CPUID for leaf 1.
func features() uint32

// hasInstruction is whether the processor has SSE 4.2.
var hasInstruction = features()>>20&1 != 0

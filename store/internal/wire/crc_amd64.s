#include "textflag.h"

// func instruction(sum uint32, data []byte) uint32
TEXT ·instruction(SB), NOSPLIT, $0-36
	MOVL sum+0(FP), AX
	MOVQ data_base+8(FP), SI
	MOVQ data_len+16(FP), CX
	NOTL AX
	MOVQ CX, DX
	SHRQ $3, DX
	JZ   rest

word:
	CRC32Q (SI), AX
	ADDQ   $8, SI
	DECQ   DX
	JNZ    word

rest:
	ANDQ $7, CX
	JZ   done

one:
	CRC32B (SI), AX
	INCQ   SI
	DECQ   CX
	JNZ    one

done:
	NOTL AX
	MOVL AX, ret+32(FP)
	RET

// func features() uint32
TEXT ·features(SB), NOSPLIT, $0-4
	MOVL $1, AX
	XORL CX, CX
	CPUID
	MOVL CX, ret+0(FP)
	RET

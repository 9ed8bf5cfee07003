package passing

import "syscall"

// Limit is how much of a message is kept in memory, in bytes, and looked at for an answer.
// It is less where the address space is limited, as mail servers limit that of
// the programs that they start.
func Limit() int {
	var space syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) == nil && space.Cur < 4<<30 {
		return maxMessage / 8
	}
	return maxMessage
}

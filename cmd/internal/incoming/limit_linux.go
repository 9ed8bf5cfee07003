package incoming

import "syscall"

// Limit returns how much of a message is kept in memory and classified, in bytes. It is
// less if the address space is limited, as mail servers do for programs that they start.
func Limit() int {
	var space syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) == nil && space.Cur < 4<<30 {
		return maxMessage / 8
	}
	return maxMessage
}

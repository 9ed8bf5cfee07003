// Package stack makes the first goroutine's stack as large as an answer about a
// message needs it when it is imported. It imports nothing, so that it is initialised
// before nearly everything else, while next to nothing is on the stack. Else the stack
// doubles again and again below ever more calls, all of which are moved each time: a
// twentieth of the time of an answer.
package stack

func init() { room(false) }

// room has a large frame. The stack grows for a call of it, whether or not the frame is
// used: it is not, since that would cost memory.
//
//go:noinline
func room(used bool) byte {
	if used {
		var frame [48 << 10]byte
		return last(&frame)
	}
	return 0
}

// last has the frame be one of the stack.
//
//go:noinline
func last(frame *[48 << 10]byte) byte { return frame[len(frame)-1] }

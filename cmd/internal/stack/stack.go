// Package stack grows the first goroutine's stack to the size that answering a message
// needs, while it is being imported. It imports nothing, so that it is initialised before
// nearly everything else, while the stack is almost empty. Otherwise the stack doubles
// several times under more and more frames, and copies them each time: a twentieth of the
// time of an answer.
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

// last keeps the frame on the stack.
//
//go:noinline
func last(frame *[48 << 10]byte) byte { return frame[len(frame)-1] }

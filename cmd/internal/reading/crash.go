package reading

import "runtime/debug"

// Crash is a panic and where it happened, on its way from its goroutine to main.
type Crash struct {
	Value any
	Stack []byte
}

// Catch calls work and returns the panic in it, nil if there was none. A panic with a
// *Crash, which another goroutine has caught, keeps the stack of that goroutine.
func Catch(work func()) (c *Crash) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *Crash:
			c = value
		default:
			c = &Crash{value, debug.Stack()}
		}
	}()
	work()
	return nil
}

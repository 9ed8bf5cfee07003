package lock

import "os"

// Claim takes a lock of its own on the file at path, for as long as the process lives or
// until release. It does not wait: ErrTimeout says that another has it. Where there are
// no such locks everybody gets it.
func Claim(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if supported(f) {
		if err := tryByte(f, claim, true); err == errBusy {
			f.Close()
			return nil, ErrTimeout
		}
	}
	return func() {
		unlockByte(f, claim) // a process that is being started may have the file too
		f.Close()
	}, nil
}

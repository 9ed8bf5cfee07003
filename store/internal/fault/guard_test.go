package fault_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// A panic of bbolt is an error, also where the caller's own code has recovered and repeated it.
func TestGuard(t *testing.T) {
	read := func(again bool) (err error) {
		defer fault.Guard(&err, "f")()
		if again {
			defer func() { panic(recover()) }()
		}
		(*bbolt.Bucket)(nil).Get(nil)
		return nil
	}
	for _, again := range []bool{false, true} {
		if _, damaged := errors.AsType[*fault.Error](read(again)); !damaged {
			t.Errorf("repeated %v: no error of damage", again)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("another panic was taken for damage")
		}
	}()
	var err error
	defer fault.Guard(&err, "")()
	panic("ours")
}

// A file that may not grow is no full disk: to free space helps as little as to try again.
func TestAdviseOfTooLarge(t *testing.T) {
	for e, want := range map[syscall.Errno]string{syscall.EFBIG: "raise the limit", syscall.ENOSPC: "free some space"} {
		if err := fault.Advise(e); !errors.Is(err, e) || !strings.Contains(err.Error(), want) || !fault.Full(err) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

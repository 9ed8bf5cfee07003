// Package harness has what the measures of this module share: how a measure fails, how
// it reads and cuts corpora, how it runs programs and daemons and takes their times, and
// how it sums up numbers.
//
// A measure that fails has no figure, so nothing is gained by handing errors from
// function to function: Check ends the measure by a panic that Try turns back into an
// error. Deferred functions, which end daemons and remove files, run on the way.
package harness

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// failure is the error with which a measure ends.
type failure struct{ error }

// Check ends the measure if err is not nil.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must returns x. It ends the measure if err is not nil.
func Must[T any](x T, err error) T {
	Check(err)
	return x
}

// Failf ends the measure with an error.
func Failf(format string, args ...any) { Check(fmt.Errorf(format, args...)) }

// Try calls f and returns the error with which it ended.
func Try(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			failed, ours := p.(failure)
			if !ours {
				panic(p)
			}
			err = failed.error
		}
	}()
	f()
	return nil
}

// Each calls f(0) to f(n-1), so many at a time. It stops and ends the measure at the
// first failure.
func Each(n, atATime int, f func(i int)) {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	for range atATime {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				if err := Try(func() { f(i) }); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		Check(*err)
	}
}

// Package salvage reads the documents in a damaged database file that can be learned again.
// It trusts only values whose checksum over key and value is correct.
package salvage

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
)

// Report lists the results of a repair.
type Report struct {
	Rebuilt []string      // what was rebuilt, in words
	Lost    []string      // what could not be saved, in words; none if nothing is lost
	Missing []count.DocID // documents known only to have been learned
}

// ErrNotRepaired is returned when too little is left to make a database that can be trusted.
var ErrNotRepaired = errors.New("it cannot be repaired")

func errNothing() error { return notRepaired("no document is left whose counts the ledger keeps") }

func (r *Report) rebuilt(format string, args ...any) {
	r.Rebuilt = append(r.Rebuilt, fmt.Sprintf(format, args...))
}

func (r *Report) lost(format string, args ...any) {
	r.Lost = append(r.Lost, fmt.Sprintf(format, args...))
}

// notRepaired returns an ErrNotRepaired that says what is missing.
func notRepaired(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrNotRepaired)
}

// some says how many there are of what.
func some[N int | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

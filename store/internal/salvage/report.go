// Package salvage reads the sound data of a damaged database file, for a new one: as documents
// to be learned again, by Learned, or as the sums of its tables, by Sums.
// It trusts only values whose checksum over key and value is correct.
package salvage

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
)

// Report lists the results of a repair.
type Report struct {
	Rebuilt []string      // what is rebuilt, in words
	Lost    []string      // what cannot be saved, in words
	Missing []count.DocID // documents known only to have been learned
}

// ErrNotRepaired is returned when too little is left to make a database that can be trusted.
var ErrNotRepaired = errors.New("it cannot be repaired")

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

func documents[N int | uint64](n N) string {
	if n == 1 {
		return "1 document"
	}
	return fmt.Sprintf("%d documents", n)
}

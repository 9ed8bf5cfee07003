// Package salvage reads what is left of a damaged database file, and writes it into a new
// one: as a database whose tables are kept, by Plan, or as the documents to be learned
// again, by Learned. It trusts only values whose checksum over key and value is correct.
package salvage

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
)

// Report says what becomes of what was in a damaged file.
type Report struct {
	Rebuilt []string      // what is made anew, in words
	Lost    []string      // what cannot be saved, in words
	Missing []count.DocID // documents of which it is known only that they had been learned
}

// ErrNotRepaired is returned when too little is left to make a database that can be trusted.
var ErrNotRepaired = errors.New("it cannot be repaired")

func (r *Report) rebuilt(format string, args ...any) {
	r.Rebuilt = append(r.Rebuilt, fmt.Sprintf(format, args...))
}

func (r *Report) lost(format string, args ...any) {
	r.Lost = append(r.Lost, fmt.Sprintf(format, args...))
}

// notRepaired says what is missing.
func notRepaired(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrNotRepaired)
}

func documents[N int | uint64](n N) string {
	if n == 1 {
		return "1 document"
	}
	return fmt.Sprintf("%d documents", n)
}

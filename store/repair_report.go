package store

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
)

// report says what becomes of what was in a damaged file.
type report struct {
	Rebuilt []string      // what is made anew, in words
	Lost    []string      // what cannot be saved, in words
	Missing []count.DocID // documents of which it is known only that they had been learned
}

// errNotRepaired is returned when too little is left of a file.
var errNotRepaired = errors.New("it cannot be repaired")

func (r *report) rebuilt(format string, args ...any) {
	r.Rebuilt = append(r.Rebuilt, fmt.Sprintf(format, args...))
}

func (r *report) lost(format string, args ...any) {
	r.Lost = append(r.Lost, fmt.Sprintf(format, args...))
}

// notRepaired says what is missing.
func notRepaired(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), errNotRepaired)
}

// documents writes a number of them.
func documents[N int | uint64](n N) string {
	if n == 1 {
		return "1 document"
	}
	return fmt.Sprintf("%d documents", n)
}

package reading

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
)

// Troubles are errors that did not stop a command.
type Troubles []error

// Error implements error.
func (t Troubles) Error() string { return errors.Join(t...).Error() }

// Unwrap lets errors.Is and errors.As look at each.
func (t Troubles) Unwrap() []error { return t }

// OrNil returns the troubles as an error, nil if there are none.
func (t Troubles) OrNil() error {
	if len(t) == 0 {
		return nil
	}
	return t
}

// InRowOrder returns errors grouped by file and in order of their lines: errors in the
// syntax and in the content of rows are found at different times. All others keep their
// places.
func InRowOrder(errs []error) []error {
	// The beginning of an error about a line or a row: path and number.
	rowError := regexp.MustCompile(`^(.+?):(\d+): `)
	type place struct{ file, line int }
	files := map[string]int{}
	places := make([]place, len(errs))
	for i, err := range errs {
		places[i] = place{file: i}
		m := rowError.FindStringSubmatch(err.Error())
		if m == nil {
			continue
		}
		if _, known := files[m[1]]; !known {
			files[m[1]] = i
		}
		line, _ := strconv.Atoi(m[2])
		places[i] = place{files[m[1]], line}
	}
	order := make([]int, len(errs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if places[a].file != places[b].file {
			return places[a].file - places[b].file
		}
		return places[a].line - places[b].line
	})
	sorted := make([]error, len(errs))
	for i, k := range order {
		sorted[i] = errs[k]
	}
	return sorted
}

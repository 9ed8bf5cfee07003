package corpus

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// look is what a cell of a table looks like.
type look int

const (
	missing look = iota
	number
	yesNo
	words
)

// lookOf tells what a cell, without white space at its ends, looks like. What has the
// form of a number but cannot be counted, such as 1e999 or inf, is a number: a column
// of numbers with such a cell is not one of words.
func lookOf(cell string) look {
	switch strings.ToLower(cell) {
	case "", "?", "-", "na", "n/a", "nan", "none", "null":
		return missing
	case "yes", "no", "true", "false":
		return yesNo
	case "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity":
		return number
	}
	if isDecimal(cell) {
		return number
	}
	return words
}

// isDecimal reports whether s is a number as spreadsheets write it: digits, perhaps with
// a sign, a point and an exponent. strconv.ParseFloat reads more than that.
func isDecimal(s string) bool {
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// sees brings the look of a column up to that of another cell, in the row of that line.
// So many cells are sampled.
func (c *column) sees(cell string, line, sampled int) {
	l := lookOf(cell)
	if l != missing {
		c.sample.add(cell, sampled)
	}
	switch {
	case l == missing:
	case l == number:
		c.cells++
		c.numbers++
	default:
		if c.cells == c.numbers {
			c.other, c.line = strings.Clone(cell[:min(len(cell), maxShown)]), line
		}
		c.cells++
	}
	switch {
	case l == missing || l == c.look:
	case c.look == missing:
		c.look = l
	default:
		c.look = words
	}
}

// maxShown is how much of a cell is kept to be shown: each column may have one, of a
// row as long as rows may be.
const maxShown = 200

// valueError says what is wrong with values where the line or row that they stand in
// can be read.
type valueError string

func (e valueError) Error() string { return string(e) }

func badValue(format string, args ...any) error { return valueError(fmt.Sprintf(format, args...)) }

// value returns what a cell says, nil if that is nothing.
func (c *column) value(cell string) (any, error) {
	l := lookOf(cell)
	switch {
	case l == missing:
		return nil, nil
	case c.look == words:
		return cell, nil
	case l != c.look:
		return nil, badValue("column %.40q: %.40q was not there before: the file changes while it is read", c.name, cell)
	case l == yesNo:
		return strings.EqualFold(cell, "yes") || strings.EqualFold(cell, "true"), nil
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsInf(x, 0) {
		return nil, badValue("column %.40q: %.40s is beyond the numbers that can be counted", c.name, cell)
	}
	return x, nil
}

// Value reads one cell by its own look: a float64, a bool or a string, or nil for what
// says nothing. The error is for a number that cannot be counted.
func Value(cell string) (any, error) {
	cell = strings.TrimSpace(cell)
	c := column{look: lookOf(cell)}
	v, err := c.value(cell)
	if err != nil {
		return nil, fmt.Errorf("%.40s is beyond the numbers that can be counted", cell)
	}
	return v, nil
}

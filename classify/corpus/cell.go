package corpus

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// look is the kind of value that a cell of a table looks like.
type look int

const (
	missing look = iota
	number
	yesNo
	words
)

// lookOf returns the look of a cell without white space at its ends. A cell in the form
// of a number that cannot be counted, such as 1e999 or inf, is a number: it does not turn
// a column of numbers into one of strings.
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

// numeral returns a number that has a decimal comma, thousands parted by another mark than its
// decimals, or the sign of a currency or % at an end, as strconv reads it; any other cell as it is.
// A comma is a decimal one in a table parted by semicolons, by tabs unless it may part thousands,
// and else before two digits, as in sums of money.
func numeral(cell string, separator byte) string {
	signless := strings.TrimLeft(cell, "+-") // -$5
	number := cell[:len(cell)-len(signless)] + strings.TrimFunc(signless, func(r rune) bool { return r == '%' || unicode.In(r, unicode.Sc, unicode.Zs) })
	if at := strings.LastIndexAny(number, ".,"); at >= 0 {
		whole, fraction := number[:at], number[at+1:]
		decimal := number[at] == ',' && (separator == ';' || len(fraction) == 2 || separator == '\t' && (len(fraction) != 3 || strings.Trim(whole, "+-0") == ""))
		unsigned := strings.TrimLeft(whole, "+-")
		if first := strings.IndexFunc(unsigned, func(r rune) bool { return r < '0' || r > '9' }); first >= 0 {
			mark, _ := utf8.DecodeRuneInString(unsigned[first:])
			if first == 0 || first > 3 || byte(mark) == number[at] || !strings.ContainsRune(".,'’ \u00a0\u202f", mark) {
				return cell
			}
			groups := strings.Split(whole, string(mark))
			if slices.ContainsFunc(groups[1:], func(s string) bool { return len(s) != 3 }) {
				return cell
			}
			whole, decimal = strings.Join(groups, ""), true
		}
		if decimal {
			number = whole + "." + fraction
		}
	}
	if number != cell && isDecimal(number) {
		return number
	}
	return cell
}

// sees updates the look of a column with another cell, in the row of this line. sampled
// cells are sampled.
func (c *column) sees(cell string, line, sampled int) {
	l := lookOf(cell)
	if l != missing {
		if c.Sampled < sampled {
			c.sampled(cell)
		}
		if l == number {
			c.Numbers++
		} else if c.Cells == c.Numbers {
			c.Other, c.Line = strings.Clone(cell[:min(len(cell), maxShown)]), line
		}
		c.Cells++
	}
	switch {
	case l == missing || l == c.look:
	case c.look == missing:
		c.look = l
	default:
		c.look = words
	}
}

// maxShown is how much of a cell is kept for messages: each column may keep one, from a
// row of any allowed length.
const maxShown = 200

// valueError is an error about values in a line or row that can be read.
type valueError string

func (e valueError) Error() string { return string(e) }

func badValue(format string, args ...any) error { return valueError(fmt.Sprintf(format, args...)) }

// value returns the value of a cell, nil if it has none.
func (c *column) value(cell string) (any, error) {
	l := lookOf(cell)
	switch {
	case l != missing && c.look == words:
		return cell, nil
	case l != missing && l != c.look:
		return nil, badValue("column %.40q: %.40q was not there before: the file changes while it is read", c.Name, cell)
	}
	v, err := l.value(cell)
	if err != nil {
		return nil, badValue("column %.40q: %v", c.Name, err)
	}
	return v, nil
}

// Value reads one cell by its own look: a float64, a bool or a string, or nil for a
// missing value. The error is for a number that cannot be counted.
func Value(cell string) (any, error) {
	cell = strings.TrimSpace(cell)
	return lookOf(cell).value(cell)
}

// value returns the value of a cell that looks so.
func (l look) value(cell string) (any, error) {
	switch l {
	case missing:
		return nil, nil
	case words:
		return cell, nil
	case yesNo:
		return strings.EqualFold(cell, "yes") || strings.EqualFold(cell, "true"), nil
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsInf(x, 0) {
		return nil, fmt.Errorf("%.40s is beyond the numbers that can be counted", cell)
	}
	return x, nil
}

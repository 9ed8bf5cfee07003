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
	case "", "?", "-", "na", "n/a", "#n/a", "<na>", "n.a.", "nan", "none", "null":
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

// numeral returns a number that has a decimal comma, parted thousands, a minus as bookkeepers write
// it, or the sign of a currency or % at an end, as strconv reads it; any other cell as it is.
func numeral(cell string, separator byte) (string, form) {
	sign, number, known := unsigned(cell)
	mark, fraction, f := rune(0), "", form(0)
	if at := strings.LastIndexAny(number, ".,"); at >= 0 {
		number, mark, fraction = number[:at], rune(number[at]), number[at+1:]
	}
	switch parted := strings.IndexFunc(number, notDigit); {
	case parted > 0 && mark == 0 && number[parted]|0x20 == 'e': // 1e5
	case parted >= 0:
		number, f = grouped(number, parted, mark, fraction)
	case mark != 0:
		number, f = marked(number, mark, fraction, separator)
	case len(number) > 15 || len(number) > 1 && number[0] == '0':
		f = code
	case len(number) > 3:
		f = thousands
	default:
		f = hundreds
	}
	if number = sign + number; known && (number == cell || isDecimal(number)) {
		return number, f
	}
	return cell, 0
}

// unsigned cuts a cell into its sign, as strconv reads it, and what lies from its first digit or mark
// to the last. Around these known cells have a sign, spaces, % and the sign of a currency alone.
func unsigned(cell string) (sign, number string, known bool) {
	const digits, longest = ".,0123456789", 32 // bytes before and after them, as in "(−€   4.00)"
	start, end := strings.IndexAny(cell, digits), strings.LastIndexAny(cell, digits)+1
	if start < 0 || start > longest || len(cell)-end > longest {
		return "", "", false
	}
	sign, known = signs[strings.Map(func(r rune) rune {
		if r == '%' || unicode.In(r, unicode.Sc, unicode.Zs) {
			return -1
		}
		return r
	}, cell[:start]+"#"+cell[end:])]
	return sign, cell[start:end], known
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// grouped joins the groups of three digits of a number whose first one ends at parted, "" if they are
// none. The mark before the last digits may part a group, too: 1,234,567.
func grouped(number string, parted int, mark rune, fraction string) (string, form) {
	by, _ := utf8.DecodeRuneInString(number[parted:])
	groups, f := strings.Split(number, string(by)), decimals[mark]
	if by == mark {
		groups, mark, f = append(groups, fraction), 0, 0
	}
	if parted == 0 || parted > 3 || !strings.ContainsRune(".,'’   ", by) || mark == 0 && by == ' ' ||
		slices.ContainsFunc(groups[1:], func(s string) bool { return len(s) != 3 }) {
		return "", 0
	}
	if number = strings.Join(groups, ""); mark != 0 {
		number += "." + fraction
	}
	return number, f | decimals[by]<<2
}

// marked reads a number with one mark, "" if that means nothing here. A comma is decimal in a table
// parted by semicolons. In others it is where it cannot part thousands, but between commas only before
// two or three digits; where it can, it does between commas alone.
func marked(whole string, mark rune, fraction string, separator byte) (string, form) {
	f, either := decimals[mark], len(fraction) == 3 && strings.IndexFunc(fraction, notDigit) < 0 && len(whole) > 0 && len(whole) < 4 && whole[0] != '0'
	switch {
	case f == comma && either && separator == ',':
		return whole + fraction, commas
	case f == comma && separator != ';' && (either || separator != '\t' && len(fraction) != 2 && len(fraction) != 3):
		return "", 0
	case f == point && either && separator == ';': // where decimals usually have commas
		f = pointOr | hundreds
	case either:
		f <<= 1
	}
	return whole + "." + fraction, f
}

// sees updates the look of a column with another cell, in the row of this line. sampled
// cells are sampled.
func (c *column) sees(cell string, separator byte, line, sampled int) {
	read, f := numeral(cell, separator)
	l := lookOf(read)
	if l == missing {
		return
	}
	if c.Sampled < sampled {
		c.sampled(read)
	}
	first := c.Cells == c.Numbers // that is no number
	if l == number && !(c.forms | f).clash() {
		first = c.Other == "" && f.has(commaOr|pointOr|code)
		c.Numbers, c.forms = c.Numbers+1, c.forms|f
	} else if l == number {
		l = words
	}
	if c.Cells++; first {
		c.Other, c.Line = strings.Clone(cell[:min(len(cell), maxShown)]), line
	}
	if c.look == missing {
		c.look = l
	} else if c.look != l {
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

// Package dates reads the dates of messages.
package dates

import (
	"bytes"
	"strings"
	"time"
)

// maxDate is the length beyond which a text is no date. Dates with a comment have some 50 bytes.
const maxDate = 128

// Parse reads a date with a time of day, as in the field Date of a message (RFC 5322 section 3.3) or
// before a message in an mbox (RFC 4155), in the zone that it names as an offset, or else in UTC.
// The name of the day, which senders get wrong, does not matter. ok is false if the text is none.
//
// QUIRK: RFC 5322 section 3.3: the parts may come in any order, as in ctime, or with the zone
// before the year; each is recognised by its form.
func Parse(text []byte) (at time.Time, ok bool) {
	text, _, _ = bytes.Cut(text, []byte("("))
	if len(text) > maxDate {
		return at, false
	}
	day, month, year := 0, 0, -1
	var clock [3]int
	timed, zone := false, time.UTC
	for word := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r <= ' ' }) {
		switch n, digits := decimal(word); {
		case digits && len(word) <= 2 && day == 0:
			day = n
		case digits && year < 0:
			year = fullYear(n, len(word))
		case !timed && bytes.IndexByte(word, ':') > 0:
			clock, timed = clockOf(word)
		case len(word) == len("+0100") && (word[0] == '+' || word[0] == '-'):
			if n, digits := decimal(word[1:]); digits {
				seconds := n/100*3600 + n%100*60
				if word[0] == '-' {
					seconds = -seconds
				}
				zone = time.FixedZone("", seconds)
			}
		case month == 0:
			month = monthNamed(word)
		}
	}
	at = time.Date(year, time.Month(month), day, clock[0], clock[1], min(clock[2], 59), 0, zone)
	return at, timed && month > 0 && year >= 0 && day > 0 && at.Day() == day
}

// fullYear returns a year written with that many digits: RFC 5322 section 4.3.
func fullYear(n, digits int) int {
	switch {
	case digits >= 4:
		return n
	case digits == 2 && n < 50:
		return 2000 + n
	}
	return 1900 + n
}

// clockOf reads hh:mm or hh:mm:ss.
func clockOf(word []byte) (clock [3]int, ok bool) {
	parts := bytes.Split(word, []byte(":"))
	if len(parts) < 2 || len(parts) > 3 {
		return clock, false
	}
	for i, part := range parts {
		n, digits := decimal(part)
		if !digits || len(part) > 2 || n > [...]int{23, 59, 60}[i] {
			return clock, false
		}
		clock[i] = n
	}
	return clock, true
}

// decimal reads a number of up to 4 digits.
func decimal(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, 0 < len(b) && len(b) <= 4
}

// monthNamed returns 1 for Jan or January to 12, 0 if the word is not a month.
func monthNamed(word []byte) int {
	for m := time.January; m <= time.December; m++ {
		if name := m.String(); len(word) >= 3 && len(word) <= len(name) && strings.EqualFold(string(word[:3]), name[:3]) {
			return int(m)
		}
	}
	return 0
}

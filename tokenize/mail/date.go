package mail

import (
	"bytes"
	"time"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// maxDate is the longest Date that is read. Dates with a comment have some 50 bytes.
const maxDate = 128

// clock is the date and time of a message in its writer's own zone.
type clock struct {
	hour    int
	weekday time.Weekday
}

// parseDate reads the value of a Date field (RFC 5322 section 3.3). The zone does not
// matter, nor does the name of the day, which senders get wrong.
//
// QUIRK: RFC 5322 section 3.3: the parts may come in any order, as in ctime; each is
// recognised by its form.
func parseDate(value []byte) (c clock, ok bool) {
	value, _, _ = bytes.Cut(value, []byte("("))
	if len(value) > maxDate {
		return c, false
	}
	day, month, year, timed := 0, 0, -1, false
	for word := range bytes.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r <= ' ' }) {
		switch n, digits := decimal(word); {
		case digits && len(word) <= 2 && day == 0:
			day = n
		case digits && len(word) <= 4 && year < 0:
			year = fullYear(n, len(word))
		case !timed && bytes.IndexByte(word, ':') > 0:
			if c.hour, timed = hourOf(word); !timed {
				return c, false
			}
		case month == 0:
			month = monthNamed(word)
		}
	}
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	c.weekday = at.Weekday()
	return c, timed && month > 0 && year >= 0 && day > 0 && at.Day() == day
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

// hourOf returns the hour of hh:mm or hh:mm:ss.
func hourOf(word []byte) (hour int, ok bool) {
	h, rest, _ := bytes.Cut(word, []byte(":"))
	m, s, seconds := bytes.Cut(rest, []byte(":"))
	hour, ok = decimal(h)
	minute, minutes := decimal(m)
	if !ok || !minutes || hour > 23 || minute > 59 || len(m) > 2 {
		return 0, false
	}
	if second, ok := decimal(s); seconds && (!ok || second > 60) {
		return 0, false
	}
	return hour, true
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
		if name := m.String(); ascii.HasPrefix(word, name[:3]) && len(word) <= len(name) {
			return int(m)
		}
	}
	return 0
}

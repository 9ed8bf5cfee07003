package tokenize

import (
	"encoding/binary"
	"strconv"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// The word-break properties of UAX #29 that ASCII characters have, one bit each. Two are
// left out on purpose. Unicode 8 has the colon as MidLetter for Swedish abbreviations, but
// here it separates a field from its term, so no word may contain one. The underscore is
// ExtendNumLet, for names in programs, but words_joined_by_it are read as words, and so are
// counted as words.
const (
	letter = 1 << iota // ALetter
	digit              // Numeric
	mid                // MidNumLet and Single_Quote: inside letters, inside digits
	midNum             // MidNum: inside digits

	alnum = letter | digit
)

var class = asciiClasses()

func asciiClasses() (t [256]uint8) {
	for c := range t {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80:
			t[c] = letter
		case '0' <= c && c <= '9':
			t[c] = digit
		}
	}
	t['.'], t['\''] = mid, mid
	t[','], t[';'] = midNum, midNum
	return t
}

// wordASCII finds the first word of text at or after from, as UAX #29 breaks
// words, and whether it has digits. Text must be ASCII. Without a further word, start and
// end are equal.
func wordASCII(text []byte, from int) (start, end int, digits bool) {
	i := from
	for i < len(text) && class[text[i]]&alnum == 0 {
		i++
	}
	start = i
	for i < len(text) {
		n, some := ascii.Alphanumeric(text[i:])
		digits = digits || some
		if i += n; i == len(text) || !joins(class[text[i]], text, i) {
			break
		}
		i++
	}
	return start, i, digits
}

// joins reports whether the character of class c at i joins the characters on both sides:
// WB6 and WB7 for letters, WB11 and WB12 for digits.
func joins(c uint8, text []byte, i int) bool {
	if c == 0 || i+1 >= len(text) {
		return false
	}
	both := class[text[i-1]] & class[text[i+1]]
	return c == mid && both&alnum != 0 || c == midNum && both&digit != 0
}

func isASCII(text []byte) bool { return ascii.Prefix(text) == len(text) }

func (w *worker) ascii(text []byte) {
	w.levels[w.links].apart = 0
	w.asciiFrom(text, 0, len(text))
}

// asciiFrom counts the words and links that begin in text[start:end], which is all ASCII,
// and returns the end of the last one: a link may extend beyond.
func (w *worker) asciiFrom(text []byte, start, end int) int {
	apart := &w.levels[w.links].apart
	quick := w.plain && w.prefix == 0 && !w.pairs
	for start < end {
		if quick {
			if start = w.shortWords(text, start, end); start == end {
				break
			}
		}
		from, to, digits := wordASCII(text[:end], start)
		if from == to {
			break
		}
		if from >= *apart && (from+1 == end || class[text[from+1]]&alnum == 0) {
			*apart = w.rejoin(text, from)
		}
		start = to
		if c := text[from] | 0x20; c == 'h' || c == 'w' {
			if n := w.link(text, from, to); n > 0 {
				start = n
				continue
			}
		}
		w.asciiWord(text, from, to, digits)
	}
	return start
}

// shortWords counts words of at most eight letters from start on, and returns the place of
// anything else. It does the same as asciiFrom, with each word in a register.
func (w *worker) shortWords(text []byte, start, end int) int {
	for start+8 < end {
		if class[text[start]]&alnum == 0 {
			start++
			continue
		}
		word, n := ascii.Word(binary.LittleEndian.Uint64(text[start:]))
		behind := class[text[start+n]]
		if behind&alnum != 0 || joins(behind, text[:end], start+n) || word == wordHTTP || word == wordHTTPS {
			return start
		}
		if n == 1 && class[text[start]] == letter && (class[text[start+2]]&alnum == 0 || class[text[start+3]]&alnum == 0) {
			if _, next := gapAfter(text, start+1); next > 0 {
				return start // it may be of a word whose letters stand apart
			}
		}
		if n >= w.min {
			w.bag.addShort(word, n)
		}
		start += n
	}
	return start
}

// The beginnings of links, as ascii.Word returns them.
var wordHTTP, wordHTTPS = number([]byte("http")), number([]byte("https"))

// asciiWord counts the word of text from start to end. If it only has to be lowered, that
// costs less than looking it up.
func (w *worker) asciiWord(text []byte, start, end int, digits bool) {
	word := text[start:end]
	if digits && w.counted {
		if w.prefix == 0 {
			w.digits(word)
		}
		w.leet(word)
	}
	if len(word) > maxRunes {
		w.longASCII(word)
		return
	}
	term := w.buf[w.prefix : w.prefix+len(word)]
	ascii.Lower(w.buf[w.prefix:], text[start:], len(word))
	if !w.plain {
		w.form(term)
	} else if len(term) >= w.min {
		w.emit(len(term))
	}
}

// longASCII counts the pieces of an overlong word: words joined by dots are read as words.
func (w *worker) longASCII(word []byte) {
	for i := 0; i < len(word); {
		n := i
		for n < len(word) && class[word[n]]&alnum != 0 {
			n++
		}
		if 0 < n-i && n-i <= maxRunes {
			w.asciiWord(word, i, n, true)
		}
		i = n + 1
	}
}

const (
	// shortDigits is the length from which a run of digits is counted by its length. Runs of
	// one or two are days, hours and amounts, in texts of every class.
	shortDigits = 3

	// longDigits is the length that also stands for all longer ones, which are keys and serial
	// numbers: so there are at most 18 such terms.
	longDigits = 20
)

// digits counts the lengths of the runs of digits in an ASCII word, as "#11": telephone
// numbers, short codes and prices differ from one message to the next, and their lengths do
// not. No other term contains #.
func (w *worker) digits(word []byte) {
	run := 0
	for i := 0; i <= len(word); i++ {
		if i < len(word) && class[word[i]] == digit {
			run++
			continue
		}
		if run >= shortDigits {
			w.apart = strconv.AppendInt(append(w.apart[:0], '#'), int64(min(run, longDigits)), 10)
			w.bag.Add(w.apart)
		}
		run = 0
	}
}

const (
	// digitLetters are the letters that 0 to 9 stand for, if they do.
	digitLetters = "oi eas t  "

	// leastLeet and mostLeet are the lengths of words with digits for letters. Shorter ones
	// are names of things, such as mp3, w3c and A1GP, and longer ones keys.
	leastLeet, mostLeet = 5, 16
)

// leet counts the reading of an ASCII word in which digits stand for letters, as in "v1agra":
// each is between two letters, which are not all digits of a hexadecimal number.
func (w *worker) leet(word []byte) {
	if len(word) < leastLeet || len(word) > mostLeet || w.links > 0 {
		return
	}
	found, hexadecimal := false, true
	for i, c := range word {
		switch {
		case class[c] == letter:
			hexadecimal = hexadecimal && ascii.Hex(c) < 16
		case class[c] != digit || digitLetters[c-'0'] == ' ' || i == 0 || i+1 == len(word) || class[word[i-1]]&class[word[i+1]] != letter:
			return
		default:
			found = true
		}
	}
	if !found || hexadecimal {
		return
	}
	read := append(w.second[:0], word...)
	w.second = read
	for i, c := range word {
		if class[c] == digit {
			read[i] = digitLetters[c-'0']
		}
	}
	w.another(read[:len(word)], "disguise:digits")
}

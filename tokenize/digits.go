package tokenize

import (
	"strconv"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

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

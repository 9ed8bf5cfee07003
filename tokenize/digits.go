package tokenize

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
			n := min(run, longDigits)
			w.apart = append(w.apart[:0], '#')
			if n >= 10 {
				w.apart = append(w.apart, byte('0'+n/10))
			}
			w.bag.Add(append(w.apart, byte('0'+n%10)))
		}
		run = 0
	}
}

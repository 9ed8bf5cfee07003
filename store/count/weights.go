package count

import "math"

// Weigh returns the weights by count, and their sum, of a document in which
// terms[x] terms occur x times.
func Weigh(terms *[MaxCount + 1]uint64) (w [MaxCount + 1]uint64, sum uint64) {
	norm, most := uint64(0), 0
	for x, n := range terms {
		if n > 0 {
			norm += n * logs[x] * logs[x]
			most = x
		}
	}
	root := math.Sqrt(float64(norm))
	for x, n := range terms[:most+1] {
		if n > 0 {
			w[x] = uint64(math.Floor(float64(logs[x]*WeightUnit)/root + 0.5))
			sum += n * w[x]
		}
	}
	return w, sum
}

// WeightUnit is W's unit, 2^-16: a document of one term gives it this much.
const WeightUnit = 1 << 16

// Logs[x] is log(1+x).
var Logs [MaxCount + 1]float64

// logs[x] is log(1+x) in units of 2^-16. Computed from integers, with one correctly
// rounded root and division, a weight is the same on every machine, so that forgetting
// subtracts exactly what learning added.
var logs [MaxCount + 1]uint64

func init() {
	for x := range Logs {
		Logs[x] = math.Log1p(float64(x))
		logs[x] = uint64(math.Floor(Logs[x]*(1<<16) + 0.5))
	}
}

// channelMark is the first byte of a term of a channel, as package tokenize makes them: a
// control character, which is in no word and in no name of a field.
const channelMark = 1

// OfChannel reports whether a term is of a channel: its first byte is 1. Such terms have
// rows, but no weight, and no total of a document or class counts them.
func OfChannel(term []byte) bool { return len(term) > 0 && term[0] == channelMark }

// WeightOf returns the weight of a term that occurs n times in a document with weights w
// by count; see Weigh.
func WeightOf[T ~string | ~[]byte](w *[MaxCount + 1]uint64, term T, n uint8) uint64 {
	if len(term) > 0 && term[0] == channelMark {
		return 0
	}
	return w[n]
}

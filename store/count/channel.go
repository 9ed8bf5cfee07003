package count

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

package count

// channelMark is the first byte of a term of a channel, as package tokenize makes them: a
// control character, which is in no word and in no name of a field.
const channelMark = 1

// OfChannel reports whether a term is of a channel: whether its first byte is 1. Such terms have rows of their own with the documents that have them, but weigh nothing, and the
// tokens, weights, lengths and terms of documents and classes are counted without them.
func OfChannel(term []byte) bool { return len(term) > 0 && term[0] == channelMark }

// WeightOf returns what a term that occurs n times weighs in a document whose weights by
// count are w, as Weigh returns them.
func WeightOf[T ~string | ~[]byte](w *[MaxCount + 1]uint64, term T, n uint8) uint64 {
	if len(term) > 0 && term[0] == channelMark {
		return 0
	}
	return w[n]
}

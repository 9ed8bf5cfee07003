package count

// channelMark is the first byte of a term of a channel. No analyzer of package tokenize made
// such terms before there were channels: a colon there parts a field from its term.
const channelMark = ':'

// OfChannel reports whether a term is of a channel: whether it begins with a colon. Such
// terms have rows of their own with the documents that have them, but weigh nothing, and the
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

package tokenize

// gram is the number of bytes of a gram, and mostGrams the greatest number of them that are
// drawn: some 2 KB of each lesson, of headers that were made to have more.
const (
	gram      = 4
	mostGrams = 1 << 10
)

// appendGrams appends hashes of a sample of the grams of text, which are all sequences of four
// bytes, each once: half of all that there are, the same in every program. So texts that share
// many grams have samples that do too. (A. Broder, On the Resemblance and Containment of
// Documents, 1997.)
func appendGrams(dst []uint16, text []byte) []uint16 {
	if len(text) < gram {
		return dst
	}
	var seen [2 * mostGrams]uint32 // open addressing; 0 is empty
	end := len(dst) + mostGrams
	x := uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2])
	for _, c := range text[gram-1:] {
		x = x<<8 | uint32(c)
		h := uint64(x) * 0x9e3779b97f4a7c15
		if h>>63 != 0 || len(dst) == end {
			continue
		}
		at := h >> 32 % uint64(len(seen))
		for seen[at] != 0 && seen[at] != x {
			at = (at + 1) % uint64(len(seen))
		}
		if seen[at] == 0 {
			seen[at] = x
			dst = append(dst, uint16(h>>32))
		}
	}
	return dst
}

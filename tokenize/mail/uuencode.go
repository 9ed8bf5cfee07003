package mail

// appendUuencoded appends the bytes that a uuencoded text encodes. It skips lines outside
// of "begin" and "end", and invalid ones.
func appendUuencoded(dst, src []byte) []byte {
	for n := 0; n < len(src); {
		end, next := lineAt(src, n)
		if line := src[n:end]; len(line) > 0 && !isBegin(line) && string(line) != "end" && isEncoded(line) {
			dst = appendUULine(dst, line)
		}
		n = next
	}
	return dst
}

// appendUULine appends the bytes of one line: its length, and four characters for three
// bytes. Spaces at its end may be lost.
func appendUULine(dst, line []byte) []byte {
	size := int(line[0]-' ') & 63
	line = line[1:]
	end := len(dst) + size
	var four [4]byte
	for len(dst) < end {
		for i := range four {
			four[i] = 0
			if i < len(line) {
				four[i] = (line[i] - ' ') & 63
			}
		}
		dst = append(dst, four[0]<<2|four[1]>>4, four[1]<<4|four[2]>>2, four[2]<<6|four[3])
		line = line[min(4, len(line)):]
	}
	return dst[:end]
}

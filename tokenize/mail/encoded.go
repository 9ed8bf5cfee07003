package mail

import "bytes"

// decodeHeader returns a field value in UTF-8, encoded words decoded (RFC 2047).
// It is valid until the next call.
func (s *scan) decodeHeader(value []byte) []byte {
	hint := s.hint
	if isWide(hint) || bytes.Contains(hint, []byte("utf-7")) {
		hint = nil // no field is written in these
	}
	if !bytes.Contains(value, []byte("=?")) {
		return s.toUTF8(value, hint, false)
	}
	out := s.decoded[:0]
	for at := 0; ; {
		next := bytes.Index(value[at:], []byte("=?"))
		if next < 0 {
			break
		}
		at += next
		word, n := encodedWord(value[at:])
		if n == 0 {
			at += len("=?")
			continue
		}
		out = s.appendUTF8(out, value[:at], hint)
		out, value = s.appendWords(out, value[at:], word, n)
		at = 0
	}
	s.decoded = s.appendUTF8(out, value, hint)
	return s.decoded
}

// appendWords decodes the encoded word, n bytes long, at the beginning of value, and
// following ones of the same charset. It returns the rest of value.
//
// QUIRK: RFC 2047 section 5: a character must not be split between two encoded words, but
// is in practice; so bytes are joined before their charset is decoded.
func (s *scan) appendWords(out, value []byte, w word, n int) (text, rest []byte) {
	label := w.charset
	if len(w.text) == MaxWord {
		s.exceeds("word")
	}
	s.encoded = w.appendBytes(s.encoded[:0])
	for {
		value = value[n:]
		after := bytes.TrimLeft(value, blank)
		if w, n = encodedWord(after); n == 0 {
			return s.appendUTF8(out, s.encoded, label), value
		}
		// RFC 2047 section 6.2: white space between encoded words is not shown.
		value = after
		if !bytes.EqualFold(w.charset, label) {
			out = s.appendUTF8(out, s.encoded, label)
			label = w.charset
			s.encoded = s.encoded[:0]
		}
		s.encoded = w.appendBytes(s.encoded)
	}
}

func (s *scan) appendUTF8(out, text, label []byte) []byte {
	return append(out, s.toUTF8(text, label, false)...)
}

// word is a parsed encoded word.
type word struct {
	charset []byte
	base64  bool
	text    []byte
}

func (w word) appendBytes(dst []byte) []byte {
	if w.base64 {
		return appendBase64(dst, w.text)
	}
	return appendQuotedPrintable(dst, w.text, true)
}

// encodedWord parses the encoded word at the beginning of b; n is its length, 0 if there
// is none.
//
// QUIRK: RFC 2047 section 2: spaces inside the text and words longer than 75 characters
// are accepted.
func encodedWord(b []byte) (w word, n int) {
	if len(b) < 8 || b[0] != '=' || b[1] != '?' {
		return w, 0
	}
	label := token(b[2:min(len(b), 2+maxLabel)])
	at := 2 + len(label)
	if len(label) == 0 || at+3 >= len(b) || b[at] != '?' || b[at+2] != '?' {
		return w, 0
	}
	switch b[at+1] {
	case 'b', 'B':
		w.base64 = true
	case 'q', 'Q':
	default:
		return w, 0
	}
	text := b[at+3:]
	text = text[:min(len(text), MaxWord)]
	end := bytes.Index(text, []byte("?="))
	switch line := bytes.IndexByte(text[:max(end, 0)], '\n'); {
	case end < 0 && len(text) == MaxWord && bytes.IndexByte(text, '\n') < 0:
		end, n = MaxWord, at+3+MaxWord // decode its beginning, and take the rest literally
	case end < 0 || line >= 0:
		return w, 0
	default:
		n = at + 3 + end + 2
	}
	// RFC 2231 section 5: charset*language.
	w.charset, _, _ = bytes.Cut(label, []byte("*"))
	w.text = text[:end]
	return w, n
}

// maxLabel bounds the charset of an encoded word.
const maxLabel = 64

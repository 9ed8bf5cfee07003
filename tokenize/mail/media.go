package mail

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// part is the description of a body in the header of its message or part.
type part struct {
	media    string // type/subtype in lower case; empty if there is none
	charset  []byte
	boundary []byte
	encoding string // in lower case; empty if there is none
	delsp    bool   // spaces at the ends of lines were added for transport
	ext      string // of the file's name, in lower case
}

// describe reads the MIME fields of a header and counts their terms.
func (s *scan) describe(head []field) part {
	var p part
	typ := find(head, "content-type")
	p.media = string(s.lowered(mediaType(typ)))
	encoding := transferEncoding(find(head, "content-transfer-encoding"))
	p.encoding = string(s.lowered(encoding[:min(len(encoding), maxMedia)]))
	p.charset = s.lowered(s.parameter(typ, "charset"))
	p.boundary = bytes.TrimRight(s.keep(unfold(s.parameter(typ, "boundary"))), blank)
	p.delsp = bytes.EqualFold(s.parameter(typ, "delsp"), []byte("yes"))
	disposition := find(head, "content-disposition")
	size := len(typ) + len(encoding) + len(disposition)
	within := size <= s.partBytes
	if within {
		s.partBytes -= size
		s.partTerms(p)
	} else {
		s.exceeds("header")
	}
	name := s.parameter(disposition, "filename")
	if len(name) == 0 {
		name = s.parameter(typ, "name")
	}
	if dot := bytes.LastIndexByte(name, '.'); dot >= 0 && len(name)-dot <= maxExtension {
		p.ext = string(s.lowered(bytes.TrimRight(name[dot+1:], blank+`"'`)))
	}
	if attached(disposition, len(name) > 0) {
		s.attachments++
	}
	if within && len(name) > 0 {
		name = s.decodeHeader(name)
		s.show("file", false, name)
		s.file(name)
	}
	return p
}

// transferEncoding returns the name of a transfer encoding.
//
// QUIRK: RFC 2045 section 6.1: it may be in quotes, and after comments, which RFC 5322
// allows everywhere.
func transferEncoding(value []byte) []byte {
	value = bytes.TrimLeft(value, blank)
	for len(value) > 0 && value[0] == '(' {
		end := commentEnd(value)
		if end < 0 {
			return nil
		}
		value = bytes.TrimLeft(value[end+1:], blank)
	}
	if len(value) > 0 && (value[0] == '"' || value[0] == '\'') {
		value = bytes.TrimLeft(value[1:], blank)
	}
	return token(value)
}

func unfold(value []byte) []byte {
	if bytes.IndexByte(value, '\n') < 0 {
		return value
	}
	return slices.DeleteFunc(value, func(c byte) bool { return c == '\n' || c == '\r' })
}

// attached reports whether a part is shown apart from the text (RFC 2183): it says so
// itself, or it has the name of a file and does not say that it is shown in place.
func attached(disposition []byte, named bool) bool {
	kind := token(bytes.TrimLeft(disposition, blank))
	return bytes.EqualFold(kind, []byte("attachment")) || named && !bytes.EqualFold(kind, []byte("inline"))
}

func (s *scan) partTerms(p part) {
	if p.media != "" {
		s.add("mime", []byte(p.media))
	}
	s.add("charset", token(p.charset))
	if p.encoding != "" && p.encoding != "7bit" {
		s.add("encoding", []byte(p.encoding))
	}
	s.boundaryShape(p.boundary)
}

// boundaryShape counts a term for the form of a boundary, which identifies the program
// that made the message: runs of letters and digits with a digit become #.
func (s *scan) boundaryShape(boundary []byte) {
	if len(boundary) == 0 {
		return
	}
	out := s.words[:0]
	for i := 0; i < len(boundary) && len(out) < maxShape; {
		n, digit := run(boundary[i:])
		switch {
		case n == 0 && boundary[i] > ' ' && boundary[i] < 0x7f:
			if len(out) == 0 || out[len(out)-1] != boundary[i] {
				out = append(out, boundary[i])
			}
			i++
		case n == 0:
			i++
		default:
			if digit || n > maxShape {
				out = append(out, '#')
			} else {
				out = append(out, boundary[i:i+n]...)
			}
			i += n
		}
	}
	s.words = out
	s.add("boundary", out)
}

const maxShape = 24

// run returns the length of the letters and digits at the beginning of b, and whether
// there is a digit among them.
func run(b []byte) (n int, digit bool) {
	for n < len(b) && alnum[b[n]] {
		digit = digit || b[n] <= '9'
		n++
	}
	return n, digit
}

// file counts the terms of a file name, which is in UTF-8.
func (s *scan) file(name []byte) {
	if dot := bytes.LastIndexByte(name, '.'); dot >= 0 {
		if ext := bytes.TrimRight(name[dot+1:], blank+`"'`); 0 < len(ext) && len(ext) <= maxExtension && !bytes.ContainsAny(ext, blank) {
			s.add("ext", ext)
		}
		name = name[:dot]
	}
	s.analyzer.Text(s.bag, "file", name)
}

// maxExtension is the longest suffix that counts as a file name extension.
const maxExtension = 10

// blank is white space in a header.
const blank = " \t\r\n"

// mediaType returns the type/subtype at the beginning of a Content-Type, nil if it is
// invalid: RFC 2045 section 5.2 treats that like a missing field.
func mediaType(value []byte) []byte {
	value = bytes.TrimLeft(value, blank)
	slash := token(value)
	if len(slash) == 0 || len(slash) == len(value) || value[len(slash)] != '/' {
		return nil
	}
	sub := token(value[len(slash)+1:])
	if len(sub) == 0 || len(slash)+len(sub) > maxMedia {
		return nil
	}
	return value[:len(slash)+1+len(sub)]
}

// maxMedia is the longest media type, RFC 6838 section 4.2.
const maxMedia = 2 * 127

// token returns the RFC 2045 token at the beginning of b.
func token(b []byte) []byte {
	n := 0
	for n < len(b) && tokenByte[b[n]] {
		n++
	}
	return b[:n]
}

func letter(c byte) bool { return alnum[c] && c > '9' }

var alnum, tokenByte = byteClasses()

func byteClasses() (alnum, token [256]bool) {
	for c := byte('!'); c < 0x7f; c++ {
		alnum[c] = '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		token[c] = bytes.IndexByte([]byte(`()<>@,;:\"/[]?=`), c) < 0
	}
	return alnum, token
}

const (
	// maxDirectory is how much of the end of a body is searched for the directory of a ZIP
	// archive, and maxListed the number of its files that are named: who opens it sees about
	// as many.
	maxDirectory = 16 << 10
	maxListed    = 16

	// entryBytes is the length of an entry of the directory before the name, and nameAt the
	// place of the length of that.
	entryBytes = 46
	nameAt     = 28
)

// isArchive reports whether a part is a ZIP archive, by its name or type.
func (p part) isArchive() bool {
	return p.ext == "zip" || p.media == "application/zip" || p.media == "application/x-zip-compressed"
}

// archive counts the names of the files in a ZIP archive like those of attached files. They
// are not compressed.
func (s *scan) archive(p part, body []byte) {
	if n := len(body) - maxDirectory; n > 0 {
		body = body[n+cutAt(body[n:], nearLine):]
	}
	body = s.decodeBody(p, body)
	for range maxListed {
		at := bytes.Index(body, []byte("PK\x01\x02"))
		if at < 0 || len(body)-at < entryBytes {
			return
		}
		size := int(binary.LittleEndian.Uint16(body[at+nameAt:]))
		body = body[at+entryBytes:]
		s.unicode = appendMixed(s.unicode[:0], body[:min(size, len(body), MaxFieldWords)])
		s.file(s.unicode)
	}
}

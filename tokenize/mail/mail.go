package mail

import (
	"slices"
	"sync"

	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// Read adds the terms of an Internet message to bag, and returns the attributes that the
// analyzer's spec asks for, in the order of Analyzer.Attributes, without those that the message
// does not give.
//
// It refuses no message: what cannot be read gives no terms. Time and memory are linear in the
// length of raw and bounded by the limits of this package.
func Read(a *tokenize.Analyzer, bag *tokenize.Bag, raw []byte) []tokenize.Attribute {
	return readWith(a, bag, raw, nil)
}

// Message is what ReadMessage returns about a message.
type Message struct {
	ID         [16]byte // as ID returns it
	MessageID  string   // as Identity returns it
	Attributes []tokenize.Attribute
}

// ReadMessage is Read and Identity, but faster than both calls.
func ReadMessage(a *tokenize.Analyzer, bag *tokenize.Bag, raw []byte) (m Message) {
	m.Attributes = readWith(a, bag, raw, &m)
	return m
}

// readWith is Read, and sets the identity of m unless that is nil.
func readWith(a *tokenize.Analyzer, bag *tokenize.Bag, raw []byte, m *Message) []tokenize.Attribute {
	s := scans.Get().(*scan)
	defer s.free()
	s.analyzer, s.bag, s.wanted, s.identified = a.Part(), bag, a.Attributes(), m
	s.read(raw)
	if slices.Contains(s.wanted, "attachments") { // the last attribute, and known last
		s.found = append(s.found, tokenize.Attribute{Name: "attachments", Value: logarithm(s.attachments)})
	}
	return s.found
}

// scan is the state of reading one message: the rest of its limits, and memory that is
// reused for the next message.
type scan struct {
	analyzer *tokenize.Analyzer
	bag      *tokenize.Bag
	shown    *[]Part  // unless nil, it gets the texts that are read
	exceeded []string // the limits, in the order in which they were met
	budget
	seen, hidden, links room

	// hint is the charset of the message's text, for header fields with non-ASCII bytes
	// outside encoded words.
	hint []byte

	fields []field // a stack: fields of the message and of its open parts
	kept   []byte  // a stack too: names, types and parameters of these fields

	term    []byte // the term being made
	words   []byte // words collected from a field
	joined  []byte // a text whose lines were broken for transport
	param   []byte // a parameter value put together from pieces
	decoded []byte // a field value decoded to UTF-8
	encoded []byte // bytes of adjacent encoded words of one charset
	body    []byte // a text part, its transfer encoding undone
	unicode []byte // text decoded to UTF-8
	clean   []byte // text without NUL bytes
	page    tokenize.Page

	late     []late // what is read after all others
	lateText int    // the bytes of texts in it

	wanted      []string // attributes
	found       []tokenize.Attribute
	attachments int
	identified  *Message // whose identity is wanted too
}

// budget is the rest of the limits.
type budget struct {
	parts, headerBytes, partBytes, scanBytes, undoBytes int
	addresses, senders, received                        int
	authenticated                                       bool
	readable                                            bool // a word of the text was counted
	markup                                              int  // bytes of text parts left
}

var scans = sync.Pool{New: func() any {
	s := new(scan)
	s.reset()
	return s
}}

func (s *scan) reset() {
	s.exceeded, s.hint = s.exceeded[:0], nil
	s.wanted, s.found, s.attachments, s.identified = nil, nil, 0, nil
	s.budget = budget{
		parts:       MaxParts / 2,
		headerBytes: MaxHeaderBytes,
		partBytes:   MaxHeaderBytes,
		scanBytes:   MaxScan,
		undoBytes:   MaxScan,
		markup:      MaxMarkup / 2,
		addresses:   MaxAddresses,
		senders:     MaxAddresses,
		received:    MaxReceived,
	}
	s.seen.reset(MaxText)
	s.hidden.reset(MaxHidden)
	s.links.reset(MaxLinks)
}

// free releases the scan, without references into the message.
func (s *scan) free() {
	s.analyzer, s.bag = nil, nil
	clear(s.fields[:cap(s.fields)])
	s.fields, s.kept = s.fields[:0], s.kept[:0]
	s.page.Shrink()
	for _, buffer := range []*[]byte{&s.body, &s.unicode, &s.clean, &s.joined, &s.decoded, &s.words, &s.kept} {
		if cap(*buffer) > maxKept {
			*buffer = nil
		}
	}
	s.reset()
	scans.Put(s)
}

func (s *scan) read(raw []byte) {
	p, body := s.header(strip(raw), 0)
	s.part(p, body, 0)
	s.readLate()
	s.countRests()
	if !s.readable && s.bag.Len() > 0 {
		s.add("missing", []byte("text"))
	}
	for _, limit := range s.exceeded {
		s.add("limit", []byte(limit))
	}
}

// header reads the header of a message. Headers of attached messages share separate
// limits, so that the outermost one does not use them up.
func (s *scan) header(raw []byte, depth int) (p part, body []byte) {
	spent := s.headerBytes == 0
	head, body := s.split(raw, true)
	p = s.describe(head)
	s.hint = p.charset
	if spent { // the subject is visible text like any other
		s.exceeds("header")
		s.count(s.decodeHeader(find(head, "subject")))
	} else {
		s.fieldTerms(head, depth)
	}
	if depth == 0 {
		s.sample(head)
		if len(s.wanted) > 0 {
			s.attributes(head, len(raw))
		}
		if s.identified != nil {
			s.identified.ID, s.identified.MessageID = identity(head, body)
		}
		s.headerBytes = MaxHeaderBytes
	}
	return p, body
}

// exceeds notes that the message exceeds a limit: the term limit:… says so.
func (s *scan) exceeds(limit string) {
	if !slices.Contains(s.exceeded, limit) {
		s.exceeded = append(s.exceeded, limit)
	}
}

// CountCut counts the term limit:size, for a document that was shortened before
// tokenizing.
func CountCut(into *tokenize.Bag) { into.Add([]byte("limit:size")) }

// add counts the term field:value, with ASCII letters in lower case.
func (s *scan) add(field string, value []byte) {
	if len(value) == 0 {
		return
	}
	s.term = append(s.term[:0], field...)
	s.term = append(s.term, ':')
	s.term = ascii.AppendLower(s.term, value)
	s.bag.Add(s.term)
}

package store

import (
	"bytes"
	"encoding/binary"
	"math"
)

// This file finds the newest state of a file that has lost both pages which say
// where it is.

// findMeta returns what they would say, as far as the other pages tell: the list of
// free pages is not found. The bucket of buckets, which every change writes anew,
// holds the position of the log. It returns no valid one unless all pages of the
// last position agree on everything but what is kept beside the counts.
func (s *salvage) findMeta() (m boltMeta, found bool) {
	s.size = 4096 // as openBolt makes them
	s.seen = make([]bool, s.bytes/int64(s.size))
	var best []byte
	last, sure := uint64(0), false
	for id := uint64(2); id < uint64(len(s.seen)); id++ {
		position, content := s.root(id)
		switch {
		case content == nil || found && position < last:
			continue
		case found && position == last:
			sure = sure && bytes.Equal(best, content)
		default:
			best, last, sure = content, position, true
		}
		found = true
		m = boltMeta{pageSize: s.size, root: id, pages: uint64(len(s.seen)), free: math.MaxUint64}
	}
	m.valid = sure
	return m, found
}

// root returns the position of the log and the heads of all buckets but state, if
// the page is a bucket of buckets.
func (s *salvage) root(id uint64) (position uint64, content []byte) {
	at := int64(id * s.size)
	head := s.read(at, pageHeader)
	if head == nil || binary.NativeEndian.Uint64(head) != id {
		return 0, nil
	}
	p, ok := s.elements(at, s.size)
	if !ok || p.branch || p.bad > 0 {
		return 0, nil
	}
	names := make(map[string]bool)
	for _, e := range p.elements {
		v := s.value(e.piece)
		if !e.bucket || v == nil {
			return 0, nil
		}
		names[string(e.key)] = true
		if bytes.Equal(e.key, bucketLog) {
			position = binary.NativeEndian.Uint64(v[8:])
		}
		switch {
		case bytes.Equal(e.key, bucketState):
		case bytes.Equal(e.key, bucketMeta):
			content = append(append(content, e.key...), s.settings(e, v)...)
		default:
			content = append(append(content, e.key...), v...)
		}
	}
	for _, name := range buckets {
		if !names[string(name)] {
			return 0, nil
		}
	}
	return position, content
}

// settings returns what bucket meta says, v being its bytes, but for whether the file's
// name is on the disk: two states that differ by that alone are one.
func (s *salvage) settings(meta salvaged, v []byte) (content []byte) {
	if binary.NativeEndian.Uint64(v) != 0 {
		return v // it has a page of its own
	}
	p, ok := s.elements(meta.at+bucketHead, uint64(meta.n)-bucketHead)
	if !ok || p.branch {
		return v
	}
	for _, e := range p.elements {
		if !bytes.Equal(e.key, keyUnnamed) {
			content = append(append(content, e.key...), s.value(e.piece)...)
		}
	}
	return content
}

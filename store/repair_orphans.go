package store

import (
	"bytes"

	"github.com/polya-classifier/polya/store/internal/table"
)

// This file is about pages that no other leads to.

// adopt gives the leaves that are neither read nor free to the buckets that they
// must be of.
func (s *salvage) adopt() {
	for id := uint64(2); id < uint64(len(s.seen)); id++ {
		if s.seen[id] {
			continue
		}
		p, ok := s.page(id)
		if !ok || p.branch {
			continue
		}
		for _, e := range p.elements {
			if name := s.kind(e); name != nil {
				s.buckets[string(name)].add(p.elements)
				break
			}
		}
	}
}

// kind returns the bucket whose keys and values look like e, or nil. Their
// checksums leave little doubt.
func (s *salvage) kind(e salvaged) []byte {
	v := s.value(e.piece)
	if v == nil || e.bucket {
		return nil
	}
	switch len(e.key) {
	case 8:
		if t, err := table.Open(v); err == nil && t.Sound() {
			return bucketTable
		}
		if _, err := decodeRecord(e.key, v); err == nil {
			return bucketLog
		}
	case 16:
		if _, err := decodeEntry(e.key, v); err == nil {
			return bucketLedger
		}
	}
	bare := checkCRC(v, e.key)
	if bare == nil {
		return nil
	}
	if len(e.key) == 4 && decodeClass(v, e.key, new(Class)) == nil {
		return bucketTotal
	}
	if len(e.key) == 4 && checkName(string(bare)) == nil {
		return bucketClass
	}
	for _, key := range [][]byte{keyHeader, keyAnalyzer, keyCorpus, keyPosition, keyRound, keyLoaded, keyState, keyUnnamed} {
		if bytes.Equal(e.key, key) {
			return bucketMeta
		}
	}
	if readAttributeRow(e.key, v, new(attributeRow)) == nil {
		return bucketAttribute
	}
	if _, _, ok := splitValueKey(e.key); ok {
		if _, err := decodeValue(bare, nil); err == nil {
			return bucketValue
		}
	}
	return bucketState
}

// everywhere calls f with each key and value of any leaf of the file, of older
// states too, and of the buckets within it, which have names.
func (s *salvage) everywhere(f func(bucket []byte, e salvaged)) {
	for id := uint64(2); id < uint64(len(s.seen)); id++ {
		head := s.read(int64(id*s.size), pageHeader)
		if head == nil {
			continue
		}
		p, ok := s.elements(int64(id*s.size), (uint64(len(s.seen))-id)*s.size)
		if !ok || p.branch {
			continue
		}
		for _, e := range p.elements {
			f(nil, e)
			if !e.bucket {
				continue
			}
			if inline, ok := s.elements(e.at+16, uint64(e.n)-16); ok && !inline.branch {
				for _, within := range inline.elements {
					f(e.key, within)
				}
			}
		}
	}
}

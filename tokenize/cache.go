package tokenize

const (
	cacheWays = 4
	cacheSets = 1 << 14 // at most
	firstSets = 1 << 8  // what one short text needs
)

// A formCache maps surface forms to their terms. It is set associative: a form can lie in
// four places only, which bounds memory (4 MB and a bit) and needs no list. It evicts
// forms that were not used lately. Forms that do not fit an entry are not cached.
type formCache struct {
	entries []cacheEntry // cacheWays to a set
	sets    []cacheSet
	puts    int // puts since it last grew
}

// cacheEntry fills one line of a processor's cache.
type cacheEntry struct {
	in    context
	extra uint8 // bytes of terms after the form; 0 if the form is the term
	used  bool
	// The length of the form in a byte, the form, and the terms. So the form itself reads as
	// a list of one term.
	data [61]byte
}

type cacheSet struct {
	tags  [cacheWays]uint16
	asked uint8 // a bit for each way
}

// grow makes room for sets, a power of two, and empties the cache. English that is not
// stemmed needs no cache, so it is allocated at the first form.
func (c *formCache) grow(sets int) {
	c.puts = 0
	c.entries = make([]cacheEntry, sets*cacheWays)
	c.sets = make([]cacheSet, sets)
}

// get returns the terms of form in a context, or nil, and a hash for put. The bytes
// are valid until the next put.
func (c *formCache) get(form []byte, in context) (terms []byte, hash uint64) {
	if c.entries == nil {
		c.grow(firstSets)
	}
	hash = hashOf(form)
	at := hash & uint64(len(c.sets)-1)
	set := &c.sets[at]
	for way, tag := range set.tags {
		if tag != uint16(hash>>48) {
			continue
		}
		e := &c.entries[at*cacheWays+uint64(way)]
		end := 1 + int(e.data[0])
		if e.used && e.in == in && string(e.data[1:end]) == string(form) {
			set.asked |= 1 << way
			if e.extra == 0 {
				return e.data[:end], hash
			}
			return e.data[end : end+int(e.extra)-1], hash
		}
	}
	return nil, hash
}

func (c *formCache) put(hash uint64, form []byte, in context, terms []byte) {
	end := 1 + len(form)
	same := len(terms) == end && string(terms[1:]) == string(form)
	if len(form) > maxCached || !same && end+len(terms) > len(cacheEntry{}.data) {
		return
	}
	if c.puts++; c.puts > len(c.entries) && len(c.sets) < cacheSets {
		c.grow(min(8*len(c.sets), cacheSets))
	}
	at := hash & uint64(len(c.sets)-1)
	way := c.sets[at].victim(hash)
	c.sets[at].tags[way] = uint16(hash >> 48)
	e := &c.entries[at*cacheWays+uint64(way)]
	e.in, e.used, e.extra = in, true, 0
	e.data[0] = byte(len(form))
	copy(e.data[1:], form)
	if !same {
		e.extra = uint8(1 + copy(e.data[end:], terms))
	}
}

// maxCached is the longest form that fits an entry.
const maxCached = len(cacheEntry{}.data) - 1

// victim returns the way to evict: one not used since all the others were.
func (s *cacheSet) victim(hash uint64) int {
	const all = 1<<cacheWays - 1
	if s.asked == all {
		s.asked = 0
	}
	way := int(hash>>40) % cacheWays
	for s.asked&(1<<way) != 0 {
		way = (way + 1) % cacheWays
	}
	s.asked |= 1 << way
	return way
}

package tokenize

// maxForms is the number of surface forms whose terms a worker can remember, in 4 MB: two with the
// same hash, of which the older gives way to the next. It begins with space for 1,024: most text has few.
const maxForms = 1 << 16

// maxCached is the longest form that is remembered.
const maxCached = 60

// A cacheEntry has the terms of a form. It fills a line of a processor's cache.
type cacheEntry struct {
	in          context
	used        bool
	form, terms uint8    // their lengths
	data        [60]byte // the form, and the terms
}

func (e *cacheEntry) is(form []byte, in context) bool {
	return e.used && e.in == in && string(e.data[:e.form]) == string(form)
}

// form counts the terms of a surface form. To segment, fold and stem it takes many times as long
// as to remember its terms.
func (w *worker) form(form []byte) {
	if size := 2 * len(w.forms); w.met >= size && size < maxForms {
		w.forms, w.met = make([][2]cacheEntry, max(1024, 8*size)/2), 0
	}
	both := &w.forms[hashOf(form)&uint64(len(w.forms)-1)]
	e := &both[0]
	if !e.is(form, w.context) {
		e = &both[1]
	}
	terms := e.data[e.form : e.form+e.terms]
	if !e.is(form, w.context) {
		terms = w.termsOf(form)
		if len(form) <= maxCached && len(form)+len(terms) <= len(e.data) {
			both[1], e = both[0], &both[0]
			w.met++
			e.used, e.in, e.form, e.terms = true, w.context, uint8(len(form)), uint8(len(terms))
			copy(e.data[copy(e.data[:], form):], terms)
		}
	}
	for len(terms) > 0 {
		n := 1 + int(terms[0])
		if term := terms[1:n]; len(term) > len(disguise) && string(term[:len(disguise)]) == disguise {
			w.sign(string(term))
		} else {
			w.emit(copy(w.buf[w.prefix:], term))
		}
		terms = terms[n:]
	}
}

package tokenize

// maxForms is the number of surface forms whose terms a worker can remember, in 4 MB. A form takes
// the place of another one with the same hash.
const maxForms = 1 << 15

// maxCached is the longest form that is remembered.
const maxCached = 60

// A cacheEntry has the terms of a form.
type cacheEntry struct {
	in          context
	used        bool
	form, terms uint8     // their lengths
	data        [124]byte // the form, and the terms
}

// form counts the terms of a surface form. To segment, fold and stem it takes many times as long
// as to remember its terms.
func (w *worker) form(form []byte) {
	if w.forms == nil { // English that is not stemmed needs none
		w.forms = make([]cacheEntry, maxForms)
	}
	e := &w.forms[hashOf(form)%maxForms]
	terms := e.data[e.form : e.form+e.terms]
	if !e.used || e.in != w.context || string(e.data[:e.form]) != string(form) {
		terms = w.termsOf(form)
		if len(form) <= maxCached && len(form)+len(terms) <= len(e.data) {
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

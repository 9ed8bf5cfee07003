package reading

import (
	"context"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/tokenize"
)

// earlier holds the documents that were read before the database was opened, by path.
type earlier map[string]*earlyDocument

// earlyDocument is one of these, perhaps tokenized.
type earlyDocument struct {
	*Early

	analyzer string        // that counted it, "" if none has
	counted  tokenizedOnce // its terms
}

// tokenizedOnce is what tokenizing a document gives.
type tokenizedOnce struct {
	Bag    tokenize.Bag
	read   []tokenize.Attribute
	defect error
}

// ReadAhead reads what may take any time to come before the database is opened, so that
// nobody waits for a slow pipe or for somebody who types. A large document is tokenized
// too; one of usual size takes less time than to open the database once more.
// analyzer gives the analyzer of the database, nil if nobody can tell.
func ReadAhead(ctx context.Context, paths []string, walk *corpus.Options, analyzer func() *tokenize.Analyzer) (earlier, error) {
	found, err := Ahead(ctx, paths, walk)
	if err != nil {
		return nil, err
	}
	e := earlier{}
	for path, d := range found {
		e[path] = &earlyDocument{Early: d}
		if d.Found != nil && len(d.Found.Content) >= SmallFile {
			e[path].tokenize(analyzer())
		}
	}
	return e, nil
}

// tokenize counts the terms of the document.
func (e *earlyDocument) tokenize(a *tokenize.Analyzer) {
	if a == nil {
		return
	}
	d := Document{Format: e.Found.Format, Content: e.Found.Content}
	d.Count(a)
	d.Bag.Sort()
	e.analyzer, e.counted = a.Spec(), tokenizedOnce{d.Bag, d.Read, d.defect}
}

// Take gives what tokenizing by a has given, once: the memory is not its own then.
func (e *earlyDocument) Take(a *tokenize.Analyzer) (t tokenizedOnce, ok bool) {
	if e == nil || e.analyzer == "" || e.analyzer != a.Spec() {
		return t, false
	}
	t = e.counted
	e.analyzer, e.counted = "", tokenizedOnce{}
	return t, true
}

// replay does what corpus.Walk would do for the path.
func (e *earlyDocument) replay(o *corpus.Options, fn func(*corpus.Document) error) error {
	for _, r := range e.Remarks {
		if o.Remark != nil {
			o.Remark(r)
		}
	}
	if e.Found == nil {
		return e.Err
	}
	return fn(e.Found)
}

package dump

import (
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// listed reads a document of the ledger, or a digest of one.
func (l *reader) listed(f *fields, digest bool) {
	id, err := count.ParseDocID(f.next())
	f.fail(err)
	class, field := l.classNumber(f), f.next()
	seconds, err := strconv.ParseInt(field, 10, 64)
	if err != nil {
		f.failf("%.30q is no time", field)
	}
	doc := count.Document{ID: id, Time: encoded.Time(seconds), Source: f.text()}
	if len(doc.Source) > count.MaxNameBytes {
		f.failf("source of %d bytes", len(doc.Source))
	}
	d := Listed{ID: id}
	switch {
	case digest:
		d.Digest = l.digest(f, &doc)
	case *f.err == nil:
		d.Doc = documentFields(f, &doc)
	}
	if *f.err == nil {
		d.Class = l.out.Counts.Classes[class].Name
		l.out.Ledger = append(l.out.Ledger, d)
	}
}

// digest reads the digest of doc and, if it is there, its epoch.
func (l *reader) digest(f *fields, doc *count.Document) *stored.Entry {
	field := f.next()
	digest, err := strconv.ParseUint(field, 16, 64)
	if err != nil {
		f.failf("%.30q is no digest", field)
	}
	e := &stored.Entry{Keep: count.LedgerDigest, Time: encoded.Seconds(doc.Time), Source: []byte(doc.Source), Digest: digest}
	if len(f.rest) > 0 {
		e.Epoch = l.epoch(f)
	}
	return e
}

// documentFields reads "count=term", "count*terms" of dropped ones, and attributes.
func documentFields(f *fields, d *count.Document) *encoded.Document {
	for f.more() {
		number, _, _ := strings.Cut(f.rest[0], "=")
		switch {
		case strings.HasPrefix(f.rest[0], "@"):
			kind, err := count.ParseKind(f.next()[1:])
			f.fail(err)
			d.Attributes = append(d.Attributes, f.value(f.text(), kind))
		case strings.Contains(number, "*"):
			p := f.split("*", "\t")
			d.Dropped = append(d.Dropped, count.Pair{N: p.number(), Count: p.number()})
		default:
			p := f.split("=", "\t")
			n := p.number()
			if n > count.MaxCount {
				f.failf("a term %d times", n)
			}
			d.Terms = append(d.Terms, count.TermCount{Term: []byte(p.text()), N: uint8(n)})
		}
	}
	doc, err := encoded.Encode(d)
	f.fail(err)
	return doc
}

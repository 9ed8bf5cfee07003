package dump

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/stored"
)

var errDocumentLine = fmt.Errorf("%w: a document of the ledger", count.ErrInvalid)

func (l *reader) listed(f []string) error {
	if len(f) < 5 {
		return errDocumentLine
	}
	id, err := count.ParseDocID(f[1])
	if err != nil {
		return err
	}
	var class uint64
	if err := parseNumbers(f[2:3], &class); err != nil || class >= uint64(l.classes()) {
		return errDocumentLine
	}
	seconds, err := strconv.ParseInt(f[3], 10, 64)
	source, ok := Unescape(f[4])
	if err != nil || !ok || len(source) > count.MaxNameBytes {
		return errDocumentLine
	}
	doc := count.Document{ID: id, Time: encoded.Time(seconds), Source: source}
	d := Listed{Class: l.className(int(class)), ID: id}
	if f[0] == "digest" {
		d.Digest, err = l.digest(&doc, f[5:])
	} else {
		d.Doc, err = documentFields(&doc, f[5:])
	}
	l.out.Ledger = append(l.out.Ledger, d)
	return err
}

// digest reads the digest of doc and, if it is there, its epoch.
func (l *reader) digest(doc *count.Document, f []string) (*stored.Entry, error) {
	if len(f) != 1 && len(f) != 2 {
		return nil, errDocumentLine
	}
	digest, err := strconv.ParseUint(f[0], 16, 64)
	if err != nil {
		return nil, errDocumentLine
	}
	e := &stored.Entry{Keep: count.LedgerDigest, Time: encoded.Seconds(doc.Time), Source: []byte(doc.Source), Digest: digest}
	if len(f) == 2 {
		if e.Epoch, err = l.epoch(f[1]); err != nil {
			return nil, errDocumentLine
		}
	}
	return e, nil
}

func documentFields(d *count.Document, f []string) (*encoded.Document, error) {
	for len(f) > 0 {
		if strings.HasPrefix(f[0], "@") {
			a, rest, err := attributeField(f)
			if err != nil {
				return nil, err
			}
			d.Attributes = append(d.Attributes, a)
			f = rest
			continue
		}
		if err := termField(d, f[0]); err != nil {
			return nil, err
		}
		f = f[1:]
	}
	return encoded.Encode(d)
}

// termField reads "count=term", or "count*terms" of dropped ones.
func termField(d *count.Document, field string) error {
	if number, terms, ok := strings.Cut(field, "*"); ok && !strings.Contains(number, "=") {
		var p count.Pair
		if err := parseNumbers([]string{number, terms}, &p.N, &p.Count); err != nil {
			return errDocumentLine
		}
		d.Dropped = append(d.Dropped, p)
		return nil
	}
	number, term, ok1 := strings.Cut(field, "=")
	n, err := strconv.ParseUint(number, 10, 8)
	text, ok2 := Unescape(term)
	if err != nil || !ok1 || !ok2 {
		return errDocumentLine
	}
	d.Terms = append(d.Terms, count.TermCount{Term: []byte(text), N: uint8(n)})
	return nil
}

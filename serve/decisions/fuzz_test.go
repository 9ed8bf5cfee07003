package decisions

import (
	"strings"
	"testing"
)

// FuzzDecode holds that any body is read or refused.
func FuzzDecode(f *testing.F) {
	for _, message := range []string{"", "Subject: x\n\nplum\n"} {
		r := Record{Doc: document1(7), Message: []byte(message)}
		r.ID = r.Doc.ID.String()
		record, err := encode(&r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(record[head:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if r, err := decode(body); err == nil && (r.Doc.Bag == nil || !strings.EqualFold(r.Doc.ID.String(), r.ID)) {
			t.Error("a document without terms, or of another decision")
		}
	})
}

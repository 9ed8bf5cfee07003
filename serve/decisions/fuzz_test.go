package decisions

import "testing"

// FuzzDecode holds that any body is read or refused.
func FuzzDecode(f *testing.F) {
	for _, message := range []string{"", "Subject: x\n\nplum\n"} {
		e := entry{doc: document1(7)}
		e.decision.ID = e.doc.ID.String()
		if message != "" {
			e.message = []byte(message)
		}
		record, err := encode(&e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(record[head:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decode(body)
		if err != nil {
			return
		}
		if doc, err := r.Document(); err == nil && doc.Bag == nil {
			t.Error("a document without terms")
		}
		_, _ = r.Message()
	})
}

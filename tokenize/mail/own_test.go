package mail

import (
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// A header field called like a field of polya's own gives none of its terms.
func TestFieldsOfTheirOwn(t *testing.T) {
	t.Parallel()
	terms := func(spec, raw string) map[string]bool {
		a, err := tokenize.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		var bag tokenize.Bag
		Read(a, &bag, []byte(raw))
		got := make(map[string]bool)
		for i := range bag.Len() {
			term, _ := bag.At(i)
			got[string(term)] = true
		}
		return got
	}
	const plain = "From: a@example.org\nTo: b@example.org\nSubject: plums\nDate: Mon, 1 Jan 2024 10:00:00 +0000\nMessage-ID: <1@example.org>\n"
	const body = "\nripe\n"
	without := terms("polya-7", plain+body)
	for _, name := range strings.Fields("auth boundary charset encoding ext file header limit list mailer mime missing msgid") {
		for _, value := range []string{"text depth", "7"} {
			raw := plain + strings.ToUpper(name) + ": " + value + "\n" + body
			word := strings.Fields(value)[0]
			got := terms("polya-7", raw)
			for term := range got {
				if strings.HasPrefix(term, name+":") && !without[term] && term != "header:"+name {
					t.Errorf("%s: %s gives %s", name, value, term)
				}
			}
			if !got["header:"+name] || !got["x-"+name+":"+word] {
				t.Errorf("%s: %s gives %v", name, value, got)
			}
		}
	}
}

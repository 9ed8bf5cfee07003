package page_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/api"
	"github.com/polya-classifier/polya/store/count"
)

// Over a database of tags a click adds a tag or takes it away, all of that can be put back, and
// no screen takes a set of tags for a class.
func TestTags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	to, err := classify.Open(filepath.Join(dir, "mail.polya"), classify.Options{Holds: classify.Tags, Fitting: classify.FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		for topic, list := range map[string][]string{"beach": {"travel"}, "birthday": {"family"}, "wedding": {"family", "travel"}, "agenda": nil} {
			set, err := count.TagSet(list...)
			if err == nil {
				_, err = to.Train(t.Context(), set, mail.Document(to, letter(topic, i)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := to.Calibrate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	to.Close()
	s := startIn(t, dir, api.Options{}, 0).signIn()
	for i := range 3 {
		s.ask("", letter("beach", 100+i))
	}
	_, body := s.get("/")
	ids := found(boxes, body)
	if len(ids) != 3 {
		t.Fatalf("decisions %q", ids)
	}
	id, _, _ := strings.Cut(ids[0], " ")
	document := "/document?id=" + id
	s.has(200, page(s, document), "Tags: travel", "It has")
	click := func(was, tag, now string) (body string) {
		t.Helper()
		code, body := s.post(document, "id", id+" "+was, "teach", tag)
		s.has(code, body, "Taught 1 message as "+now+".", "<b>"+now+"</b>")
		return body
	}
	click("", "travel", "travel")
	body = click("travel", "family", "family, travel")
	s.has(200, body, `value="family" aria-pressed="true"`, `value="travel" aria-pressed="true"`)
	click("family, travel", "travel", "family")
	click("family", "family", "no tag")
	body = click(",", "travel", "travel")
	code, body := s.post(document, "revision", found(revisions, body)[0], "undo", "1")
	s.has(code, body, "Put back: 1 message as before.", "<b>no tag</b>")
	code, body = s.post("/", append(pairs("id", id+" ,", ids[1], ids[2]), "teach", "family")...)
	s.has(code, body, "Taught 3 messages as family.", `class="corrected"`)
	s.has(200, page(s, "/classes"), "<h1>Tags</h1>", ">123</td>", ">120</td>")
	s.has(200, page(s, "/ledger?class=family"), "123 documents like that", "family, travel")
	s.has(200, page(s, "/ledger"), "no tag")
	s.has(200, page(s, "/well?measure=1"), "These figures are about classes")
	s.has(200, page(s, "/review"))
	// New tags have commas between; one that has a comma itself is taught by a click.
	code, body = s.post(document, "id", id+" family", "teach", "", "other", "trips, plans", "new", "1")
	s.has(code, body, "Taught 1 message as family, plans, trips.")
	code, body = s.post("/classes", "do", "rename", "class", "plans", "name", "plans, old")
	s.has(code, body, "plans, old")
	body = click("family, plans%2C old, trips", "trips", "family, plans%2C old")
	s.has(200, body, `value="plans, old" aria-pressed="true"`)
	other, _, _ := strings.Cut(ids[1], " ")
	code, body = s.post("/", "id", other+" family", "teach", "plans, old")
	s.has(code, body, "Taught 1 message as family, plans%2C old.")
	click("family, plans%2C old", "plans, old", "family")
	code, body = s.post("/classes", "do", "rename", "class", "travel", "name", "holidays")
	s.has(code, body, "travel is called holidays now.", ">120</td>")
	code, body = s.post("/classes", "do", "delete", "class", "holidays", "typed", "holidays")
	s.has(code, body, "holidays is taken from all documents.", ">123</td>")
}

func page(s *site, path string) string {
	s.t.Helper()
	code, body := s.get(path)
	s.has(code, body)
	if strings.Contains(body, ">,") {
		s.t.Errorf("%s shows a set of tags as it is stored:\n%s", path, body)
	}
	return body
}

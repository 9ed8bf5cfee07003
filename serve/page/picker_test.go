package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/api"
)

// A class is taught by letters of its name, and made by its whole name.
func TestAnotherClass(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	_, body := s.get("/?text=casino")
	ids := found(boxes, body)
	code, body := s.post("/", "id", ids[0], "teach", "", "other", "Travel/Spain")
	s.has(code, body, "There is no class “Travel/Spain” yet", `name="id" value="`+ids[0], "Make it")
	code, body = s.post("/", "id", ids[0], "teach", "", "other", "Travel/Spain", "new", "1")
	s.has(code, body, "Taught 1 message as Travel/Spain.")
	for typed, want := range map[string]string{"tra": "Travel/Spain", "SPAIN": "Travel/Spain", " spam ": "spam", "ha": "ham"} {
		s.ask("", letter(typed, 1))
		_, body := s.get("/")
		code, body = s.post("/", "id", found(boxes, body)[0], "teach", "", "other", typed)
		s.has(code, body, "Taught 1 message as "+want+".")
	}
	code, body = s.post("/", "id", ids[1], "other", "spa", "teach", "")
	s.has(code, body, "Taught 1 message as spam.") // names that begin so come before those that have it
	code, body = s.post("/", "id", ids[2], "other", "a")
	s.has(code, body, "Which class is “a”?", `value="Travel/Spain" formnovalidate autofocus`, `value="ham" formnovalidate`, `value="spam" formnovalidate`)
	code, body = s.post("/", "id", ids[2], "other", "SPAM", "new", "1")
	s.has(code, body, "Taught 1 message as spam.")
	if code, body := s.post("/", "id", ids[2], "other", "bills, receipts", "new", "1"); code != 400 || !strings.Contains(body, "a comma stands between tags") {
		t.Errorf("two names: %d %s", code, body)
	}
	code, body = s.post("/", "id", ids[2], "new", "1")
	s.has(code, body, "A new class")
	code, body = s.post("/", "id", ids[2], "other", "", "teach", "")
	s.has(code, body, "choose a class")
	if code, _ := s.post("/", "id", ids[2], "other", "a\nb", "new", "1"); code != 400 {
		t.Errorf("a name of two lines: %d", code)
	}
	_, body = s.post("/ask", "message", string(letter("casino", 900)))
	kept := between(body, `name="kept" value="`, `"`)
	code, body = s.post("/ask", "kept", kept, "id", found(boxes, body)[0], "other", "Bills", "new", "1")
	s.has(code, body, "Taught 1 message as Bills.", "Taught as Bills by page")
}

// between returns what is between two texts.
func between(s, begin, end string) string {
	_, s, _ = strings.Cut(s, begin)
	s, _, _ = strings.Cut(s, end)
	return s
}

// The five likeliest of many classes are offered, and the one that was taught last. A long name
// lacks its middle.
func TestManyClasses(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	long := "Projects/" + strings.Repeat("x", 180) + "/2026"
	_, body := s.get("/")
	ids := found(boxes, body)
	for n := range 12 {
		s.has(s.post("/", "id", ids[n], "other", fmt.Sprintf("folder %d", n), "new", "1"))
	}
	code, body := s.post("/", "id", ids[12], "other", long, "new", "1")
	s.has(code, body, "Taught 1 message as Projects/xxxxxxxxx…xxxxxxxx/2026.", `<span title="`+long+`">Projects/xxxxxxxxx…xxxxxxxx/2026</span>`)
	_, body = s.get("/review")
	first := between(body, `<ol class="reviews">`, "</form>")
	if n := strings.Count(first, `name="teach"`); n < 5 || n > 8 {
		t.Errorf("%d classes are offered", n-1)
	}
	if !strings.Contains(first, `value="`+long+`"`) {
		t.Error("the class taught last is not offered")
	}
}

// What another tab has taught meanwhile stays, and is said.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	_, body := s.get("/?text=casino")
	shown := found(boxes, body)[:3]
	s.has(s.post("/", "id", shown[0], "teach", "spam"))
	code, body := s.post("/", append(pairs("id", shown...), "teach", "ham")...)
	s.has(code, body, "Taught 2 messages as ham. It was taught as spam meanwhile")
	if spam, ham := s.documents(""); spam != 13 || ham != 14 {
		t.Errorf("%d spam, %d ham", spam, ham)
	}
	back := found(revisions, body)
	_, body = s.get("/?text=casino")
	s.has(s.post("/", "id", found(boxes, body)[1], "teach", "spam"))
	code, body = s.post("/", append(pairs("revision", back...), "undo", "1")...)
	s.has(code, body, "Put back: 1 message as before. It was taught as spam meanwhile")
	if spam, ham := s.documents(""); spam != 14 || ham != 12 {
		t.Errorf("%d spam, %d ham after putting back", spam, ham)
	}
	_, body = s.post("/ask", "message", string(letter("casino", 800)))
	kept, id := between(body, `name="kept" value="`, `"`), found(boxes, body)[0]
	s.has(s.post("/ask", "kept", kept, "id", id, "teach", "spam"))
	code, body = s.post("/ask", "kept", kept, "id", id, "teach", "ham")
	s.has(code, body, "It was taught as spam meanwhile", "Taught as spam by page")
	_, body = s.post("/ask", "message", string(letter("casino", 3)))
	kept, id = between(body, `name="kept" value="`, `"`), found(boxes, body)[0]
	code, body = s.post("/ask", "kept", kept, "id", id, "teach", "ham")
	s.has(code, body, "Taught as ham by page")
	code, body = s.post("/ask", "kept", kept, "revision", found(revisions, body)[0], "undo", "1")
	s.has(code, body, "Put back: 1 message as before.", "Taught as spam by test")
}

package page_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/api"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/gate"
	admin "github.com/polya-classifier/polya/serve/page"
)

const token = "correct-horse-battery"

// site is a daemon's listener with some mail learned and asked about.
type site struct {
	t      *testing.T
	engine *engine.Engine
	base   string
	socket string
	client *http.Client
}

func start(t *testing.T, o api.Options) *site {
	t.Helper()
	return startWith(t, o, 12)
}

// startWith is start with so many messages of each class learned and asked about.
func startWith(t *testing.T, o api.Options, taught int) *site {
	t.Helper()
	return startIn(t, t.TempDir(), o, taught)
}

// startIn is startWith in a folder, which may have the database mail.polya.
func startIn(t *testing.T, dir string, o api.Options, taught int) *site {
	t.Helper()
	e, err := engine.New(engine.Options{
		Path: filepath.Join(dir, "mail.polya"), Decisions: &decisions.Options{Message: 4096}, FitAfter: time.Hour,
		Users: engine.Users{Path: filepath.Join(dir, "%u.polya"), Names: []string{"alice"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Backend, o.Engine, o.Admin, o.Token, o.Version = e, e, admin.New(e), token, "1.2.3"
	o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	socket := filepath.Join(dir, "s")
	u, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	served := api.New(o)
	for _, l := range []net.Listener{l, u} {
		go func() { done <- served.Serve(ctx, l) }()
	}
	jar, _ := cookiejar.New(nil)
	s := &site{t, e, "http://" + l.Addr().String(), socket, &http.Client{Jar: jar}}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	for n := range taught {
		for class, topic := range map[string]string{"spam": "casino", "ham": "meeting"} {
			if _, err := e.Learn(ctx, backend.Request{Message: letter(topic, n), Source: "test"}, class); err != nil {
				t.Fatal(err)
			}
			s.ask("", letter(topic, 100+n))
		}
	}
	return s
}

func letter(topic string, n int) []byte {
	return fmt.Appendf(nil, "From: Ann <ann%d@example.org>\r\nSubject: The %s of %d\r\nMessage-ID: <%s-%d@example.org>\r\n\r\nThe %s is at number %d.\r\n", n, topic, n, topic, n, topic, n)
}

func (s *site) ask(user string, message []byte) {
	s.t.Helper()
	if _, err := s.engine.Classify(context.Background(), backend.Request{User: user, Message: message, Source: "milter"}, false); err != nil {
		s.t.Fatal(err)
	}
}

// do sends a request and returns the reply with its body.
func (s *site) do(r *http.Request) (*http.Response, string) {
	s.t.Helper()
	reply, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer reply.Body.Close()
	b, err := io.ReadAll(reply.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply, html.UnescapeString(string(b))
}

func (s *site) get(path string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest("GET", s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	reply, body := s.do(r)
	return reply.StatusCode, body
}

// post sends a form; fields are pairs of names and values.
func (s *site) post(path string, fields ...string) (int, string) {
	s.t.Helper()
	f := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		f.Add(fields[i], fields[i+1])
	}
	r, err := http.NewRequest("POST", s.base+path, strings.NewReader(f.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, body := s.do(r)
	return reply.StatusCode, body
}

func (s *site) signIn() *site {
	s.t.Helper()
	if code, body := s.post("/sign-in", "token", token); code != 200 || !strings.Contains(body, "<h1>Decisions</h1>") {
		s.t.Fatalf("%d: %s", code, body)
	}
	return s
}

// has fails unless a page was shown and has the texts in it.
func (s *site) has(code int, body string, texts ...string) {
	s.t.Helper()
	if code != 200 {
		s.t.Errorf("code %d", code)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			s.t.Errorf("%q is missing:\n%s", text, body)
		}
	}
}

// documents returns the numbers of documents of spam and ham.
func (s *site) documents(user string) (spam, ham uint64) {
	s.t.Helper()
	h, err := admin.New(s.engine).Statistics(context.Background(), user)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range h.Classes {
		switch c.Name {
		case "spam":
			spam = c.Documents
		case "ham":
			ham = c.Documents
		}
	}
	return spam, ham
}

var boxes = regexp.MustCompile(`name="id" value="([0-9a-f]{32} \w*)"`)
var revisions = regexp.MustCompile(`name="revision" value="(\{[^}]*\})"`)

// found returns what a pattern finds first in the parentheses of each match.
func found(pattern *regexp.Regexp, body string) (list []string) {
	for _, m := range pattern.FindAllStringSubmatch(body, -1) {
		list = append(list, m[1])
	}
	return list
}

// pairs are the fields of one name with several values.
func pairs(name string, values ...string) (list []string) {
	for _, v := range values {
		list = append(list, name, v)
	}
	return list
}

// Nobody sees or changes anything without the token, by another name, or from another site.
func TestWhoMay(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{Hosts: []string{"mail.example.org"}, TokenFile: "/home/ann/polya/token"})
	if _, body := s.get("/"); !strings.Contains(body, "<code>/home/ann/polya/token</code>") {
		t.Errorf("nothing says where the token is: %s", body)
	}
	for _, path := range []string{"/", "/document?id=1", "/review", "/ask", "/classes", "/well", "/ledger", "/import", "/backup"} {
		for _, method := range []string{"GET", "POST"} {
			r, _ := http.NewRequest(method, s.base+path, nil)
			if reply, body := s.do(r); reply.Request.URL.Path != "/sign-in" || strings.Contains(body, "casino") {
				t.Errorf("%s %s leads to %s", method, path, reply.Request.URL)
			}
		}
	}
	if code, _ := s.post("/sign-in", "token", strings.Repeat("x", 9<<10)); code != 400 {
		t.Errorf("a form of 9 KiB: %d", code)
	}
	if code, body := s.post("/sign-in", "token", "guess"); code != 403 || !strings.Contains(body, "not the token") {
		t.Errorf("%d: %s", code, body)
	}
	for value, want := range map[string]string{"": "/sign-in", "polya=9999999999.00": "/sign-in", "polya=x": "/sign-in", "polya=1.": "/sign-in"} {
		r, _ := http.NewRequest("GET", s.base+"/", nil)
		r.Header.Set("Cookie", value)
		if reply, _ := s.do(r); reply.Request.URL.Path != want {
			t.Errorf("the cookie %q leads to %s", value, reply.Request.URL)
		}
	}
	s.signIn()
	for _, c := range []struct {
		field, value string
		code         int
	}{
		{"Host", "mail.example.org", 200}, {"Host", "localhost:1", 200}, {"Host", "evil.example", 421},
		{"Sec-Fetch-Site", "cross-site", 403}, {"Origin", "https://evil.example", 403},
	} {
		r, _ := http.NewRequest("POST", s.base+"/", strings.NewReader(""))
		r.Header.Set(c.field, c.value)
		if c.field == "Host" {
			r.Host = c.value
		}
		if c.field == "Host" { // the jar gives the cookie by the address
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if reply, body := s.do(r); reply.StatusCode != c.code {
			t.Errorf("%s %s: %d %s", c.field, c.value, reply.StatusCode, body)
		}
	}
	if code, _ := s.post("/sign-out"); code != 200 {
		t.Errorf("sign out: %d", code)
	}
	if _, body := s.get("/"); !strings.Contains(body, "<h1>Sign in</h1>") {
		t.Error("the page is shown after signing out")
	}
	n := startWith(t, api.Options{Options: gate.Options{MayTeach: func(c access.Caller) bool { return c.User == "alice" && c.Token }}}, 1)
	if code, body := n.post("/sign-in", "token", token); code != 403 || strings.Contains(body, "casino") {
		t.Errorf("who may not teach all: %d %s", code, body)
	}
	if code, body := n.get("/?user=alice"); code != 200 {
		t.Errorf("who may teach his own: %d %s", code, body)
	}
	if code, _ := n.post("/ask", "user", "alice", "message", "x", "teach", "ham"); code != 403 {
		t.Errorf("who names himself in the form alone: %d", code)
	}
}

// Over a socket the user of the daemon signs in to nothing; but a browser may have been led to
// the port that is forwarded to it.
func TestSocket(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{})
	for host, want := range map[string]int{"localhost:8025": 200, "evil.example": 421} {
		r, _ := http.NewRequest("GET", "http://"+host+"/", nil)
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
			return net.Dial("unix", s.socket)
		}}}
		reply, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		if reply.StatusCode != want || (want == 200) != strings.Contains(string(body), "<h1>Decisions</h1>") || strings.Contains(string(body), "Sign out") {
			t.Errorf("%s: %d %s", host, reply.StatusCode, body)
		}
	}
}

// A page of another site may lead here, but loads nothing, not even for its cost.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	for _, c := range []struct {
		site, mode string
		code       int
	}{
		{"cross-site", "navigate", 200}, {"cross-site", "no-cors", 403}, {"cross-site", "cors", 403}, {"same-site", "no-cors", 403},
		{"same-origin", "cors", 200}, {"none", "navigate", 200}, {"", "", 200},
	} {
		r, _ := http.NewRequest("GET", s.base+"/well?measure=1", nil)
		r.Header.Set("Sec-Fetch-Site", c.site)
		r.Header.Set("Sec-Fetch-Mode", c.mode)
		if reply, _ := s.do(r); reply.StatusCode != c.code {
			t.Errorf("%+v: %d", c, reply.StatusCode)
		}
	}
}

// Signing in goes on to where one wanted to go, and to no other site.
func TestSignInGoesOn(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{})
	for to, want := range map[string]string{
		"/ledger?class=spam": "/ledger?class=spam", "": "/", "//evil.example/": "/", "https://evil.example/": "/", `/\evil.example`: "/", "javascript:alert(1)": "/",
	} {
		f := url.Values{"token": {token}, "to": {to}}
		r, _ := http.NewRequest("POST", s.base+"/sign-in", strings.NewReader(f.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if reply, _ := s.do(r); reply.Request.URL.String() != s.base+want {
			t.Errorf("%q leads to %s", to, reply.Request.URL)
		}
	}
}

// The browser is told to load and run nothing from elsewhere, with every reply.
func TestPolicy(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	for _, path := range []string{"/", "/static/style.css", "/static/script.js", "/static/icon.svg", "/sign-in", "/nowhere", "/document?id=0"} {
		r, _ := http.NewRequest("GET", s.base+path, nil)
		reply, body := s.do(r)
		for field, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := reply.Header.Get(field); got != want {
				t.Errorf("%s: %s is %q", path, field, got)
			}
		}
		if regexp.MustCompile(`\sstyle=|<style|\son\w+=|https?://[^w]`).MatchString(body) && strings.Contains(path, "/static") == false {
			t.Errorf("%s has something that the policy forbids", path)
		}
	}
}

// What is taught from the history is learned and can be undone.
func TestTeachMany(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	_, body := s.get("/?text=casino")
	ids := found(boxes, body)
	if len(ids) != 12 {
		t.Fatalf("%d decisions about a casino", len(ids))
	}
	code, body := s.post("/?text=casino", append(pairs("id", ids[:3]...), "teach", "ham")...)
	s.has(code, body)
	if spam, ham := s.documents(""); spam != 12 || ham != 15 {
		t.Errorf("%d spam, %d ham", spam, ham)
	}
	ids = found(boxes, body)
	code, body = s.post("/?text=casino", append(pairs("id", ids[:5]...), "teach", "spam")...)
	s.has(code, body, "Taught 5 messages as spam.", `class="as">spam`)
	if spam, ham := s.documents(""); spam != 17 || ham != 12 {
		t.Errorf("%d spam, %d ham", spam, ham)
	}
	code, body = s.post("/?text=casino", append(pairs("revision", found(revisions, body)...), "undo", "1")...)
	s.has(code, body, "Put back: 5 messages as before.")
	if spam, ham := s.documents(""); spam != 12 || ham != 15 {
		t.Errorf("%d spam, %d ham after undoing", spam, ham)
	}
	ids = found(boxes, body)
	code, body = s.post("/", append(pairs("id", ids[:3]...), "teach", "ham")...)
	s.has(code, body, "All 3 were taught as ham before.")
	code, body = s.post("/", "teach", "ham")
	s.has(code, body, "Nothing was taught")
	if code, _ := s.post("/", "id", ids[0], "teach", "nonsense"); code != 404 {
		t.Errorf("a class that there is not: %d", code)
	}
	if code, _ := s.post("/", "id", strings.Repeat("0", 32)+" ", "teach", "ham"); code != 404 {
		t.Errorf("a decision that there is not: %d", code)
	}
}

// Filters choose decisions.
func TestFilter(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	_, body := s.get("/?text=meeting")
	s.has(s.post("/", append(pairs("id", found(boxes, body)[:2]...), "teach", "spam")...))
	for query, want := range map[string]int{
		"": 24, "?text=CASINO": 12, "?text=ann103": 2, "?text=nobody": 0, "?source=milter": 24, "?source=spamc": 0,
		"?state=untaught": 22, "?state=corrected": 2, "?class=spam&state=corrected": 0, "?from=20": 4, "?from=-7": 24, "?from=x": 24,
	} {
		if code, body := s.get("/" + query); code != 200 || len(found(boxes, body)) != want {
			t.Errorf("%s: %d decisions, want %d", query, len(found(boxes, body)), want)
		}
	}
}

// TestAskedByTwo holds that an unsure message which two programs have asked about offers its likeliest
// classes in both rows.
func TestAskedByTwo(t *testing.T) {
	t.Parallel()
	s := startWith(t, api.Options{}, 2).signIn()
	for _, source := range []string{"milter", "dovecot"} {
		r := backend.Request{Message: []byte("Subject: neither\r\n\r\nOf casino and meeting.\r\n"), Source: source}
		if a, err := s.engine.Classify(t.Context(), r, false); err != nil || !a.Unsure {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	_, body := s.get("/?text=neither")
	if n := strings.Count(body, `<span class="likely">`); n != 2 {
		t.Errorf("%d rows of 2 offer classes", n)
	}
}

// More than a screen of rows has pages, which keep the filter.
func TestPages(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	for n := range 60 {
		s.ask("", letter("casino", 200+n))
	}
	_, body := s.get("/?text=casino")
	next := regexp.MustCompile(`href="([^"]+)" rel="next"`).FindStringSubmatch(body)
	if len(found(boxes, body)) != 50 || next == nil || strings.Contains(body, `rel="prev"`) {
		t.Fatalf("%d rows, next %q", len(found(boxes, body)), next)
	}
	_, body = s.get(next[1])
	if rows := len(found(boxes, body)); rows != 22 || !strings.Contains(body, "51 to 72") || strings.Contains(body, `rel="next"`) {
		t.Errorf("%d rows behind", rows)
	}
	if prev := regexp.MustCompile(`href="([^"]+)" rel="prev"`).FindStringSubmatch(body); prev == nil || !strings.Contains(prev[1], "text=casino") {
		t.Errorf("before: %q", prev)
	}
}

// A message that was uploaded is asked about and taught.
func TestAsk(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormFile("file", "m.eml")
	_, _ = part.Write(letter("casino", 500))
	_ = w.Close()
	r, _ := http.NewRequest("POST", s.base+"/ask", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	reply, body := s.do(r)
	s.has(reply.StatusCode, body, "Nobody has taught it", `title="casino: +`)
	kept, id := regexp.MustCompile(`name="kept" value="([^"]+)"`).FindStringSubmatch(body), found(boxes, body)
	if kept == nil || len(id) != 1 {
		t.Fatalf("the message is not in the form:\n%s", body)
	}
	message := kept[1]
	if raw, err := base64.StdEncoding.DecodeString(message); err != nil || string(raw) != string(letter("casino", 500)) {
		t.Errorf("%q, %v", raw, err)
	}
	code, body := s.post("/ask", "kept", message, "id", id[0], "teach", "ham")
	s.has(code, body, "Taught 1 message as ham.", "Taught as ham by page")
	code, body = s.post("/ask", "kept", message, "revision", found(revisions, body)[0], "undo", "1")
	s.has(code, body, "Put back: 1 message as before.", "Nobody has taught it")
	code, body = s.post("/ask", "message", string(letter("casino", 501))+strings.Repeat("long ", 300_000))
	s.has(code, body, "too long to be taught from here")
	if len(body) > 1<<20 {
		t.Errorf("%d bytes come back", len(body))
	}
	if code, body := s.post("/ask", "kept", "%%%"); code != 400 {
		t.Errorf("%d: %s", code, body)
	}
	s.has(s.post("/ask"))
	if _, body := s.get("/"); strings.Contains(body, "of 500") {
		t.Error("a question of the page is kept as a decision")
	}
}

// Classes are renamed, merged and deleted; to delete one its name is typed.
func TestClasses(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	code, body := s.get("/classes")
	s.has(code, body, ">ham</a>", ">spam</a>", "24 documents", "Everything learned can be taken back.")
	if code, _ := s.post("/classes", "do", "rename", "class", "spam", "name", "junk"); code != 409 {
		t.Errorf("a class of the configuration got another name: %d", code)
	}
	code, body = s.post("/classes", "do", "delete", "class", "ham")
	s.has(code, body, "Delete ham?", "Type its name")
	code, body = s.post("/classes", "do", "delete", "class", "ham", "typed", "hem")
	s.has(code, body, "Nothing was deleted")
	if _, ham := s.documents(""); ham != 12 {
		t.Errorf("%d ham", ham)
	}
	code, body = s.post("/classes", "do", "delete", "class", "ham", "typed", "ham")
	s.has(code, body, "are deleted", "needs 10 more")
	if _, ham := s.documents(""); ham != 0 {
		t.Errorf("%d ham", ham)
	}
}

// A class that was made by mistake is deleted, too, once its documents were moved to others.
func TestEmptyClass(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	message := backend.Request{Message: letter("meeting", 0)}
	if err := s.engine.Make(t.Context(), "", "metings", false); err != nil {
		t.Fatal(err)
	}
	for _, class := range []string{"metings", "ham"} {
		if outcome, err := s.engine.Learn(t.Context(), message, class); err != nil || outcome != backend.Moved {
			t.Fatal(outcome, err)
		}
	}
	const change = `>Change<span class="sr"> metings<`
	code, body := s.get("/classes")
	s.has(code, body, ">metings</a>", change)
	code, body = s.get("/classes?class=metings")
	s.has(code, body, "Delete…")
	code, body = s.post("/classes", "do", "delete", "class", "metings", "typed", "metings")
	s.has(code, body, "are deleted")
	if _, body := s.get("/classes"); strings.Contains(body, ">metings</a>") {
		t.Error("it is still there")
	}
	if _, body := s.get("/classes?user=alice"); strings.Contains(body, ">Change<") {
		t.Error("what her database does not have can be changed")
	}
}

// What the ledger selects is taken back after a dry run that showed as many, and one document too.
func TestLedger(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	code, body := s.get("/ledger")
	s.has(code, body, "24 documents", "test (24)")
	if strings.Contains(body, "Undo all") {
		t.Error("everything can be taken back at once")
	}
	code, body = s.post("/ledger?class=spam&source=test", "all", "1")
	s.has(code, body, "Undo 12 documents?", "12 of spam.")
	id := regexp.MustCompile(`name="forget" value="(\w+)"`).FindStringSubmatch(body)[1]
	code, body = s.post("/ledger", "forget", id)
	s.has(code, body, "Take "+id[:8]+" back?")
	if spam, ham := s.documents(""); spam != 12 || ham != 12 {
		t.Errorf("%d spam, %d ham after dry runs", spam, ham)
	}
	code, body = s.post("/ledger", "forget", id, "sure", "1")
	s.has(code, body, "is forgotten")
	code, body = s.post("/ledger?class=spam&source=test", "all", "1", "sure", "12")
	s.has(code, body, "Nothing was undone", "Undo 11 documents?", `name="sure" value="11"`)
	code, body = s.post("/ledger?class=spam&source=test", "all", "1", "sure", "11")
	s.has(code, body, "Undone: 11 documents")
	if spam, ham := s.documents(""); spam != 0 || ham != 12 {
		t.Errorf("%d spam, %d ham", spam, ham)
	}
	s.has(s.post("/ledger", "all", "1", "sure", "1"))
	s.has(s.post("/ledger?class=ham", "all", "1", "sure", "1"))
	if _, ham := s.documents(""); ham != 12 {
		t.Error("without a filter everything was taken back")
	}
}

// Documents that were probably learned as the wrong class are listed, and one of them is moved
// by its button.
func TestSuspects(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	ctx := context.Background()
	err := s.engine.Change(ctx, "", func(c *classify.Classifier) error {
		var batch classify.Batch
		for n := range 300 {
			for class, topic := range map[string]string{"spam": "casino", "ham": "meeting"} {
				raw := fmt.Appendf(nil, "From: %s@example.org\nSubject: %s\nMessage-ID: <%s%d@x>\n\n%s table %d, come to the %s of the %s\n", topic, topic, topic, 1000+n, topic, n, topic, topic)
				if err := batch.Train(class, mail.Document(c, raw)); err != nil {
					return err
				}
			}
		}
		wrong := []byte("From: casino@example.org\nSubject: casino\nMessage-ID: <wrong@x>\n\ncasino table 7, come to the casino of the casino\n")
		if err := batch.Train("ham", mail.Document(c, wrong)); err != nil {
			return err
		}
		if _, err := c.Apply(ctx, &batch); err != nil {
			return err
		}
		_, err := c.Calibrate(ctx, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	code, body := s.get("/ledger")
	s.has(code, body, "1 document probably learned as the wrong class")
	code, body = s.get("/ledger?suspects=1")
	s.has(code, body, "Move to spam", "Show all that was learned")
	id := regexp.MustCompile(`name="move" value="(\w+)"`).FindStringSubmatch(body)[1]
	s.has(s.get("/ledger?suspects=1&from=9223372036854775807"))
	s.has(s.post("/ledger?suspects=1", "move", id, "to", ""))
	if spam, ham := s.documents(""); spam != 312 || ham != 313 {
		t.Errorf("moved to no class: %d spam, %d ham", spam, ham)
	}
	code, body = s.post("/ledger?suspects=1", "move", id, "to", "spam")
	s.has(code, body, "is moved: spam", "No document seems to be in the wrong class")
	for _, form := range [][]string{{"move", strings.Repeat("0", 32), "to", "spam"}, {"forget", strings.Repeat("0", 32), "sure", "1"}} {
		if code, body := s.post("/ledger", form...); code != 404 || !strings.Contains(body, "no such document in the ledger") {
			t.Errorf("%q: %d %s", form, code, body)
		}
	}
	if spam, ham := s.documents(""); spam != 313 || ham != 312 {
		t.Errorf("%d spam, %d ham", spam, ham)
	}
}

// A user's page is about his database, and its links stay there.
func TestUser(t *testing.T) {
	t.Parallel()
	s := start(t, api.Options{}).signIn()
	s.ask("alice", letter("casino", 700))
	code, body := s.get("/?user=alice")
	s.has(code, body, "Database of <b>alice</b>", "/review?user=alice")
	ids := found(boxes, body)
	if len(ids) != 1 {
		t.Fatalf("%d decisions for alice", len(ids))
	}
	s.has(s.post("/?user=alice", "id", ids[0], "teach", "ham"))
	if _, ham := s.documents("alice"); ham != 1 {
		t.Errorf("alice has %d ham", ham)
	}
	if _, ham := s.documents(""); ham != 12 {
		t.Errorf("%d ham for all", ham)
	}
	code, body = s.get("/")
	s.has(code, body, `class="as">ham`)
}

// The configuration of the documentation is right, and the page shows it as it is.
func TestDocs(t *testing.T) {
	t.Parallel()
	shown, err := os.ReadFile("../../docs/page/polya.toml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/page.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.ReplaceAll(string(doc), "\n    ", "\n"), string(shown)) {
		t.Error("docs/page.md does not show docs/page/polya.toml")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "polya.toml")
	text := strings.NewReplacer("/var/lib/polya", dir, "/etc/polya", dir).Replace(string(shown))
	for name, content := range map[string]string{file: text, filepath.Join(dir, "token"): token} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(file)
	if err != nil || c.Token != token || c.Decisions.Message != 32<<10 || len(c.HTTP) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Before anything was taught or asked every screen says what to do, and the first message can be
// taught there.
func TestEmpty(t *testing.T) {
	t.Parallel()
	s := startWith(t, api.Options{}, 0).signIn()
	for path, want := range map[string]string{
		"/": "Thunderbird", "/review": "Bring your mail", "/ask": "Paste a message", "/classes": "needs 10 more", "/well": "No answers since then",
		"/well?measure=1": "Too little to measure", "/ledger": "Bring your mail", "/?user=alice": "Bring your mail", "/import": "Restore",
	} {
		code, body := s.get(path)
		s.has(code, body, want)
	}
	if code, _ := s.get("/?user=nobody"); code != 200 {
		t.Errorf("a user without a database: %d", code)
	}
	code, body := s.post("/ask", "message", string(letter("casino", 1)))
	s.has(code, body, "unsure", "None of its words was ever taught.")
	kept := regexp.MustCompile(`name="kept" value="([^"]+)"`).FindStringSubmatch(body)
	code, body = s.post("/ask", "kept", kept[1], "id", "", "teach", "spam")
	s.has(code, body, "Taught 1 message as spam.")
	if spam, _ := s.documents(""); spam != 1 {
		t.Errorf("%d spam", spam)
	}
}

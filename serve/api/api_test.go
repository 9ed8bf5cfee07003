package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/metrics"
)

const token = "correct-horse-battery"

// server serves an engine with an empty database, on a socket and on TCP.
type server struct {
	t           *testing.T
	engine      *engine.Engine
	socket, tcp string
}

func start(t *testing.T, o Options) *server {
	t.Helper()
	return startIn(t, t.TempDir(), o)
}

// startIn is start in a folder, which may have the database mail.polya.
func startIn(t *testing.T, dir string, o Options) *server {
	t.Helper()
	e, err := engine.New(engine.Options{Path: filepath.Join(dir, "mail.polya"), Decisions: &decisions.Options{}, Auto: &engine.Auto{},
		Users: engine.Users{Path: filepath.Join(dir, "%u.polya"), Names: []string{"alice"}}})
	if err != nil {
		t.Fatal(err)
	}
	counts := metrics.New(e)
	o.Backend, o.Engine, o.Token = counts, e, token
	o.Metrics = func(context.Context) string {
		var p metrics.Page
		counts.Write(&p)
		return p.String()
	}
	s := &server{t: t, engine: e}
	served := New(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	for network, address := range map[string]string{"unix": filepath.Join(dir, "s"), "tcp": "127.0.0.1:0"} {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		if network == "unix" {
			s.socket = address
		} else {
			s.tcp = l.Addr().String()
		}
		go func() { done <- served.Serve(ctx, l) }()
	}
	t.Cleanup(func() {
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
	return s
}

// do sends a request; header are pairs of names and values.
func (s *server) do(network, method, path, body string, header ...string) (code int, reply string) {
	s.t.Helper()
	address := s.socket
	if network == "tcp" {
		address = s.tcp
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial(network, address)
	}}}
	r, err := http.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	got, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return got.StatusCode, string(b)
}

func letter(topic string, n int) string {
	return fmt.Sprintf("From: a@example.org\r\nSubject: %s\r\nMessage-ID: <%s-%d@example.org>\r\n\r\nThe %s is at number %d.\r\n", topic, topic, n, topic, n)
}

// document is what of OpenAPI the test reads.
type document struct {
	Servers    []struct{ URL string }
	Paths      map[string]map[string]*operation
	Components struct {
		Schemas    map[string]*schema
		Parameters map[string]struct {
			Name     string
			Required bool
		}
	}
}

type operation struct {
	OperationID string
	Security    *[]any
	Parameters  []struct {
		Ref string `json:"$ref"`
	}
	RequestBody *struct{ Required bool }
	Responses   map[string]struct {
		Content map[string]struct{ Schema *schema }
	}
}

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Enum                 []string
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties json.RawMessage
	Items                *schema
	OneOf                []*schema
}

// check returns what is wrong with a value.
func (d *document) check(s *schema, v any, at string) string {
	if s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	if s == nil {
		return at + ": no schema"
	}
	if s.OneOf != nil {
		wrong := ""
		for _, one := range s.OneOf {
			if wrong = d.check(one, v, at); wrong == "" {
				return ""
			}
		}
		return wrong
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, is := v[name]; !is {
				return at + "." + name + " is missing"
			}
		}
		for name, value := range v {
			property := s.Properties[name]
			if property == nil && string(s.AdditionalProperties) == "false" {
				return at + "." + name + " is not in the document"
			}
			if property == nil && len(s.AdditionalProperties) > 0 {
				property = new(schema)
				if err := json.Unmarshal(s.AdditionalProperties, property); err != nil {
					return err.Error()
				}
			}
			if property != nil {
				if wrong := d.check(property, value, at+"."+name); wrong != "" {
					return wrong
				}
			}
		}
		return of(s.Type == "object", at, v)
	case []any:
		if s.Type != "array" {
			return of(false, at, v)
		}
		for _, value := range v {
			if wrong := d.check(s.Items, value, at+"[]"); wrong != "" {
				return wrong
			}
		}
		return ""
	case string:
		return of(s.Type == "string" && (s.Enum == nil || slices.Contains(s.Enum, v)), at, v)
	case bool:
		return of(s.Type == "boolean", at, v)
	case float64:
		return of(s.Type == "number" || s.Type == "integer" && v == float64(int64(v)), at, v)
	default:
		return of(s.Type == "null", at, v)
	}
}

func of(right bool, at string, v any) string {
	if right {
		return ""
	}
	return fmt.Sprintf("%s is %v", at, v)
}

// Every request of the OpenAPI document is answered as it says, with the parameters that it
// names; there is none beside, and each parameter that handlers read is named.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	var d document
	if err := json.Unmarshal(OpenAPI, &d); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{} // generated clients call their functions so
	for path, all := range d.Paths {
		for _, op := range all {
			if op.OperationID == "" || names[op.OperationID] {
				t.Errorf("%s has no operationId of its own: %q", path, op.OperationID)
			}
			names[op.OperationID] = true
		}
	}
	if len(d.Servers) != 1 {
		t.Errorf("%d servers", len(d.Servers))
	}
	s := start(t, Options{})
	for n := range 30 {
		for class, topic := range map[string]string{"spam": "casino", "ham": "meeting"} {
			if code, reply := s.do("unix", "POST", "/v1/train?class="+class, letter(topic, n)); code != 200 {
				t.Fatalf("%d: %s", code, reply)
			}
		}
	}
	s.do("unix", "POST", "/v1/classify", letter("casino", 1000))
	_, reply := s.do("unix", "GET", "/v1/ledger?class=spam&limit=2", "")
	ids := regexp.MustCompile(`[0-9a-f]{32}`).FindAllString(reply, -1)
	_, reply = s.do("unix", "GET", "/v1/decisions", "")
	answered := regexp.MustCompile(`[0-9a-f]{32}`).FindString(reply)
	if len(ids) != 2 || answered == "" {
		t.Fatalf("ids %v, %q", ids, answered)
	}
	for path, query := range map[string]string{
		"/v1/classify": "", "/v1/explain": "", "/v1/train": "?class=ham", "/v1/relabel": "?class=ham&id=" + ids[0],
		"/v1/forget": "?id=" + ids[1], "/v1/teach": "?class=spam&id=" + answered, "/v1/classes": "", "/v1/statistics": "",
		"/v1/ledger": "", "/v1/decisions": "", "/v1/auto": "", "/v1/undo": "?source=auto", "/v1/auto/resume": "",
		"/healthz": "", "/readyz": "", "/metrics": "", "/v1/openapi.json": "",
	} {
		if len(d.Paths[path]) != 1 {
			t.Errorf("the document does not know %s", path)
			continue
		}
		for method, op := range d.Paths[path] {
			code, reply := s.do("unix", strings.ToUpper(method), path+query, letter("meeting", 5000))
			for kind, content := range op.Responses["200"].Content {
				var v any
				if kind == "application/json" {
					if err := json.Unmarshal([]byte(reply), &v); err != nil {
						t.Errorf("%s: %v", path, err)
					}
					if wrong := d.check(content.Schema, v, path); code != 200 || wrong != "" {
						t.Errorf("%d: %s\n%s", code, wrong, reply)
					}
				}
			}
			open := op.Security != nil && len(*op.Security) == 0
			if code, _ := s.do("tcp", strings.ToUpper(method), path+query, ""); (code == 401) == open {
				t.Errorf("%s without the token: %d", path, code)
			}
			for _, p := range op.Parameters {
				name := strings.TrimPrefix(p.Ref, "#/components/parameters/")
				_, known := d.Components.Parameters[name]
				if !known {
					t.Errorf("%s: no parameter %s", path, name)
				}
				if name := strings.ToLower(strings.TrimPrefix(name, "required")); strings.HasPrefix(p.Ref, "#/components/parameters/required") {
					without := regexp.MustCompile(name+`=\w+`).ReplaceAllString(path+query, "")
					if code, _ := s.do("unix", strings.ToUpper(method), without, ""); code != 400 {
						t.Errorf("%s without %s: %d", path, name, code)
					}
				}
			}
		}
		delete(d.Paths, path)
	}
	for path := range d.Paths {
		t.Errorf("the document has %s, the test has not", path)
	}
	read := regexp.MustCompile(`(?:Get|Has)\("([a-z]+)"\)`)
	for _, file := range []string{"handlers.go", "ledger.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range read.FindAllSubmatch(text, -1) {
			if _, known := d.Components.Parameters[string(m[1])]; !known {
				t.Errorf("%s reads the parameter %s, which the document has not", file, m[1])
			}
		}
	}
	for _, r := range list {
		if !bytes.Contains(OpenAPI, []byte(`"`+r.path+`": {"`+strings.ToLower(r.method)+`"`)) {
			t.Errorf("the document does not know %s %s", r.method, r.path)
		}
	}
}

// A client that has sent its request and shuts down its writing side waits for the answer.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	for i := range 20 {
		c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.socket})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		text := fmt.Sprintf("Subject: offer %d\r\n\r\noffer\r\n", i)
		fmt.Fprintf(c, "POST /v1/train?class=spam HTTP/1.1\r\nHost: polya\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		c.CloseWrite()
		if reply, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(reply), "HTTP/1.1 200 ") {
			t.Errorf("%v, %s", err, reply)
		}
	}
}

func TestLearning(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	m := letter("casino", 1)
	id := ""
	for _, c := range []struct {
		path, body string
		code       int
		want       string
	}{
		{"/v1/forget", m, 200, "unchanged"},
		{"/v1/train?class=spam", m, 200, "learned"},
		{"/v1/train?class=spam", m, 200, "unchanged"},
		{"/v1/train?class=ham&source=me", m, 200, "moved"},
		{"/v1/train?class=nonsense", m, 404, "no such class"},
		{"/v1/train?class=receipts&new", letter("invoice", 1), 200, "learned"},
		{"/v1/train?class=receipts", letter("invoice", 2), 200, "learned"},
		{"/v1/train?class=receipts&user=alice", letter("invoice", 2), 200, "learned"},
		{"/v1/train?class=a,b&new", letter("invoice", 3), 400, "a comma stands between tags"},
		{"/v1/train?class=%0a&new", letter("invoice", 3), 400, "no class can have that name"},
		{"/v1/train", m, 400, "class is missing"},
		{"/v1/train?class=ham&user=bob", m, 404, "no such user"},
		{"/v1/train?class=ham&user=alice", m, 200, "learned"},
		{"/v1/relabel?class=spam&id=ID", "", 200, "moved"},
		{"/v1/relabel?class=spam&id=ID", "", 200, "unchanged"},
		{"/v1/relabel?class=nonsense&id=ID", "", 404, "no such class"},
		{"/v1/relabel?class=spam&id=00000000000000000000000000000000", "", 404, "no such document"},
		{"/v1/relabel?class=spam&id=xyz", "", 400, "id is none"},
		{"/v1/forget?id=ID", "", 200, "forgotten"},
		{"/v1/forget?id=ID", "", 404, "no such document"},
		{"/v1/relabel?class=spam&user=alice&id=ID", "", 200, "moved"},
		{"/v1/forget?user=alice&id=ID", "", 200, "forgotten"},
		{"/v1/train?class=ham&user=alice", m, 200, "learned"},
		{"/v1/undo?all&source=auto&since=2026-01-31T12:00:00Z", "", 200, `{"documents":0,"classes":{},"digests":0,"unlisted":0}`},
		{"/v1/undo?all&source=auto&user=alice", "", 400, "want one of them"},
		{"/v1/undo", "", 400, "nothing says what to take back"},
		{"/v1/undo?class=ham&before=yesterday", "", 400, "before is no moment"},
		{"/v1/train?class=ham&source=list&user=alice", letter("meeting", 2), 200, "learned"},
		{"/v1/undo?all&source=list&before=2026-01-31T12:00:00Z", "", 200, `"documents":0`},
		{"/v1/undo?all&source=list&dry", "", 200, `{"documents":1,"classes":{"ham":1},"digests":0,"unlisted":0}`},
		{"/v1/undo?source=list", "", 200, `"documents":0`},
		{"/v1/undo?source=list&user=alice", "", 200, `{"documents":1,"classes":{"ham":1},"digests":0,"unlisted":0}`},
		{"/v1/undo?all&source=list", "", 200, `"documents":0`},
		{"/v1/teach?class=spam&id=ffff", "", 404, "no such decision"},
	} {
		code, reply := s.do("unix", "POST", strings.Replace(c.path, "ID", id, 1), c.body)
		if code != c.code || !strings.Contains(reply, c.want) {
			t.Errorf("%s: %d %s, not %d %s", c.path, code, reply, c.code, c.want)
		}
		if id == "" {
			_, ledger := s.do("unix", "GET", "/v1/ledger", "")
			id = regexp.MustCompile(`[0-9a-f]{32}`).FindString(ledger)
		}
	}
	if _, reply := s.do("unix", "GET", "/v1/ledger?user=alice", ""); !strings.Contains(reply, `"class":"ham"`) || !strings.Contains(reply, `"source":"http"`) {
		t.Errorf("Alice's ledger: %s", reply)
	}
	_, reply := s.do("unix", "GET", "/metrics", "")
	for _, want := range []string{`polya_trainings_total{class="ham",source="other",outcome="moved"} 1`, `polya_failures_total{call="learn",reason="class"} 1`} {
		if !strings.Contains(reply, want) {
			t.Errorf("no %s in\n%s", want, reply)
		}
	}
}

func TestLedger(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	for n := range 25 {
		s.do("unix", "POST", "/v1/train?source=x&class="+[]string{"spam", "ham"}[n%2], letter("casino", n))
	}
	seen := map[string]bool{}
	after := ""
	for range 4 {
		_, reply := s.do("unix", "GET", "/v1/ledger?limit=10&after="+after, "")
		for _, id := range regexp.MustCompile(`[0-9a-f]{32}`).FindAllString(reply, -1) {
			seen[id], after = true, id
		}
	}
	if len(seen) != 25 {
		t.Errorf("by pages there are %d documents", len(seen))
	}
	for query, want := range map[string]int{"class=spam": 13, "class=none": 0, "source=x": 25, "source=y": 0, "since=2000-01-01T00:00:00Z": 25, "since=2100-01-01T00:00:00Z": 0} {
		if _, reply := s.do("unix", "GET", "/v1/ledger?"+query, ""); strings.Count(reply, `"id"`) != want {
			t.Errorf("%s: %s", query, reply)
		}
	}
	for _, query := range []string{"limit=0", "limit=10001", "limit=x", "since=yesterday"} {
		if code, _ := s.do("unix", "GET", "/v1/ledger?"+query, ""); code != 400 {
			t.Errorf("%s: %d", query, code)
		}
	}
}

// Who has no business here is kept out.
func TestRefused(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := start(t, Options{Options: gate.Options{Limits: gate.Limits{Message: 1000}, Log: slog.New(slog.NewTextHandler(&log, nil))}, Hosts: []string{"Polya.example.org"}})
	with := []string{"Authorization", "Bearer " + token}
	for _, c := range []struct {
		network, method, path, body string
		header                      []string
		code                        int
	}{
		{"tcp", "POST", "/v1/classify", "x", nil, 401},
		{"tcp", "POST", "/v1/classify", "x", []string{"Authorization", "Bearer wrong"}, 401},
		{"tcp", "POST", "/v1/classify", "x", with, 200},
		{"tcp", "POST", "/v1/train?class=spam", "x", with, 200},
		{"tcp", "GET", "/v1/decisions", "", nil, 401},
		{"tcp", "GET", "/metrics", "", nil, 200},
		{"tcp", "GET", "/v1/classes", "", append(with, "Host", "evil.example"), 421},
		{"tcp", "GET", "/healthz", "", []string{"Host", "evil.example:80"}, 421},
		{"tcp", "GET", "/v1/classes", "", append(with, "Host", "polya.example.org:11"), 200},
		{"tcp", "GET", "/v1/classes", "", append(with, "Host", "[::1]:11"), 200},
		{"tcp", "POST", "/v1/classify", "x", append(with, "Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site"), 403},
		{"unix", "POST", "/v1/classify", "x", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"unix", "GET", "/v1/ledger", "", []string{"Host", "evil.example:8025"}, 421},
		{"unix", "GET", "/v1/decisions", "", []string{"Host", "evil.example"}, 421},
		{"unix", "POST", "/v1/undo?since=2020-01-01T00:00:00Z", "", []string{"Host", "evil:8025"}, 421},
		{"unix", "GET", "/v1/ledger", "", []string{"Host", "localhost:8025"}, 200},
		{"unix", "GET", "/v1/ledger", "", []string{"Host", "anything"}, 200},
		{"unix", "POST", "/v1/classify", strings.Repeat("x", 1001), nil, 413},
		{"unix", "GET", "/v1/classify", "", nil, 405},
		{"unix", "GET", "/v1/nothing", "", nil, 404},
		{"tcp", "GET", "/v1/train", "", with, 405},
		{"tcp", "PUT", "/healthz", "", nil, 405},
		{"tcp", "GET", "/nothing", "", nil, 404},
		{"unix", "GET", "/nothing", "", []string{"Host", "polya"}, 404},
		{"unix", "POST", "/v1/train?class=spam", " \n", nil, 400},
		{"unix", "POST", "/v1/classify", "x", []string{"Content-Encoding", "gzip"}, 415},
	} {
		code, reply := s.do(c.network, c.method, c.path, c.body, c.header...)
		if isJSON := strings.HasPrefix(reply, `{"error":`); code != c.code || code >= 400 && !isJSON {
			t.Errorf("%s %s %s %v: %d %s, not %d", c.network, c.method, c.path, c.header, code, reply, c.code)
		}
	}
	if strings.Contains(log.String(), token) {
		t.Error("the log has the token")
	}
}

// Failures have the codes that clients act on.
func TestFailures(t *testing.T) {
	t.Parallel()
	for err, code := range map[error]int{
		backend.ErrBusy: 503, backend.ErrSize: 413, backend.ErrClass: 404, backend.ErrUser: 404, context.DeadlineExceeded: 504,
		backend.ErrDecision: 404, backend.ErrAmbiguous: 409, io.ErrUnexpectedEOF: 503,
	} {
		w := httptest.NewRecorder()
		New(Options{}).fail(w, httptest.NewRequest("GET", "/", nil), fmt.Errorf("x: %w", err))
		if w.Code != code {
			t.Errorf("%v: %d, not %d", err, w.Code, code)
		}
	}
}

// Who may teach his own database decides for nobody else.
func TestOwnAlone(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Options: gate.Options{MayTeach: func(c access.Caller) bool { return c.User == "alice" }}})
	for path, want := range map[string]int{
		"/v1/auto/resume": http.StatusForbidden, "/v1/auto/resume?user=alice": http.StatusBadRequest,
		"/v1/undo?source=x": http.StatusForbidden, "/v1/undo?source=x&all": http.StatusForbidden, "/v1/undo?source=x&all&user=alice": http.StatusBadRequest,
		"/v1/undo?source=x&user=alice": http.StatusOK, "/v1/undo?source=x&user=bob&user=alice": http.StatusForbidden,
	} {
		if code, reply := s.do("unix", "POST", path, ""); code != want {
			t.Errorf("%s: %d %s, not %d", path, code, reply, want)
		}
	}
}

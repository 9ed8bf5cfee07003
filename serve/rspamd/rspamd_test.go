package rspamd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

const (
	spam = "Subject: offer\r\n\r\nplum plum\r\n"
	ham  = "Subject: hello\r\n\r\ncherry\r\n"
)

// ask sends a request with fields of the form Name: value and returns the reply.
func ask(t *testing.T, network, address, method, path, body string, fields ...string) (code int, reply string) {
	t.Helper()
	client := http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return net.Dial(network, address) }}}
	r, err := http.NewRequest(method, "http://polya"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		r.Header.Add(name, value)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(b))
}

func TestWire(t *testing.T) {
	t.Parallel()
	server := New(gate.Options{Backend: &servetest.Backend{}, Token: "token", Limits: gate.Limits{Message: 1000}, Version: "1.2", Log: servetest.Log(t, "token", "cherry", "hello", "wrong")})
	tcp, unix := servetest.Serve(t, "tcp", server.Serve), servetest.Serve(t, "unix", server.Serve)
	const (
		learned      = `{"success":true}`
		unauthorized = `{"error":"Unauthorized"}`
		password     = "Password: token"
	)
	for i, test := range []struct {
		network, method, path, body string
		fields                      []string
		code                        int
		want                        string
	}{
		{"tcp", "GET", "/ping", "", nil, 200, "pong"},
		{"tcp", "GET", "/healthy", "", nil, 200, learned},
		{"tcp", "GET", "/ready", "", nil, 200, learned},
		{"tcp", "GET", "/auth", "", nil, 401, unauthorized},
		{"tcp", "GET", "/auth", "", []string{password}, 200, `{"auth":"ok","uptime":0,"version":"1.2"}`},
		{"unix", "GET", "/auth", "", nil, 200, `{"auth":"ok","uptime":0,"version":"1.2"}`},

		{"tcp", "POST", "/learnspam", ham, nil, 401, unauthorized},
		{"tcp", "POST", "/learnspam", ham, []string{"Password: wrong"}, 401, unauthorized},
		{"tcp", "POST", "/learnspam", ham, []string{"Token: "}, 401, unauthorized},
		{"tcp", "POST", "/learnspam", ham, []string{password}, 200, learned},
		{"tcp", "POST", "/learnspam", ham, []string{password}, 208, `{"error":"already learned as spam"}`},
		{"unix", "POST", "/learnham", ham, nil, 200, learned},
		{"tcp", "POST", "/learnclass", ham, []string{password, "Class: werbung"}, 200, learned},
		{"tcp", "POST", "/learnclass", ham, []string{password, "Class: plum"}, 404, `{"error":"no such class"}`},
		{"tcp", "POST", "/learnclass", ham, []string{password}, 404, `{"error":"no such class"}`},
		{"tcp", "POST", "/learnham", ham, []string{password, "Deliver-To: carol"}, 404, `{"error":"no such user"}`},

		{"tcp", "POST", "/checkv2", strings.Repeat(ham, 100), nil, 413, `{"error":"message too large"}`},
		{"tcp", "POST", "/checkv2", ham, []string{"Compression: zstd"}, 415, `{"error":"compressed messages are not understood"}`},
		{"tcp", "GET", "/learnspam", "", []string{password}, 405, "Method Not Allowed"},
		{"tcp", "POST", "/fuzzyadd", ham, []string{password}, 404, "404 page not found"},
		{"tcp", "GET", "/stat", "", nil, 200, `{"actions":{"add header":0,"no action":0},"ham_count":0,"learned":3,"read_only":false,"scanned":0,` +
			`"spam_count":0,"statfiles":[],"total_learns":3,"uptime":0,"version":"1.2"}`},
	} {
		address := map[string]string{"tcp": tcp, "unix": unix}[test.network]
		code, got := ask(t, test.network, address, test.method, test.path, test.body, test.fields...)
		if code != test.code || strings.ReplaceAll(got, `"uptime":1`, `"uptime":0`) != test.want {
			t.Errorf("%d: %s %s: got %d %s, want %d %s", i, test.method, test.path, code, got, test.code, test.want)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	b := &servetest.Backend{}
	address := servetest.Serve(t, "tcp", New(gate.Options{Backend: b}).Serve)
	b.Learn(t.Context(), backend.Request{User: "alice", Message: []byte(ham)}, "spam")
	const isSpam = `"is_skipped":false,"score":9.6,"required_score":1,"action":"add header","symbols":{"POLYA_SPAM":` +
		`{"name":"POLYA_SPAM","score":9.6,"metric_score":9.6,"options":["spam; probability=0.9987"]}},"messages":{},"message-id":"undef",` +
		`"milter":{"add_headers":{"X-Polya-Class":{"value":"spam; probability=0.9987","order":0},"X-Spam":{"value":"Yes","order":0}},` +
		`"remove_headers":{"X-Polya-Class":0,"X-Spam":0}}`
	const isHam = `"is_skipped":false,"score":-6.3,"required_score":1,"action":"no action","symbols":{"POLYA_HAM":` +
		`{"name":"POLYA_HAM","score":-6.3,"metric_score":-6.3,"options":["ham; probability=0.9876"]}},"messages":{},"message-id":"undef",` +
		`"milter":{"add_headers":{"X-Polya-Class":{"value":"ham; probability=0.9876","order":0}},"remove_headers":{"X-Polya-Class":0,"X-Spam":0}}`
	for _, test := range []struct {
		message string
		fields  []string
		want    string
	}{
		{spam, nil, isSpam},
		{ham, nil, isHam},
		{ham, []string{"Deliver-To: alice"}, isSpam},
		{ham, []string{"Rcpt: <alice>"}, isSpam},
		{ham, []string{"User: alice"}, isSpam},
		{ham, []string{"User: alice", "Rcpt: bob"}, isHam},
		{ham, []string{"Rcpt: alice", "Rcpt: bob"}, isHam},
		{ham, []string{"Rcpt: carol"}, isHam},
	} {
		code, got := ask(t, "tcp", address, "POST", "/checkv2", test.message, test.fields...)
		var want, have map[string]any
		if err := errors.Join(json.Unmarshal([]byte("{"+test.want+"}"), &want), json.Unmarshal([]byte(got), &have)); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		delete(have, "time_real")
		if code != 200 || fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%q: got %d\n%s, want\n%s", test.fields, code, got, test.want)
		}
	}
}

// A page of another site, in a browser on this machine, has no answer.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := &servetest.Backend{}
	address := servetest.Serve(t, "tcp", New(gate.Options{Backend: b}).Serve)
	for _, field := range []string{"Origin: http://evil.example", "Origin: http://polya", "Origin: null", "Sec-Fetch-Site: cross-site"} {
		if code, _ := ask(t, "tcp", address, "POST", "/checkv2", spam, field); code != http.StatusForbidden {
			t.Errorf("%s: %d", field, code)
		}
	}
	if len(b.Calls()) > 0 {
		t.Error("the classifier was asked")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		code int
		want string
	}{
		{backend.ErrBusy, 503, "too many requests at once"},
		{backend.ErrSize, 413, "message too large"},
		{errors.New("disk full"), 503, "service unavailable"},
		{context.DeadlineExceeded, 504, "timeout"},
	} {
		b := &servetest.Backend{Before: func(ctx context.Context, r backend.Request) error {
			if test.err == context.DeadlineExceeded {
				<-ctx.Done()
				return ctx.Err()
			}
			return fmt.Errorf("database: %w", test.err)
		}}
		address := servetest.Serve(t, "tcp", New(gate.Options{Backend: b, Limits: gate.Limits{MessageTime: time.Second, AnswerTime: time.Millisecond}}).Serve)
		for _, request := range []string{"POST /checkv2", "GET /ready"} {
			method, path, _ := strings.Cut(request, " ")
			code, got := ask(t, "tcp", address, method, path, "")
			if want := `{"error":"` + test.want + `"}`; code != test.code || got != want {
				t.Errorf("%v: got %d %s, want %d %s", test.err, code, got, test.code, want)
			}
		}
	}
}

// TestLimits holds that connections too many are refused at once, that slow ones are
// closed when their time is up, and that those in hand are finished at the end.
func TestLimits(t *testing.T) {
	t.Parallel()
	in, hold := make(chan struct{}), make(chan struct{})
	b := &servetest.Backend{Before: func(context.Context, backend.Request) error { in <- struct{}{}; <-hold; return nil }}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	limit := 2 * time.Second // so long that the refusal below is seen within it on a slow machine
	go func() {
		ended <- New(gate.Options{Backend: b, Limits: gate.Limits{Connections: 3, HeaderTime: limit, MessageTime: 2 * limit}}).Serve(ctx, l)
	}()
	dial := func(said string) net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(time.Minute))
		io.WriteString(c, said)
		return c
	}
	request := fmt.Sprintf("POST /checkv2 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(spam))
	working := dial(request + spam)
	<-in
	slow := []net.Conn{dial(request[:20]), dial(request + spam[:5])}
	for reply := ""; !strings.Contains(reply, "503 Service Unavailable"); { // until the two are accepted
		c := dial(request)
		c.SetDeadline(time.Now().Add(20 * time.Millisecond))
		b, _ := io.ReadAll(c)
		reply = string(b)
		c.Close()
	}
	for i, c := range slow {
		b, err := io.ReadAll(c)
		if ok := i == 0 || strings.Contains(string(b), "408 Request Timeout"); !ok || err != nil {
			t.Errorf("slow: %q, %v", b, err)
		}
	}
	cancel()
	close(hold)
	response, err := http.ReadResponse(bufio.NewReader(working), nil)
	if err != nil || response.StatusCode != 200 {
		t.Errorf("in hand: %v, %v", response, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestBusyReply(t *testing.T) {
	t.Parallel()
	address := servetest.Serve(t, "tcp", New(gate.Options{Backend: &servetest.Backend{}, Limits: gate.Limits{Connections: -1}}).Serve)
	if code, got := ask(t, "tcp", address, "POST", "/checkv2", spam); code != 503 || got != `{"error":"too many connections at once"}` {
		t.Errorf("%d %s", code, got)
	}
}

//go:build unix

package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// TestMain is also the daemon that tests stop and kill: with the name of a configuration
// in the environment it is nothing else.
func TestMain(m *testing.M) {
	path := os.Getenv("POLYA_TEST_CONFIG")
	if path == "" {
		os.Exit(m.Run())
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	go func() { // until the test ends, however it does
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	run := Run
	if os.Getenv("POLYA_TEST_SPOOL") != "" {
		run = Spool
	}
	if err := run(ctx, path, Options{Version: "of a test", Log: os.Stderr, Reload: reload}); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// process is a daemon in a process of its own.
type process struct {
	t   *testing.T
	dir string
	cmd *exec.Cmd

	mu  sync.Mutex
	log strings.Builder
}

// start starts a daemon with the configuration, in which DIR is dir, and waits until it is
// ready. Its HTTP API is at dir/http.
func start(t *testing.T, dir, conf string, through ...string) *process {
	t.Helper()
	p := begin(t, dir, conf, through...)
	p.wait("msg=ready")
	return p
}

func begin(t *testing.T, dir, conf string, through ...string) *process {
	t.Helper()
	file := filepath.Join(dir, "polya.toml")
	servetest.Write(t, file, strings.ReplaceAll(conf, "DIR", dir))
	args := append(through, os.Args[0])
	p := &process{t: t, dir: dir, cmd: exec.Command(args[0], args[1:]...)}
	p.cmd.Env = append(os.Environ(), "POLYA_TEST_CONFIG="+file)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = w
	if _, err := p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	go func() {
		for lines := bufio.NewScanner(r); lines.Scan(); {
			p.mu.Lock()
			fmt.Fprintln(&p.log, lines.Text())
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		r.Close()
		if t.Failed() {
			t.Logf("the log of the daemon:\n%s", p.logged())
		}
	})
	return p
}

func (p *process) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

func (p *process) wait(line string) {
	p.t.Helper()
	servetest.Until(p.t, line, func() bool { return strings.Contains(p.logged(), line) })
}

// signal sends a signal and waits until the daemon has ended.
func (p *process) end(s os.Signal) error {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	return p.cmd.Wait()
}

// ask sends a request to the HTTP API.
func (p *process) ask(method, path, body string) (code int, reply map[string]any) {
	p.t.Helper()
	client := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", p.dir+"/http")
		},
	}}
	r, err := http.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	got, err := client.Do(r)
	if err != nil {
		return 0, nil
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return 0, nil
	}
	reply = map[string]any{"text": string(text)}
	_ = json.Unmarshal(text, &reply)
	return got.StatusCode, reply
}

// documents is how many documents the ledger has of a class.
func (p *process) documents(class, user string) int {
	p.t.Helper()
	_, reply := p.ask("GET", "/v1/ledger?limit=10000&class="+class+"&user="+url.QueryEscape(user), "")
	list, _ := reply["ledger"].([]any)
	return len(list)
}

// letter is a message of some topic, each number another.
func letter(topic string, n int) string {
	return fmt.Sprintf("From: a%[2]d@example.org\r\nTo: bob@example.test\r\nSubject: about %[1]s\r\nMessage-ID: <%[1]s-%[2]d@example.org>\r\n\r\n"+
		"Hello, %[1]s number %[2]d is here, and %[1]s it stays.\r\n", topic, n)
}

// teach learns letters of two topics, until answers are sure.
func (p *process) teach() {
	p.t.Helper()
	for n := range 40 {
		for class, topic := range map[string]string{"spam": "casino", "ham": "meeting"} {
			if code, reply := p.ask("POST", "/v1/train?class="+class, letter(topic, n)); code != 200 || reply["outcome"] != "learned" {
				p.t.Fatalf("training: %d, %v", code, reply)
			}
		}
	}
	servetest.Until(p.t, "sure answers", func() bool {
		_, spam := p.ask("POST", "/v1/classify", letter("casino", 1000))
		_, ham := p.ask("POST", "/v1/classify", letter("meeting", 1000))
		return spam["spam"] == true && ham["class"] == "ham" && ham["unsure"] == false
	})
}

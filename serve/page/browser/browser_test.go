package browser

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/polya-classifier/polya/serve/api"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/gate"
	admin "github.com/polya-classifier/polya/serve/page"
)

const token = "correct-horse-battery"

// chromium is the browser that all tests share.
var chromium context.Context

func TestMain(m *testing.M) {
	os.Exit(func() int {
		path := program()
		if path == "" {
			if os.Getenv("CI") != "" {
				fmt.Println("Chromium is not there")
				return 1
			}
			fmt.Println("SKIPPED: Chromium is not there")
			return 0
		}
		dir, err := os.MkdirTemp("", "polya-browser-")
		if err != nil {
			fmt.Println(err)
			return 1
		}
		defer os.RemoveAll(dir)
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(dir),
			chromedp.Flag("disable-component-update", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox)
		}
		allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
		defer end()
		var close context.CancelFunc
		chromium, close = chromedp.NewContext(allocated)
		defer close()
		if err := chromedp.Run(chromium); err != nil {
			fmt.Println("Chromium does not start:", err)
			return 1
		}
		return m.Run()
	}())
}

func program() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// server is a daemon's listener with a database that has learned some mail.
type server struct {
	t      *testing.T
	engine *engine.Engine
	base   string
	stop   func() // the listener
}

func start(t *testing.T) *server {
	t.Helper()
	s := serve(t)
	for n := range 12 {
		for class, topic := range topics {
			if _, err := s.engine.Learn(context.Background(), backend.Request{Message: letter(topic, n), Source: "test"}, class); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// serve is start with nothing learned, and with options of the engine.
func serve(t *testing.T, o ...func(*engine.Options)) *server {
	t.Helper()
	options := engine.Options{Path: filepath.Join(t.TempDir(), "mail.polya"), Decisions: &decisions.Options{Message: 32 << 10}, FitAfter: time.Hour}
	for _, change := range o {
		change(&options)
	}
	e, err := engine.New(options)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := api.New(api.Options{Options: gate.Options{Backend: e, Token: token}, Engine: e, Admin: admin.New(e)})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- served.Serve(ctx, l) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &server{t, e, "http://" + l.Addr().String(), stop}
}

var topics = map[string]string{"spam": "casino jackpot winner", "ham": "meeting minutes agenda"}

func letter(topic string, n int) []byte {
	return fmt.Appendf(nil, "From: Ann <ann%d@example.org>\nSubject: %s %d\nMessage-ID: <%s-%d@example.org>\n\nThe %s is at number %d.\n",
		n, topic, n, strings.ReplaceAll(topic, " ", "-"), n, topic, n)
}

// ask has the daemon answer for a message.
func (s *server) ask(message []byte) {
	s.t.Helper()
	if _, err := s.engine.Classify(context.Background(), backend.Request{Message: message, Source: "milter"}, false); err != nil {
		s.t.Fatal(err)
	}
}

// documents returns the number of documents of each class, from the database.
func (s *server) documents() map[string]uint64 {
	s.t.Helper()
	h, err := admin.New(s.engine).Statistics(context.Background(), "")
	if err != nil {
		s.t.Fatal(err)
	}
	n := map[string]uint64{}
	for _, c := range h.Classes {
		n[c.Name] = c.Documents
	}
	return n
}

// tab is a tab of a browser window of its own, and what it did that it should not.
type tab struct {
	t   *testing.T
	ctx context.Context
	*server
	script bool // it runs scripts

	mu    sync.Mutex
	wrong []string
}

// open opens a tab that has signed in. The test fails at its end if the page asked for anything elsewhere, opened a dialogue or broke its own policy.
func (s *server) open(script bool) *tab {
	s.t.Helper()
	ctx, close := chromedp.NewContext(chromium, chromedp.WithTargetID(s.window()))
	b := &tab{t: s.t, ctx: ctx, server: s, script: script}
	if err := chromedp.Run(ctx); err != nil { // the context of the first call is the tab's
		s.t.Fatal(err)
	}
	chromedp.ListenTarget(ctx, b.listen)
	s.t.Cleanup(func() {
		close()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, w := range b.wrong {
			s.t.Error(w)
		}
	})
	b.do(network.Enable(), log.Enable(), page.Enable(), emulation.SetScriptExecutionDisabled(!script),
		chromedp.Navigate(s.base+"/"), chromedp.WaitVisible("[name=token]"), chromedp.SendKeys("[name=token]", token),
		chromedp.Click(".sign button"), chromedp.WaitVisible("nav[aria-label=Screens]"))
	return b
}

// window opens a window with cookies of its own.
func (s *server) window() target.ID {
	s.t.Helper()
	ctx := cdp.WithExecutor(chromium, chromedp.FromContext(chromium).Browser)
	profile, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(profile).WithNewWindow(true).Do(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, b.base+"/") && !strings.HasPrefix(e.Request.URL, "data:image/svg+xml;base64,") { // an icon of a date field, Chromium's own
			b.wrong = append(b.wrong, "asked for "+e.Request.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.wrong = append(b.wrong, "dialogue: "+e.Message)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError {
			b.wrong = append(b.wrong, "log: "+e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Error())
	}
}

// patience is how long a step may take on a loaded machine; a fraction of a second is usual.
const patience = 2 * time.Minute

// do does what a person would, and waits for what he would wait for.
func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		var shown string
		ctx, cancel := context.WithTimeout(b.ctx, patience)
		defer cancel()
		_ = chromedp.Run(ctx, chromedp.OuterHTML("main", &shown))
		b.t.Fatalf("%v\n%s", err, shown)
	}
}

// visit opens a screen.
func (b *tab) visit(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base+path), chromedp.WaitVisible("main h1"))
}

// status waits for a status that begins so.
func (b *tab) status(begin string) {
	b.t.Helper()
	b.do(chromedp.WaitVisible(fmt.Sprintf(`//*[@id="status"]/p[starts-with(., %q)]`, begin), chromedp.BySearch))
}

// eval returns what a script says of the page.
func eval[T any](b *tab, script string) (v T) {
	b.t.Helper()
	b.do(chromedp.Evaluate(script, &v))
	return v
}

// awaited has a promise of a script waited for.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

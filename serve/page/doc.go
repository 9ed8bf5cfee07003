// Package page shows a person in a browser what the classifier has answered and learned, from whom and
// when, and how accurate its answers are, and lets him correct it, change classes, and bring mailboxes and
// backups in and out. The page is HTML with a style sheet and a short script, all served
// here, and everything works without the script.
//
// It shows text by strangers, spammers among them. html/template escapes it, and a content
// security policy with every reply makes the browser load and run nothing but what is served
// here. Package api, which serves the page, refuses cross-site requests and requests for other
// host names.
package page

import (
	"context"
	"embed"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/web"
	"github.com/polya-classifier/polya/store"
)

//go:embed static
var static embed.FS

// An Admin asks and changes the databases of an Engine, for the pages of all servers.
type Admin struct {
	*engine.Engine

	measuring sync.Mutex   // held during a measurement, which takes a processor for seconds
	receiving sync.Mutex   // held while files are received
	sending   atomic.Int32 // backups that are made and sent
	importing sync.Mutex   // held while imports or one of them is read or changed
	imports   []*importing // the last ones, the newest first; one runs at a time
}

// New returns the Admin of an Engine.
func New(e *engine.Engine) *Admin { return &Admin{Engine: e} }

// view is Read with a snapshot of the database.
func (d *Admin) view(ctx context.Context, user string, f func(*store.Snapshot) error) error {
	return d.Read(ctx, user, func(c *classify.Classifier) error { return c.Store().View(f) })
}

type page struct {
	*web.Server
	Admin     *Admin
	TokenFile string
	last      sync.Map // the class that was taught last, by user
}

// Handler returns the handler of the page of a server, for / and below, for people who may teach. Over a network
// they sign in by the server's token, and are told that it is in tokenFile, unless that is "".
func (d *Admin) Handler(s *web.Server, tokenFile string) http.Handler {
	p := &page{Server: s, Admin: d, TokenFile: tokenFile}
	mux := http.NewServeMux()
	for path, answer := range map[string]func(*page, *visit) error{
		"/{$}": (*page).decisions, "/document": (*page).document, "/review": (*page).review, "/ask": (*page).ask,
		"/classes": (*page).classes, "/well": (*page).well, "/ledger": (*page).ledger, "/import": (*page).bring, "/backup": (*page).backup,
	} {
		handler := func(w http.ResponseWriter, r *http.Request) { p.visit(w, r, answer) }
		mux.HandleFunc("GET "+path, handler)
		mux.HandleFunc("POST "+path, handler)
	}
	mux.HandleFunc("GET /sign-in", p.askToken)
	mux.HandleFunc("POST /sign-in", p.signIn)
	mux.HandleFunc("POST /sign-out", p.signOut)
	mux.Handle("GET /static/", http.FileServerFS(static))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept"), "text/html") { // no browser
			s.Fail(w, r, web.Nothing)
			return
		}
		p.fail(w, r, backend.Failure{Code: http.StatusNotFound, Text: "There is no page of this name."})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode"); (site == "cross-site" || site == "same-site") && mode != "navigate" {
			http.Error(w, "a page of another site may lead here, and load nothing", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// policy has a browser load nothing from elsewhere and run no script in a message.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

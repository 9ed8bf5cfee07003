// Package page shows a person in a browser what the classifier has answered and learned, and
// lets him correct it. The page is HTML with a style sheet and a short script, all served
// here, and everything works without the script.
//
// It shows text by strangers, spammers among them. html/template escapes it, and a content
// security policy with every reply makes the browser load and run nothing but what is served
// here. Package api, which serves the page, refuses cross-site requests and requests for other
// host names.
package page

import (
	"embed"
	"net/http"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/web"
	"github.com/polya-classifier/polya/serve/overview"
)

//go:embed static
var static embed.FS

// Options say what a page shows: to people who may teach, since decisions and ledger are for these alone.
// Over a network they sign in by the Token. Backend, Log, Admin and Read are needed.
type Options struct {
	gate.Options
	Admin     *overview.Admin
	TokenFile string // which has the Token, as people are told who are to sign in

	// Read reads the body of a request, bounded, until free is called.
	Read func(*http.Request) (body []byte, free func(), err error)
}

// page answers the requests.
type page struct {
	Options
	last sync.Map // the class that was taught last, by user
}

// New returns the handler of the page, for / and below.
func New(o Options) http.Handler {
	p := &page{Options: o}
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
			web.Reply(w, http.StatusNotFound, map[string]string{"error": "there is nothing at this path; /v1/openapi.json lists what there is"})
			return
		}
		p.fail(w, r, web.Failure{Code: http.StatusNotFound, Text: "There is no page of this name."})
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

// policy makes a browser load nothing from elsewhere, run no script in a message, and not
// show the page in a frame.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

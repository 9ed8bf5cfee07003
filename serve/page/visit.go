package page

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/web"
)

const onScreen = 50

// by is the ledger's source of trainings from the page.
const by = "page"

// visit is a request of somebody who may see the page, and the view to show him.
type visit struct {
	context.Context
	reply http.ResponseWriter
	query url.Values
	form  *form  // of a POST; nil of a GET
	Next  string // an address to go on to, "" to show the view
	sent  bool   // all that is to be sent
	view
}

type form struct {
	url.Values
	file []byte   // that was uploaded, to be asked about
	sent *uploads // files that were uploaded, to be learned
}

var errForm = backend.Failure{Code: http.StatusBadRequest, Text: "The form cannot be read."}

// visit answers a request with a screen.
func (p *page) visit(w http.ResponseWriter, r *http.Request, answer func(*page, *visit) error) {
	c, known := p.caller(r)
	if !known {
		http.Redirect(w, r, "/sign-in?to="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	if !p.MayTeach(c) {
		p.fail(w, r, backend.Failure{Code: http.StatusForbidden, Text: "This page is for people who may teach, and you may not by way of here."})
		return
	}
	v := &visit{Context: r.Context(), reply: w, query: r.URL.Query()}
	v.view = view{page: p, User: c.User, SignedIn: c.Token}
	var err error
	switch {
	case r.Method != http.MethodPost:
	case r.URL.Path == "/import":
		v.form, err = p.receive(w, r)
		v.Context = context.WithoutCancel(v.Context) // receiving may have taken all its time
		defer func() { v.form.discard() }()
	default:
		v.form, err = p.form(r)
	}
	if err == nil {
		v.Classes, err = p.Backend.Classes(v, v.User)
	}
	if err == nil {
		v.Tags, err = p.Admin.tags(v, v.User)
	}
	if err == nil {
		err = answer(p, v)
	}
	switch {
	case v.sent:
	case err != nil:
		p.fail(w, r, err)
	case v.Next != "":
		http.Redirect(w, r, v.Next, http.StatusSeeOther)
	default:
		p.render(w, http.StatusOK, &v.view)
	}
}

// form reads the fields of a form, which browsers send in two ways, and its file.
func (p *page) form(r *http.Request) (*form, error) {
	body, free, err := p.Message(r)
	defer free()
	if err != nil {
		return nil, err
	}
	all := int64(len(body))
	sent := &http.Request{Method: r.Method, Header: r.Header}                      // without the query of the address
	sent.Body = http.MaxBytesReader(nil, io.NopCloser(bytes.NewReader(body)), all) // net/http has a lower limit of its own
	if err = sent.ParseForm(); err == nil {
		err = sent.ParseMultipartForm(all)
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, errForm
	}
	f := &form{Values: sent.PostForm}
	if file, _, err := sent.FormFile("file"); err == nil {
		f.file, err = io.ReadAll(file)
		return f, err
	}
	return f, nil
}

func (v *visit) posted() bool { return v.form != nil }

func (v *visit) field(name string) string { return strings.TrimSpace(v.query.Get(name)) }

// pager says which rows of all a screen shows.
type pager struct {
	From, To    int
	Newer, More string // addresses of the pages before and after, "" if there is none
}

// pages returns the pager of n rows from row begin on; pairs are the filter.
func (v *visit) pages(path string, begin, n, all int, pairs ...string) pager {
	p := pager{From: begin + 1, To: begin + n}
	if begin > 0 {
		p.Newer = v.URL(path, append(pairs, "from", strconv.Itoa(max(0, begin-onScreen)))...)
	}
	if begin+onScreen < all {
		p.More = v.URL(path, append(pairs, "from", strconv.Itoa(begin+onScreen))...)
	}
	return p
}

// moment returns the moment that a field names, in local time, and the field; zero and "" for none.
func (v *visit) moment(name, layout string) (time.Time, string) {
	t, err := time.ParseInLocation(layout, v.field(name), time.Local)
	if err != nil {
		return time.Time{}, ""
	}
	return t, v.field(name)
}

// shown returns the part of a list that the screen shows, and where it begins.
func shown[T any](v *visit, list []T) (part []T, begin int) {
	begin, _ = strconv.Atoi(v.field("from"))
	begin = max(0, min(begin, len(list)))
	return list[begin:min(begin+onScreen, len(list))], begin
}

func (p *page) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := web.FailureOf(engine.OfLedger(err))
	if f.Code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "60")
	}
	p.Log.Info("page failed", "method", r.Method, "path", r.URL.Path, "code", f.Code, "error", err)
	p.render(w, f.Code, &view{page: p, Screen: "error", Title: http.StatusText(f.Code), Body: f.Text, User: r.URL.Query().Get("user"), SignedIn: p.signedIn(r)})
}

const (
	// cookie carries a session: its end, and a code that only the holder of the token can make.
	cookie = "polya"
	// session is how long a session lasts: a day's work.
	session = 12 * time.Hour
	// signInBytes is the length of the form that asks for the token, which anybody may send.
	signInBytes = 8 << 10
)

// code returns the code of a session that ends at a moment, in seconds.
func (p *page) code(end string) string {
	h := hmac.New(sha256.New, []byte(p.Token))
	h.Write([]byte("session of the page until " + end))
	return hex.EncodeToString(h.Sum(nil))
}

// signedIn reports whether a request carries a session that has not ended, or the token.
func (p *page) signedIn(r *http.Request) bool {
	if shown, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); bearer {
		return access.Token(p.Token, shown)
	}
	c, err := r.Cookie(cookie)
	if err != nil || p.Token == "" {
		return false
	}
	end, code, _ := strings.Cut(c.Value, ".")
	seconds, err := strconv.ParseInt(end, 10, 64)
	return err == nil && hmac.Equal([]byte(code), []byte(p.code(end))) && time.Now().Before(time.Unix(seconds, 0))
}

func (p *page) caller(r *http.Request) (c access.Caller, known bool) {
	c = web.PeerOf(r).Caller
	c.User, c.Token = r.URL.Query().Get("user"), p.signedIn(r)
	return c, c.Unix || c.Token
}

func (p *page) askToken(w http.ResponseWriter, r *http.Request) {
	p.render(w, http.StatusOK, &view{page: p, Screen: "sign-in", Title: "Sign in", Body: signing{r.URL.Query().Get("to"), p.TokenFile, false}})
}

// signing is the data of the sign-in form.
type signing struct {
	To    string // where to go on
	File  string // where the token is, "" if that is not known
	Wrong bool
}

func (p *page) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, signInBytes)
	f, err := p.form(r)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	to := f.Get("to")
	if !access.Token(p.Token, strings.TrimSpace(f.Get("token"))) {
		p.render(w, http.StatusForbidden, &view{page: p, Screen: "sign-in", Title: "Sign in", Body: signing{to, p.TokenFile, true}})
		return
	}
	end := strconv.FormatInt(time.Now().Add(session).Unix(), 10)
	setCookie(w, end+"."+p.code(end), int(session.Seconds()))
	http.Redirect(w, r, here(to), http.StatusSeeOther)
}

// here returns an address if it leads to this server, and else the address of the first screen.
func here(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) {
		return "/"
	}
	return to
}

func (p *page) signOut(w http.ResponseWriter, r *http.Request) {
	setCookie(w, "", -1)
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}

func setCookie(w http.ResponseWriter, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

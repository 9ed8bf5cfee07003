package page

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// onScreen is the number of rows on a screen.
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

// form are the fields of a form.
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

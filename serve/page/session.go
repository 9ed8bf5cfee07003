package page

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/internal/web"
)

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

// caller returns who sent the request, and whether he may see the page.
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

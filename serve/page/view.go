package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed templates
var templates embed.FS

// screens returns the templates by the names of screens, parsed when the first page is made.
var screens = sync.OnceValue(func() map[string]*template.Template {
	base := template.Must(template.New("layout.html").Funcs(functions).ParseFS(templates, "templates/layout.html", "templates/parts.html"))
	all := make(map[string]*template.Template)
	for _, name := range []string{"decisions", "document", "review", "ask", "classes", "well", "ledger", "import", "sign-in", "error"} {
		all[name] = template.Must(template.Must(base.Clone()).ParseFS(templates, "templates/"+name+".html"))
	}
	return all
})

// view is the data of a template.
type view struct {
	page     *page
	Screen   string
	Title    string
	User     string // whose database, "" for the shared one
	SignedIn bool
	Classes  []string
	Tags     bool    // the classes are tags
	Status   *status // what was done, nil for nothing
	Naming   *naming // a class that is to be named, nil for none
	Poll     bool    // the screen changes by itself
	Body     any     // of the screen
}

// status says what was done, and how to put it back.
type status struct {
	Text string
	Undo []change
	// Message is in base64 what Undo is about, if it is kept nowhere else.
	Message string
}

// tab is a screen that the navigation leads to.
type tab struct {
	Screen, Path, Name string
}

// Tabs returns the screens of the navigation.
func (v *view) Tabs() []tab {
	if v.Screen == "sign-in" {
		return nil
	}
	return []tab{
		{"decisions", "/", "Decisions"}, {"review", "/review", "Review"}, {"ask", "/ask", "Try a message"}, {"classes", "/classes", "Classes"},
		{"well", "/well", "Accuracy"}, {"ledger", "/ledger", "Learned"}, {"import", "/import", "Import"},
	}
}

// URL returns the address of a screen for the same user, with pairs of names and values.
func (v *view) URL(path string, pairs ...string) string {
	q := url.Values{}
	if v.User != "" {
		q.Set("user", v.User)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

func (p *page) render(w http.ResponseWriter, code int, v *view) {
	var b bytes.Buffer
	if err := screens()[v.Screen].Execute(&b, v); err != nil {
		p.Log.Error("page cannot be shown", "screen", v.Screen, "error", err)
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes())
}

var functions = template.FuncMap{
	"percent": percent, "number": number[uint64], "count": number[int], "when": when, "stamp": stamp, "bits": bits,
	"short": short, "add": func(a, b int) int { return a + b }, "plural": plural, "share": share,
	"bytes": size, "date": func(t time.Time) string { return t.Local().Format("2 January 2006") },
	"list": func(v ...string) []string { return v }, "percentOf": func(p float64) float64 { return round(100 * p) },
	"has": slices.Contains[[]string], "middle": middle, "brief": brief, "stated": stated, "less": func(a, b float64) float64 { return round(a - b) },
}

// percent writes a probability or a share, with enough digits to distinguish it from 0 and 1.
func percent(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p > .9999 && p < 1:
		return "> 99.99 %"
	case p > 0 && p < .0001:
		return "< 0.01 %"
	case p < .1 || p > .9 && p < 1:
		return strconv.FormatFloat(100*p, 'f', 2, 64) + " %"
	}
	return strconv.FormatFloat(100*p, 'f', 1, 64) + " %"
}

// round rounds to a tenth, the precision of coordinates in pictures.
func round(x float64) float64 { return math.Round(x*10) / 10 }

func share(some, all uint64) float64 {
	if all == 0 {
		return 0
	}
	return float64(some) / float64(all)
}

// number writes a whole number with spaces between thousands.
func number[N int | uint64](n N) string {
	s := strconv.FormatUint(uint64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// bits writes a contribution with its sign.
func bits(b float64) string {
	return strings.Replace(fmt.Sprintf("%+.2f", b), "-", "−", 1)
}

// when writes a time relative to now, and stamp in machine-readable form.
func when(t time.Time) string {
	t = t.Local()
	now := time.Now()
	switch days := now.Sub(t).Hours() / 24; {
	case t.IsZero():
		return "never"
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04")
	case days < 6:
		return t.Format("Mon 15:04")
	case days < 300:
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func short(id string) string { return id[:min(8, len(id))] }

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
}

package page

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"sync"
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

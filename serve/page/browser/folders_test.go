package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
)

// folder returns the name of a class. One has the longest name that people give.
func folder(i int) string {
	names := []string{"Receipts", "Travel", "Family", "Work/Projects/Aurora", "Newsletters", "Taxes"}
	switch {
	case i == 5:
		return "Taxes " + strings.Repeat("und Steuererklärungen", 9)
	case i < len(names):
		return names[i]
	}
	return fmt.Sprintf("%s %d", names[i%len(names)], i/len(names))
}

// filed is a message of a folder.
func filed(i, n int) []byte {
	return fmt.Appendf(nil, "From: Sender %d <sender%d@example.org>\nSubject: About matter%d and matter%d, the %dth letter\nMessage-ID: <f%d-%d@example.org>\n\n"+
		"Dear reader, this letter is about matter%d, and somewhat about matter%d. It is number %d of them, with all good wishes.\n%s\n", i, i, i, (i+1)%7, n, i, n, i, (i+1)%7, n, prose(n))
}

// prose is as long as most letters are.
func prose(n int) string {
	var b strings.Builder
	for i := range 250 {
		fmt.Fprintf(&b, "word%d ", (n*7919+i*i*31)%5000)
	}
	return b.String()
}

// folders starts a server that has learned messages of so many folders, and was asked about others.
func folders(t *testing.T, classes, asked int) *server {
	t.Helper()
	s := serve(t, func(o *engine.Options) { o.Spam, o.Classes = []string{}, []string{} })
	ctx := context.Background()
	for i := range classes {
		if err := s.engine.Make(ctx, "", folder(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.engine.Learn(ctx, backend.Request{Message: filed(0, 0), Source: "import"}, folder(0)); err != nil {
		t.Fatal(err)
	}
	err := s.engine.Change(ctx, "", func(c *classify.Classifier) error {
		var b classify.Batch
		for i := range classes {
			for n := range 1 + 240/classes {
				doc := mail.Document(c, filed(i, n))
				doc.Source, doc.Time = "import", time.Now()
				if err := b.Train(folder(i), doc); err != nil {
					return err
				}
			}
		}
		_, err := c.Apply(ctx, &b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range asked {
		s.ask(filed(n%classes, 1000+n))
		if n%100 == 99 {
			_, _ = s.engine.Decisions("", 1) // waits until all earlier ones are written
		}
	}
	return s
}

// shoot keeps a picture of the window in the folder that POLYA_SHOTS names.
func (b *tab) shoot(name string) {
	if dir := os.Getenv("POLYA_SHOTS"); dir != "" {
		var png []byte
		b.do(chromedp.CaptureScreenshot(&png))
		if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
			b.t.Error(err)
		}
	}
}

var _ = page.EventLoadEventFired{}
var _ = emulation.SetEmulatedMedia

func TestShots(t *testing.T) {
	for _, classes := range []int{6, 40, 300} {
		asked := 60
		if os.Getenv("POLYA_ASKED") != "" {
			fmt.Sscan(os.Getenv("POLYA_ASKED"), &asked)
		}
		begin := time.Now()
		s := folders(t, classes, asked)
		t.Log("made in", time.Since(begin))
		b := s.open(true)
		for _, width := range []int64{1280, 390} {
			b.do(chromedp.EmulateViewport(width, map[int64]int64{1280: 850, 390: 844}[width]))
			for _, path := range append(b.screens(), "/import") {
				at := time.Now()
				b.visit(path)
				took := time.Since(at)
				name := strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path)
				if strings.HasPrefix(path, "/document") {
					name = "-document"
				}
				t.Log(classes, width, path, eval[string](b, `"wide "+document.documentElement.scrollWidth+" high "+document.documentElement.scrollHeight+" picker "+[...document.querySelectorAll(".bar,.teach,.reviews li:first-child")].map(e=>e.className+" "+Math.round(e.getBoundingClientRect().height)).join()`), took)
				b.shoot(fmt.Sprintf("%d-%d%s", classes, width, name))
			}
		}
	}
}

package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

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
		if err := s.engine.Make(ctx, "", folder(i), true); err != nil {
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
			_ = s.engine.Decisions("", 1) // waits until all earlier ones are written
		}
	}
	return s
}

// sizes are those of a desk and of a telephone.
var sizes = []struct{ wide, high int64 }{{1280, 850}, {390, 844}}

// The page is usable with few folders and with many, on a desk and on a telephone: nothing is wider
// than the window, and what can be taught is seen beside the messages.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, classes := range []int{6, 40, 300} {
		t.Run(fmt.Sprint(classes), func(t *testing.T) {
			t.Parallel()
			b := folders(t, classes, 60).open(true)
			for _, size := range sizes {
				b.do(chromedp.EmulateViewport(size.wide, size.high))
				for _, path := range b.screens() {
					b.visit(path)
					if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > size.wide {
						t.Errorf("%s is %d wide", path, wide)
					}
					b.shoot(fmt.Sprint(classes, size.wide, path))
				}
				if classes == 40 {
					b.night("dark")
					for _, path := range b.screens() {
						b.visit(path)
						b.shoot(fmt.Sprint("dark", size.wide, path))
					}
					b.night("light")
				}
				b.visit("/")
				b.do(chromedp.Click("tbody tr:first-child [name=id]"))
				b.shoot(fmt.Sprint(classes, size.wide, "chosen"))
				bar := eval[int64](b, `Math.round(innerHeight - document.querySelector(".bar").getBoundingClientRect().top)`)
				if bar < 50 || bar > size.high/3 {
					t.Errorf("%d wide: what can be taught takes %d of %d", size.wide, bar, size.high)
				}
				b.visit("/review")
				card := eval[int64](b, `Math.round(document.querySelector(".reviews .card").getBoundingClientRect().height)`)
				if card > size.high*2/3 {
					t.Errorf("%d wide: the first message to review takes %d of %d", size.wide, card, size.high)
				}
				t.Logf("%d wide: bar %d, card of review %d, its picker %d", size.wide, bar, card, eval[int64](b, `Math.round(document.querySelector(".reviews .buttons").getBoundingClientRect().height)`))
				if n := eval[int](b, `document.querySelectorAll(".reviews .card:first-child .buttons button").length`); n > 9 {
					t.Errorf("%d buttons of classes", n)
				}
			}
		})
	}
}

// clicks clicks on what selectors find, and counts.
func (b *tab) clicks(n *int, selectors ...string) {
	b.t.Helper()
	for _, s := range selectors {
		b.do(chromedp.Click(s))
		*n++
	}
}

// Correcting one answer takes two clicks, teaching twenty at most four, a new class three; keys aside.
func TestClicks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *tab) {
		for n := range 40 {
			b.ask(letter(topics["spam"], 200+n))
		}
		b.ask([]byte("From: x@example.org\nSubject: casino meeting\nMessage-ID: <mixed@example.org>\n\njackpot winner minutes agenda\n"))
		b.visit("/?state=unsure")
		b.do(chromedp.Click(".likely button[value$=' spam']"))
		b.status("Taught 1 message as spam.")
		b.visit("/")
		n := 0
		b.clicks(&n, "tbody tr:first-child [name=id]", ".bar button[value=ham]")
		b.status("Taught 1 message as ham.")
		if n != 2 {
			t.Errorf("%d clicks to correct an answer", n)
		}
		n = 0
		b.clicks(&n, "tbody tr:nth-child(2) [name=id]", ".bar [name=other]")
		b.do(chromedp.SendKeys(".bar [name=other]", "Receipts"))
		b.clicks(&n, ".bar [name=new]")
		b.status("Taught 1 message as Receipts.")
		if n != 3 {
			t.Errorf("%d clicks for a new class", n)
		}
		b.do(chromedp.Click("tbody tr:nth-child(3) [name=id]"), chromedp.SendKeys(".bar [name=other]", "rec"+kb.Enter), chromedp.WaitVisible("tbody tr:nth-child(3) .as"))
		b.status("Taught 1 message as Receipts.") // as before: the row says when
		if b.script {
			b.do(chromedp.WaitEnabled("[data-all]"), chromedp.Click("tbody tr:nth-child(4) [name=id]"))
			eval[bool](b, `(() => { // as browsers do when a name is chosen from the list
				const box = document.querySelector(".bar [name=other]");
				box.value = "Receipts";
				return box.dispatchEvent(new InputEvent("input", {bubbles: true, inputType: "insertReplacementText"}));
			})()`)
			b.do(chromedp.WaitVisible(`tr:nth-child(4) .as`))
			n = 0
			b.clicks(&n, "tbody tr:nth-child(11) [name=id]")
			b.do(chromedp.QueryAfter("tbody tr:nth-child(30) [name=id]", func(ctx context.Context, _ runtime.ExecutionContextID, at ...*cdp.Node) error {
				return chromedp.MouseClickNode(at[0], chromedp.ButtonModifiers(input.ModifierShift)).Do(ctx)
			}))
			n++
			b.clicks(&n, ".bar button[value=spam]")
			b.status("Taught 20 messages as spam.")
			if n > 4 {
				t.Errorf("%d clicks to teach twenty", n)
			}
		}
	})
}

// On an empty page a mailbox is brought, its progress is shown, and its folder is answered.
func TestBring(t *testing.T) {
	t.Parallel()
	for _, script := range []bool{true, false} {
		t.Run(fmt.Sprint("script=", script), func(t *testing.T) {
			t.Parallel()
			b := serve(t).open(script)
			var box strings.Builder
			for n := range 200 {
				fmt.Fprintf(&box, "From x Thu Jan  1 00:00:00 2026\n%s\n", filed(1, n))
			}
			path := filepath.Join(t.TempDir(), "Travel.mbox")
			if err := os.WriteFile(path, []byte(box.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			b.visit("/review")
			b.shoot(fmt.Sprint("empty", script))
			b.do(chromedp.SetUploadFiles("[type=file]", []string{path}), chromedp.Click(".bring button"), chromedp.WaitVisible(".import"),
				chromedp.WaitVisible(`//*[contains(@class,"import")]/p[starts-with(., "200 messages learned")]`, chromedp.BySearch))
			b.shoot(fmt.Sprint("imported", script))
			if n := b.documents()["Travel"]; n != 200 {
				t.Errorf("%d messages of Travel", n)
			}
			if !script {
				return
			}
			eval[bool](b, fmt.Sprintf(`(() => {
				const files = new DataTransfer();
				for (const name of ["a.eml", "b.eml"]) files.items.add(new File([%q + name], name));
				return document.querySelector(".bring").dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: files}));
			})()`, "From: x@example.org\n\nA bill, number "))
			b.do(chromedp.SendKeys(".bring [name=class]", "Bills"), chromedp.Click(".bring button"),
				chromedp.WaitVisible(`//*[contains(@class,"import")]/p[starts-with(., "2 messages learned")]`, chromedp.BySearch))
			if n := b.documents()["Bills"]; n != 2 {
				t.Errorf("%d messages of Bills", n)
			}
		})
	}
}

// A server that does not answer any longer is said, and nothing that was typed is lost.
func TestStopped(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.open(true)
	b.visit("/ask")
	s.stop()
	b.do(chromedp.SetValue("#message", "From: me"), chromedp.Click("button.primary"), chromedp.WaitVisible("#silent"))
	if said := eval[string](b, `document.querySelector("#silent").textContent + document.querySelector("#message").value`); !strings.Contains(said, "does not answer") || !strings.HasSuffix(said, "From: me") {
		t.Errorf("said %q", said)
	}
	b.shoot("stopped")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = slices.DeleteFunc(b.wrong, func(w string) bool { return strings.Contains(w, "ERR_CONNECTION_REFUSED") })
}

// shoot keeps a picture of the window in the folder that POLYA_SHOTS names.
func (b *tab) shoot(name string) {
	if dir := os.Getenv("POLYA_SHOTS"); dir != "" {
		var png []byte
		b.do(chromedp.CaptureScreenshot(&png))
		if err := os.WriteFile(filepath.Join(dir, strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(name)+".png"), png, 0o600); err != nil {
			b.t.Error(err)
		}
	}
}

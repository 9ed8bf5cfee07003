package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// each runs a test with the script of the page and without it: everything works either way.
func each(t *testing.T, test func(t *testing.T, b *tab)) {
	for _, script := range []bool{true, false} {
		t.Run(fmt.Sprint("script=", script), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			for n := range 4 {
				s.ask(letter(topics["spam"], 100+n))
				s.ask(letter(topics["ham"], 100+n))
			}
			test(t, s.open(script))
		})
	}
}

// A message that is pasted is classified, taught, taught otherwise, and that undone.
func TestPaste(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *tab) {
		b.visit("/ask")
		b.do(chromedp.SetValue("#message", string(letter(topics["spam"], 50))), chromedp.Click("button.primary"), chromedp.WaitVisible("#answer"))
		if said := eval[string](b, `document.querySelector("#answer .answer b").textContent`); !strings.HasSuffix(said, "spam") {
			t.Errorf("said %q", said)
		}
		if marked := eval[int](b, `document.querySelectorAll(".letter mark.for").length`); marked < 3 {
			t.Errorf("%d words are marked", marked)
		}
		b.do(chromedp.Click(`#answer button[value=spam]`))
		b.status("Taught 1 message as spam.")
		b.do(chromedp.Click(`#answer button[value=ham]`))
		b.status("Taught 1 message as ham.")
		if n := b.documents(); n["spam"] != 12 || n["ham"] != 13 {
			t.Errorf("documents %v", n)
		}
		b.do(chromedp.Click(`#status button`))
		b.status("Put back: 1 message as before.")
		if n := b.documents(); n["spam"] != 13 || n["ham"] != 12 {
			t.Errorf("documents %v", n)
		}
	})
}

// A file is classified as a pasted message is.
func TestFile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *tab) {
		path := filepath.Join(t.TempDir(), "message.eml")
		if err := os.WriteFile(path, letter(topics["ham"], 51), 0o600); err != nil {
			t.Fatal(err)
		}
		b.visit("/ask")
		b.do(chromedp.SetUploadFiles("[type=file]", []string{path}), chromedp.Click("button.primary"), chromedp.WaitVisible("#answer"),
			chromedp.Click(`#answer button[value=ham]`))
		b.status("Taught 1 message as ham.")
		b.do(chromedp.Click(`#status button`))
		b.status("Put back: 1 message as before.")
		if n := b.documents(); n["ham"] != 12 {
			t.Errorf("documents %v", n)
		}
	})
}

// A file that is dropped is asked about like one that was chosen.
func TestDrop(t *testing.T) {
	t.Parallel()
	b := start(t).open(true)
	b.visit("/ask")
	eval[bool](b, fmt.Sprintf(`(() => {
		const files = new DataTransfer();
		files.items.add(new File([%q], "message.eml"));
		return document.querySelector("textarea").dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: files}));
	})()`, letter(topics["spam"], 52)))
	b.do(chromedp.WaitVisible("#answer"))
	if said := eval[string](b, `document.querySelector("#answer .answer b").textContent`); !strings.HasSuffix(said, "spam") {
		t.Errorf("said %q", said)
	}
}

// The address that a terminal prints signs in, and the token does not stay in it.
func TestAddress(t *testing.T) {
	t.Parallel()
	b := start(t).open(true)
	b.do(chromedp.Click(".who button"), chromedp.WaitVisible("[name=token]"), chromedp.Navigate("about:blank"),
		chromedp.Navigate(b.base+"/sign-in#"+token), chromedp.WaitVisible("nav[aria-label=Screens]"))
	if at := eval[string](b, "location.href"); at != b.base+"/" {
		t.Errorf("at %s", at)
	}
}

// Several decisions are taught at a time, and that is undone at a time.
func TestMany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *tab) {
		b.visit("/?text=casino")
		if rows := eval[int](b, `document.querySelectorAll("[name=id]").length`); rows != 4 {
			t.Fatalf("%d decisions about a casino", rows)
		}
		for n := range 3 {
			b.do(chromedp.Click(fmt.Sprintf("tbody tr:nth-child(%d) [name=id]", n+1)))
		}
		b.do(chromedp.Click(".bar button[value=ham]"))
		b.status("Taught 3 messages as ham.")
		if n := b.documents(); n["ham"] != 15 || n["spam"] != 12 {
			t.Errorf("documents %v", n)
		}
		if shown := eval[bool](b, `(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector("#status button").getBoundingClientRect())`); !shown {
			t.Error("how to undo it is out of sight")
		}
		if rows := eval[int](b, `document.querySelectorAll("tr.corrected").length`); rows != 3 {
			t.Errorf("%d decisions are shown as corrected", rows)
		}
		b.do(chromedp.Click("#status button"))
		b.status("Put back: 3 messages as before.")
		if n := b.documents(); n["ham"] != 12 || n["spam"] != 12 {
			t.Errorf("documents %v", n)
		}
	})
}

// One message is looked at, taught, and shows what was said and what would be said now.
func TestDocument(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *tab) {
		b.visit("/")
		b.do(chromedp.Click(`//td/a[contains(., "meeting")]`, chromedp.BySearch), chromedp.WaitVisible(".verdicts"))
		b.do(chromedp.Click(`.teach button[value=spam]`))
		b.status("Taught 1 message as spam.")
		if taught := eval[string](b, `document.querySelector(".verdicts .card:last-child b").textContent`); taught != "spam" {
			t.Errorf("taught %q", taught)
		}
	})
}

// What is reviewed is asked again after each answer.
func TestReview(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *tab) {
		b.ask([]byte("From: x@example.org\nSubject: casino meeting\nMessage-ID: <mixed@example.org>\n\njackpot winner minutes agenda\n"))
		b.visit("/review")
		if first := eval[string](b, `document.querySelector(".reviews h2").textContent`); first != "casino meeting" {
			t.Errorf("asked about %q first", first)
		}
		b.do(chromedp.Click(`.reviews li:first-child button[value=ham]`))
		b.status("Taught 1 message as ham.")
		if left := eval[int](b, `document.querySelectorAll(".reviews > li").length`); left != 8 {
			t.Errorf("%d messages are left to review", left)
		}
	})
}

// What one source has taught is taken back, once it was said what that is.
func TestUndoSource(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *tab) {
		b.visit("/ledger?source=test&class=spam")
		b.do(chromedp.Click(".taking button"), chromedp.WaitVisible(".card.danger"))
		if said := eval[string](b, `document.querySelector(".card.danger h2").textContent`); said != "Undo 12 documents?" {
			t.Errorf("said %q", said)
		}
		if n := b.documents(); n["spam"] != 12 {
			t.Errorf("documents %v before it was meant", n)
		}
		b.do(chromedp.Click(".card.danger button"))
		b.status("Undone: 12 documents")
		if n := b.documents(); n["spam"] != 0 || n["ham"] != 12 {
			t.Errorf("documents %v", n)
		}
	})
}

// A message that tries to run scripts, load images and break out of its place is text.
func TestHostile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *tab) {
		const attack = `"'></textarea></form><script>alert(1)</script><img src=https://evil.example/x onerror=alert(2)>` +
			`<svg onload=alert(3)><style>@import url(https://evil.example/y);</style><iframe src=javascript:alert(4)></iframe>` +
			`<meta http-equiv=refresh content=0;url=https://evil.example/z><base href=https://evil.example/><form action=https://evil.example/>`
		message := "From: " + attack + " <x@example.org>\nSubject: " + attack + "\nMessage-ID: <evil@example.org>\nContent-Type: text/html\n\ncasino " + attack + "\n"
		b.ask([]byte(message))
		b.visit("/")
		id := eval[string](b, `document.querySelector("[name=id]").value`)
		for _, path := range []string{"/document?id=" + id, "/review", "/?text=" + "%3Cscript%3Ealert(5)%3C/script%3E"} {
			b.visit(path)
			if n := eval[int](b, `document.querySelectorAll("main script, main img, main iframe, main style, main base, main meta, [onload], [onerror], [style]").length`); n > 0 {
				t.Errorf("%s: %d elements of the message are in the page", path, n)
			}
		}
		b.visit("/ask")
		b.do(chromedp.SetValue("#message", message), chromedp.Click("button.primary"), chromedp.WaitVisible("#answer"), chromedp.Click(`#answer button[value=spam]`))
		b.status("Taught 1 message as spam.")
	})
}

// Everything is reached and done with the keyboard, and the focus is where something happened.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.ask(letter(topics["ham"], 100))
	b := s.open(true)
	b.visit("/")
	b.do(chromedp.KeyEvent(kb.Tab))
	if at := eval[string](b, `document.activeElement.className`); at != "skip" {
		t.Errorf("the first stop is %q", at)
	}
	b.do(chromedp.Focus("[name=id]"), chromedp.KeyEvent(" "))
	for range 20 {
		if eval[bool](b, `document.activeElement.value === "spam" && document.activeElement.name === "teach"`) {
			break
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	if width := eval[string](b, `getComputedStyle(document.activeElement).outlineStyle`); width != "solid" {
		t.Errorf("the outline of the focus is %q", width)
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.status("Taught 1 message as spam.")
	if at := eval[string](b, `document.activeElement.id`); at != "status" {
		t.Errorf("the focus is at %q", at)
	}
}

// screens are all of them.
func (b *tab) screens() []string {
	b.visit("/")
	id := eval[string](b, `document.querySelector("[name=id]").value`)
	return []string{"/", "/document?id=" + id, "/review", "/ask", "/classes", "/well?measure=1", "/ledger?source=test", "/import", "/sign-in"}
}

// No screen is wider than a phone.
func TestPhone(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.ask(letter(topics["ham"]+" "+strings.Repeat("Donaudampfschifffahrt", 10), 100))
	b := s.open(true)
	b.do(chromedp.EmulateViewport(390, 844))
	for _, path := range b.screens() {
		b.visit(path)
		if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s is %d wide", path, wide)
		}
	}
}

// Nothing on any screen keeps people out who do not see, hear or use a mouse, by day and by
// night, as far as axe-core can tell.
func TestAccessible(t *testing.T) {
	t.Parallel()
	path := os.Getenv("POLYA_AXE")
	if path == "" {
		t.Skip("POLYA_AXE does not name axe.min.js")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("many classes", func(t *testing.T) {
		t.Parallel()
		b := folders(t, 300, 20).open(true)
		for _, path := range append(b.screens(), "/classes?class=Receipts") {
			b.visit(path)
			b.accessible(path, string(axe), "{}")
		}
		b.visit("/")
		b.do(chromedp.Click("tbody tr:first-child [name=id]"), chromedp.SendKeys(".bar [name=other]", "tra"+kb.Enter), chromedp.WaitVisible(".naming"))
		b.accessible("naming", string(axe), "{}")
		eval[any](b, "silent()")
		b.night("dark")
		for _, path := range []string{"naming", "/", "/review", "/classes?class=Receipts", "/import"} {
			if path != "naming" {
				b.visit(path)
			}
			b.accessible(path+" by night", string(axe), `{runOnly: ["color-contrast"]}`)
		}
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		b := serve(t).open(true)
		for _, path := range []string{"/", "/review", "/ledger", "/import"} {
			b.visit(path)
			b.accessible(path, string(axe), "{}")
		}
	})
	for scheme, rules := range map[string]string{"light": "{}", "dark": `{runOnly: ["color-contrast"]}`} { // all else is the same in both
		open := func(t *testing.T) (b *tab, look func(what string)) {
			t.Parallel()
			s := start(t)
			s.ask(letter(topics["ham"], 100))
			s.ask([]byte("From: x@example.org\nSubject: casino meeting\nMessage-ID: <mixed@example.org>\n\njackpot winner minutes agenda\n"))
			b = s.open(true)
			b.night(scheme)
			return b, func(what string) { t.Helper(); b.accessible(what, string(axe), rules) }
		}
		for part := range 3 {
			t.Run(fmt.Sprint(scheme, part), func(t *testing.T) {
				b, look := open(t)
				for i, path := range b.screens() {
					if i%3 == part {
						b.visit(path)
						look(path)
					}
				}
			})
		}
		t.Run(scheme+" after something was done", func(t *testing.T) {
			b, look := open(t)
			b.visit("/ledger?class=spam&source=test")
			b.do(chromedp.Click(".taking button"), chromedp.WaitVisible(".card.danger"))
			look("what is to be taken back")
			b.visit("/ask")
			b.do(chromedp.SetValue("#message", string(letter(topics["spam"], 50))), chromedp.Click("button.primary"), chromedp.WaitVisible("#answer"), chromedp.Click("#answer button[value=ham]"))
			b.status("Taught 1 message as ham.")
			look("an answer that was corrected")
		})
	}
}

// night has the browser prefer light or dark colours.
func (b *tab) night(scheme string) {
	b.t.Helper()
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// accessible fails the test for what axe finds wrong in what is shown.
func (b *tab) accessible(what, axe, rules string) {
	b.t.Helper()
	var found struct {
		Wrong []string
		Rules int
	}
	b.do(chromedp.Evaluate(`window.axe || (() => {`+axe+`})(); axe.run(`+rules+`).then(r => ({Rules: r.passes.length, Wrong: r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html + " " + n.failureSummary))}))`,
		&found, awaited))
	for _, w := range found.Wrong {
		b.t.Errorf("%s: %s", what, w)
	}
	if found.Rules == 0 || rules == "{}" && found.Rules < 10 {
		b.t.Errorf("%s: axe looked at %d rules", what, found.Rules)
	}
}

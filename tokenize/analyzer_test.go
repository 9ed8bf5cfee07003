package tokenize

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/internal/raced"
)

// testPage is an HTML text for tests that need one.
var testPage = []byte("<html><head><title>Notice</title></head><body><h1>Été</h1><p style='color:red'>" +
	strings.ReplaceAll(englishText, " the ", " <b>the</b> ") + "<div style='display:none'>unseen</div></body></html>")

func TestNoAllocationPerToken(t *testing.T) {
	raced.Skip(t)                                    // it allocates at will
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // or a sync.Pool is emptied meanwhile on a busy machine
	defer func(before [3]uint64) { secrets = before }(secrets)
	secrets = [3]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0} // of π: one in fifty others has three forms share a place of two
	var russian []string
	for range 20 {
		russian = append(russian, sentences["ru"], sentences["de"], "東京タワーへ 한국어 ภาษาไทย")
	}
	for _, spec := range []string{"", "polya-7 channel=off ngram=2 min=1", "polya-7 lang=ru", "polya-7 lang=en stem=on"} {
		a := analyzer(t, spec)
		for name, text := range map[string]string{
			"English": strings.Repeat(englishText, 20),
			"others":  strings.Join(russian, "\n"),
			"links":   strings.Repeat("see http://user@www.example.com:80/path/to?q=%20abc or www.x.org.\n", 50),
		} {
			var b Bag
			n := math.Inf(1)
			for range 5 { // what the runtime allocates meanwhile counts too, but not each time
				n = min(n, testing.AllocsPerRun(20, func() {
					b.Reset()
					a.Text(&b, "field", []byte(text))
				}))
				if n <= 1 { // the conversion of text
					break
				}
			}
			if n > 1 {
				t.Errorf("%s, %s: %v allocations", spec, name, n)
			}
		}
	}
}

// TestConcurrentUse has many goroutines do what one did before.
func TestConcurrentUse(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off lang=en stem=on ngram=2")
	texts := append([]string(nil), seeds...)
	for _, s := range sentences {
		texts = append(texts, s, strings.Repeat(s+" ", 10))
	}
	want := make([]Bag, len(texts))
	wantPage := terms(func(b *Bag) { analyzer(t, a.Spec()).HTML(b, testPage) })
	for i, text := range texts {
		analyzer(t, a.Spec()).Text(&want[i], "f", []byte(text))
	}
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 0))
			var b Bag
			for range 60 {
				i := random.IntN(len(texts))
				b.Reset()
				a.Text(&b, "f", []byte(texts[i]))
				if got := list(&b); got != list(&want[i]) {
					t.Errorf("%q gave %s", texts[i], got)
				}
				if got := terms(func(b *Bag) { a.HTML(b, testPage) }); got != wantPage {
					t.Errorf("the page gave %s", got)
				}
			}
		})
	}
	group.Wait()
}

// TestCacheDecidesNothing compares an analyzer that remembers other forms with fresh ones.
func TestCacheDecidesNothing(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	for _, spec := range []string{"polya-7 channel=off", "polya-7 lang=en stem=on"} {
		t.Run(spec, func(t *testing.T) { cacheDecidesNothing(t, analyzer(t, spec)) })
	}
}

func cacheDecidesNothing(t *testing.T, a *Analyzer) {
	var b Bag
	for i := range 2000 {
		b.Reset()
		a.Text(&b, "", fmt.Appendf(nil, "é%d ж%d", i, i*7))
		if i%50 == 0 {
			for lang, text := range sentences {
				var got, want Bag
				a.Text(&got, "", []byte(text))
				analyzer(t, a.Spec()).Text(&want, "", []byte(text))
				if same(t, &got, &want); t.Failed() {
					t.Fatalf("after %d forms, %s", i, lang)
				}
			}
		}
	}
}

func TestWorkerMemory(t *testing.T) {
	raced.Skip(t)
	a := analyzer(t, "polya-7 channel=off lang=en stem=on ngram=2")
	w := newWorker(a.spec)
	a.workers.New = func() any { return w }
	var b Bag
	for _, text := range []string{
		strings.Repeat("é", 150_000), strings.Repeat("é ", 150_000), strings.Repeat("中", 150_000),
		strings.Repeat("\ufdfa", 50_000), strings.Repeat("a\u0301", 50_000), strings.Repeat("ก", 50_000),
		strings.Repeat("<p hidden>é<p>é", 50_000), strings.Repeat("http://example.com/", 50_000),
		strings.Repeat(". é", 50_000), strings.Repeat("\xff", 150_000),
	} {
		b.Reset()
		a.Text(&b, "", []byte(text))
		a.HTML(&b, []byte(text))
		a.URL(&b, []byte(text))
	}
	const slot = int(unsafe.Sizeof([]byte{})) + int(unsafe.Sizeof(0))
	size := slot*cap(w.inner.tokens) + maxForms*int(unsafe.Sizeof(cacheEntry{}))
	for _, l := range w.levels {
		size += slot*cap(l.tokens) + cap(l.clean)
	}
	for _, buffer := range [][]byte{w.buf, w.before, w.both, w.folded, w.normal, w.spare, w.terms, w.target,
		w.page.Visible, w.page.Invisible} {
		size += cap(buffer)
	}
	size += cap(w.page.Links) * int(unsafe.Sizeof([]byte{}))
	if size > 10<<20 {
		t.Errorf("a worker keeps %d bytes", size)
	}
}

// TestLongInput has lines, words and runs that are far too long.
func TestLongInput(t *testing.T) {
	raced.Skip(t)
	const size = 1 << 20
	a := analyzer(t, "polya-7 channel=off")
	for _, part := range []string{"x", "x ", "é", "é ", "中", "ก", "\xff", "\x00", "a\u0301", "xx.", "x:", "é:", "http://x/ ", "ab/é"} {
		var b Bag
		a.Text(&b, "", []byte(strings.Repeat(part, size/len(part))))
		checkTerms(t, &b)
	}
	line := "begin " + strings.Repeat("filler/", size/28) + " élan " + strings.Repeat("y", size/4) + "é end"
	if got := textTerms(a, line); got != "begin|filler*255|élan|end" {
		t.Errorf("got %.100s", got)
	}
}

// TestHangulRunIsShort holds that a run ends with its part, so that a word of very many
// parts is read once and not once for each of them.
func TestHangulRunIsShort(t *testing.T) {
	for text, want := range map[string]int{"é:é:é": -2, "é‿é": -2, "가a": 3, "a가": -1, "가:": 3, "é": -2} {
		if got, hangul := hangulRun([]byte(text)); got != max(want, -want) || hangul != (want > 0) {
			t.Errorf("%q: %d, %v, want %d, negative without Hangul", text, got, hangul, want)
		}
	}
}

// TestPieces compares a text with white space in it to its parts: where text
// is cut into pieces for segment shows nowhere.
func TestPieces(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off min=1")
	words := strings.Fields(strings.Join(seeds, " ") + " é é's d'é a.é é.a 1é é1 \"é\" -é")
	rapid.Check(t, func(t *rapid.T) {
		var whole, parts Bag
		var text []byte
		for range rapid.IntRange(0, 200).Draw(t, "words") {
			word := rapid.SampledFrom(words).Draw(t, "word")
			a.Text(&parts, "", []byte(word))
			text = append(text, word...)
			text = append(text, rapid.SampledFrom([]string{" ", "\n", "\r\n", "\t", "     ", strings.Repeat(" ", 40)}).Draw(t, "gap")...)
		}
		a.Text(&whole, "", text)
		same(t, &whole, &parts)
	})
}

// TestSlowIsTheSame compares ASCII text with what segment and the cache make of
// it, which is how words in foreign lines go.
func TestSlowIsTheSame(t *testing.T) {
	for _, spec := range []string{"", "polya-7 channel=off min=1 ngram=2"} {
		w := newWorker(analyzer(t, spec).spec)
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.SliceOfN(rapid.SampledFrom([]byte("aAbZ09_.',;: \n\x00\"/-hHtTpPwW")), 0, 60).Draw(t, "text")
			var fast, slow Bag
			w.setField("")
			w.bag = &fast
			w.ascii(text)
			w.setField("")
			w.bag = &slow
			w.foreign(text)
			same(t, &fast, &slow)
		})
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ text, want string }{
		{"abc", "abc"},
		{"caf\xe9 \x93x\x94", "café “x”"},
		{"é\xe9é", "ééé"},
		{"a\u200bb\u200b", "ab"},
		{"ก\u200bข", "ก ข"},
		{"\u200bก", "ก"},
		{"\xed\xa0\x80", "í\u00a0€"},
		{"\xf0\x9f", "ðŸ"},
		{"a\x81b", "a\ufffdb"},
	}
	for _, tt := range tests {
		if got := clean([]byte("<"), []byte(tt.text)); string(got) != "<"+tt.want {
			t.Errorf("%q became %q, want <%q", tt.text, got, tt.want)
		}
	}
	for n := range 256 {
		if got := clean(nil, []byte{byte(n)}); !utf8.Valid(got) || bytes.IndexByte(got, 0) >= 0 && n != 0 {
			t.Errorf("%#x became %q", n, got)
		}
	}
}

// TestResume has segment fail, as it does with invalid UTF-8, and asks whether
// all of the text is there nevertheless.
func TestResume(t *testing.T) {
	for _, text := range []string{"abc \xff def ghi", "caf\xe9 latin1 text", "\xff", "\xff\xff é", strings.Repeat("a \xff", 100)} {
		var s scanner
		s.reset([]byte(text))
		if joined := bytes.Join(s.tokens, nil); string(joined) != text {
			t.Errorf("%q became %q", text, s.tokens)
		}
	}
}

func BenchmarkText(b *testing.B) {
	var all []string
	for _, l := range languages {
		all = append(all, sentences[l.code])
	}
	for _, bb := range []struct{ name, spec, text string }{
		{"english", "", englishText},
		{"english/pairs", "polya-7 channel=off ngram=2", englishText},
		{"english/stem", "polya-7 channel=off lang=en stem=on", englishText},
		{"german", "", sentences["de"]},
		{"russian", "", sentences["ru"]},
		{"russian/off", "polya-7 channel=off stem=off", sentences["ru"]},
		{"chinese", "", "我们在花园里玩的时候开始下雨了，所以必须回家。"},
		{"thai", "", "เด็กๆกำลังเล่นอยู่ในสวนเมื่อฝนเริ่มตก"},
		{"all", "", strings.Join(all, "\n")},
	} {
		b.Run(bb.name, func(b *testing.B) {
			text := bytes.Repeat([]byte(bb.text+"\n"), 1+3000/len(bb.text))
			a := analyzer(b, bb.spec)
			var bag Bag
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				bag.Reset()
				a.Text(&bag, "", text)
			}
		})
	}
}

func BenchmarkHTML(b *testing.B) {
	a := analyzer(b, "polya-7 channel=off")
	var bag Bag
	b.SetBytes(int64(len(testPage)))
	b.ReportAllocs()
	for b.Loop() {
		bag.Reset()
		a.HTML(&bag, testPage)
	}
}

func BenchmarkParallel(b *testing.B) {
	a := analyzer(b, "polya-7 channel=off")
	text := []byte(strings.Repeat(englishText, 5))
	b.SetBytes(int64(len(text)))
	b.RunParallel(func(pb *testing.PB) {
		var bag Bag
		for pb.Next() {
			bag.Reset()
			a.Text(&bag, "", text)
		}
	})
}

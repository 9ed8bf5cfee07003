package generate

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"net/mail"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the sample mail anew")

// The files in the repository are what the program makes, no more and no less.
func TestSameBytes(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join("..", filepath.FromSlash(name))
		if *update && (os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, content, 0o644) != nil) {
			t.Fatalf("%s cannot be written", path)
		}
	}
	err = filepath.WalkDir("../mail", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel("..", p)
		name := filepath.ToSlash(rel)
		want, ok := files[name]
		if !ok {
			t.Errorf("%s is not generated: remove it", name)
			return nil
		}
		delete(files, name)
		got, err := os.ReadFile(p)
		if err == nil && !bytes.Equal(got, want) {
			t.Errorf("%s differs: write it anew by -update", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		t.Errorf("%s is missing: write it anew by -update", name)
	}
}

func TestSamples(t *testing.T) {
	messages, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	if len(messages) < 320 || len(messages) > 400 {
		t.Errorf("%d messages", len(messages))
	}
	counts := map[string]int{}
	for _, m := range messages {
		counts[m.set+" "+m.class]++
		counts[m.class+" "+m.lang]++
		text := strings.Join(m.paragraphs, " ")
		words := len(strings.Fields(text))
		if m.lang == "ja" {
			words = len([]rune(text)) / 3
		}
		if words < 30 || words > 150 || strings.ContainsAny(text+m.subject, "{}|") {
			t.Errorf("%s %s: %d words: %s", m.class, m.lang, words, text)
		}
	}
	for _, class := range classes {
		if held := counts["held "+class]; held < 10 || counts["train "+class] < 40 {
			t.Errorf("%s: %d held back", class, held)
		}
		for _, l := range languages {
			t.Logf("%-10s %s %d", class, l.code, counts[class+" "+l.code])
			if counts[class+" "+l.code] < l.count {
				t.Errorf("%s lacks %s", class, l.code)
			}
		}
	}
}

// Two messages may share sentences, but are never nearly the same.
func TestNoNearDuplicates(t *testing.T) {
	messages, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	var seen []map[string]bool
	for _, m := range messages {
		words := strings.Fields(strings.ToLower(strings.Join(m.paragraphs, " ")))
		if m.lang == "ja" {
			words = strings.Split(strings.Join(words, ""), "")
		}
		triples := map[string]bool{}
		for i := range len(words) - 2 {
			triples[strings.Join(words[i:i+3], " ")] = true
		}
		for i, other := range seen {
			both := 0
			for s := range triples {
				if other[s] {
					both++
				}
			}
			// In Japanese, with few sentences and single characters, more is shared.
			limit := 0.5
			if m.lang == "ja" {
				limit = 0.8
			}
			if share := float64(both) / float64(len(triples)+len(other)-both); share > limit {
				t.Errorf("%.2f alike: %s %q and %q", share, m.class, m.paragraphs[1], messages[i].paragraphs[1])
			}
		}
		seen = append(seen, triples)
	}
}

func TestMailIsWellFormed(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for name, content := range files {
		if !strings.HasPrefix(name, "mail/") {
			continue
		}
		size += len(content)
		m, err := mail.ReadMessage(bytes.NewReader(content))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, h := range []string{"From", "To", "Subject", "Date", "Message-Id", "Content-Type"} {
			if m.Header.Get(h) == "" {
				t.Errorf("%s lacks %s", name, h)
			}
		}
		from, err := m.Header.AddressList("From")
		if err != nil && !strings.Contains(err.Error(), "charset") {
			t.Errorf("%s: %v", name, err)
		}
		for _, a := range from {
			checkDomain(t, name, a.Address)
		}
	}
	if size > 1<<20 {
		t.Errorf("%d bytes of mail", size)
	}
}

// checkDomain wants a domain that RFC 2606 sets aside.
func checkDomain(t *testing.T, name, address string) {
	_, domain, _ := strings.Cut(address, "@")
	switch path.Ext(domain) {
	case ".example", ".test", ".invalid":
		return
	}
	for _, d := range shared {
		if domain == d {
			return
		}
	}
	t.Errorf("%s is from %s", name, address)
}

func TestFill(t *testing.T) {
	p, err := parsePhrases("; comment\n= a: x|{1-1}{b|b}|x\n# c/^\nHi\n# c/t\n> S\n{z{a2}|}\n")
	if err != nil || len(p.topics["c"]) != 1 || p.extra["c/^"] == nil {
		t.Fatalf("%+v, %v", p, err)
	}
	for i := range 50 {
		f := filler{r: seeded(fmt.Sprint(i)), words: p.words, said: map[string]string{}}
		if got := f.fill("{a} {a} {a2}"); got != "x x 1b" && got != "1b 1b x" {
			t.Errorf("got %q", got)
		}
	}
	if _, err := parsePhrases("# a/b\n{open"); err == nil {
		t.Error("braces that do not match")
	}
}

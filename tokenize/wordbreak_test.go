package tokenize

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"
	"golang.org/x/text/unicode/norm"

	_ "github.com/rivo/uniseg" // its tests hold the vectors of WordBreakTest.txt

	"github.com/polya-classifier/polya/internal/raced"
)

// A vector is a line of Unicode's WordBreakTest.txt.
type vector struct {
	text string
	want []string
}

// vectors reads WordBreakTest.txt 15.0 as the tests of rivo/uniseg hold it,
// from the module cache.
func vectors(t *testing.T) []vector {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/rivo/uniseg").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "wordbreak_test.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	ast.Inspect(file, func(n ast.Node) bool {
		pair, ok := n.(*ast.CompositeLit)
		if !ok || len(pair.Elts) != 2 || pair.Type != nil {
			return true
		}
		if v, ok := parseVector(pair); ok {
			all = append(all, v)
			return false
		}
		return true
	})
	if len(all) < 1800 {
		t.Fatalf("%d vectors in %s, want all of WordBreakTest.txt", len(all), name)
	}
	return all
}

// parseVector reads {original: "…", expected: [][]rune{{…}, …}}.
func parseVector(pair *ast.CompositeLit) (v vector, ok bool) {
	for _, e := range pair.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return v, false
		}
		switch value := field.Value.(type) {
		case *ast.BasicLit:
			if v.text, ok = unquote(value); !ok {
				return v, false
			}
		case *ast.CompositeLit:
			for _, part := range value.Elts {
				var b strings.Builder
				for _, r := range part.(*ast.CompositeLit).Elts {
					n, err := strconv.ParseInt(r.(*ast.BasicLit).Value, 0, 32)
					if err != nil {
						return v, false
					}
					b.WriteRune(rune(n))
				}
				v.want = append(v.want, b.String())
			}
		}
	}
	return v, v.text != "" && strings.Join(v.want, "") == v.text
}

func unquote(lit *ast.BasicLit) (string, bool) {
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// surfaceWords are the words of text as the worker finds them, before folding.
func surfaceWords(text string) (words []string) {
	if isASCII([]byte(text)) {
		return asciiWords([]byte(text))
	}
	var s scanner
	s.reset([]byte(text))
	for {
		start, end, kind := s.next()
		part := []byte(text)[start:end]
		switch kind {
		case kindEnd:
			return words
		case kindWord:
			words = append(words, strings.FieldsFunc(string(part), parts)...)
		case kindGrams:
			for len(part) > 0 {
				n := cluster(part)
				words = append(words, string(part[:n]))
				part = part[n:]
			}
		}
	}
}

func isAlnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// visible are the words that have a letter or a digit, without what is not
// seen: whether an invisible character stands at the end of a word or behind it
// makes no difference to the term. An emoji that a joiner glues to a word (WB3c)
// is a term of its own here.
func visible(words []string) (out []string) {
	for _, word := range words {
		word = string(strip(nil, []byte(word)))
		word = strings.TrimRightFunc(word, isEmoji)
		if strings.ContainsFunc(word, isAlnum) {
			out = append(out, word)
		}
	}
	return out
}

func TestWordBreakTest(t *testing.T) {
	for _, v := range vectors(t) {
		var want []string
		for _, part := range v.want {
			want = append(want, strings.FieldsFunc(part, parts)...) // our own tailoring
		}
		got := visible(surfaceWords(v.text))
		if want := visible(want); !slices.Equal(got, want) {
			t.Errorf("%+q:\n got %+q\nwant %+q", v.text, got, want)
		}
	}
}

// TestSegmentFailsOnlyBetweenSymbols lists the boundaries that segment finds
// otherwise than Unicode 15. Between a letter or digit and anything there is none,
// which is why words come out right.
func TestSegmentFailsOnlyBetweenSymbols(t *testing.T) {
	known := map[string]bool{
		"space, space":         true, // WB3d: segment parts spaces
		"symbol, mark":         true, // WB4: emoji and skin tone, symbol and variation selector
		"mark, mark":           true, // WB4: a second mark there
		"symbol, format":       true, // WB4
		"format, symbol":       true, // WB3c: emoji joined by ZWJ
		"format, mark":         true, // WB4
		"mark, format":         true, // WB4
		"indicator, indicator": true, // WB15, WB16: segment joins all flags
		"format, indicator":    true, // WB16
	}
	for _, v := range vectors(t) {
		tokens, _, n, err := segment.SegmentWordsDirect([]byte(v.text), make([][]byte, 0, 16), make([]int, 0, 16))
		if err != nil || n != len(v.text) {
			t.Errorf("%+q: segment read %d of %d bytes: %v", v.text, n, len(v.text), err)
		}
		got, want := map[int]bool{}, map[int]bool{}
		at := 0
		for _, token := range tokens {
			at += len(token)
			got[at] = true
		}
		at = 0
		for _, part := range v.want {
			at += len(part)
			want[at] = true
		}
		for i := range v.text {
			if got[i] != want[i] {
				before, _ := utf8.DecodeLastRuneInString(v.text[:i])
				after, _ := utf8.DecodeRuneInString(v.text[i:])
				if pair := fmt.Sprintf("%s, %s", sort(before), sort(after)); !known[pair] {
					t.Errorf("%+q at %d, between %s", v.text, i, pair)
				}
			}
		}
	}
}

// sort names what kind of character r is.
func sort(r rune) string {
	switch {
	case isAlnum(r):
		return "letter or digit"
	case 0x1F1E6 <= r && r <= 0x1F1FF:
		return "indicator"
	case unicode.IsMark(r), 0x1F3FB <= r && r <= 0x1F3FF:
		return "mark"
	case unicode.Is(unicode.Cf, r):
		return "format"
	case unicode.IsSpace(r):
		return "space"
	}
	return "symbol"
}

// TestNoLetterIsLost asks for every letter and digit that Unicode has, but for
// those that are compatibility forms of lone marks and of the apostrophe.
func TestNoLetterIsLost(t *testing.T) {
	raced.Skip(t)
	a := analyzer(t, "polya-7 channel=off min=1")
	var b Bag
	for r := rune(1); r <= unicode.MaxRune; r++ {
		normal := strip(nil, norm.NFKC.Bytes(strip(nil, []byte(string(r)))))
		if !isAlnum(r) || !hasAlnum(normal) {
			continue
		}
		for want, format := range []string{1: "%[1]c%[1]c", 2: "xx, %c", 3: "xx1 %c, ÿÿ2"} {
			if format == "" {
				continue
			}
			b.Reset()
			text := fmt.Appendf(nil, format, r)
			a.Text(&b, "", text)
			if b.Len() < want {
				t.Errorf("%U %c: %q gave %s", r, r, text, list(&b))
			}
		}
	}
}

package evasion

import (
	"fmt"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// attack is a way to change spam.
type attack struct {
	name string

	// change returns the i-th spam, changed, the same in every run.
	change func(i int, raw []byte) []byte
}

// common is the number of words that count as common.
const common = 3000

// attacks returns all attacks, with the words of the half that is not learned.
func attacks(c *corpus) []attack {
	good := c.goodWords(500)
	usual := c.commonWords(common)
	list := []attack{{"spam as it is", func(_ int, raw []byte) []byte { return raw }}}
	for _, n := range []int{50, 100, 200, 500} {
		text := sentence(good[:min(n, len(good))])
		list = append(list, attack{fmt.Sprintf("%d good words appended", n), func(_ int, raw []byte) []byte {
			return parse(raw).appended(text)
		}})
	}
	some := good[:min(100, len(good))]
	text := sentence(some)
	before := func(p part) func(int, []byte) []byte {
		return func(_ int, raw []byte) []byte { return parse(raw).with([]part{p}, nil) }
	}
	after := func(p part) func(int, []byte) []byte {
		return func(_ int, raw []byte) []byte { return parse(raw).with(nil, []part{p}) }
	}
	return append(list, []attack{
		{"100 good words as first part", before(part{textPlain, text})},
		{"100 good words as last part", after(part{textPlain, text})},
		{"100 good words in hidden text", after(part{textHTML, `<html><body><div style="display:none">` + text + "</div></body></html>"})},
		{"100 good words in tiny text", after(part{textHTML, `<html><body><span style="font-size:2px;color:#fefefe">` + text + "</span></body></html>"})},
		{"100 good words as attachment", after(part{attachment, text})},
		{"100 good words between the lines", func(_ int, raw []byte) []byte { return parse(raw).between(some) }},
		{"a header that says nothing", func(_ int, raw []byte) []byte {
			m := parse(raw).anonymous()
			return m.whole(string(m.body))
		}},
		{"the same and 100 good words appended", func(_ int, raw []byte) []byte { return parse(raw).anonymous().appended(text) }},
		{"the same and 500 good words appended", func(_ int, raw []byte) []byte { return parse(raw).anonymous().appended(sentence(good)) }},
		{"500 common words appended", func(i int, raw []byte) []byte {
			return parse(raw).appended(sentence(harness.Shuffled(usual, uint64(i))[:min(len(usual), 500)]))
		}},
		{"the text of a ham appended", func(i int, raw []byte) []byte {
			ham := parse(c.hams[i%len(c.hams)])
			return parse(raw).with(nil, []part{{string(ham.content), string(ham.body)}})
		}},
	}...)
}

// sentence returns the words as lines of text.
func sentence(words []string) string {
	var b strings.Builder
	for i, word := range words {
		b.WriteString(word)
		if i%12 == 11 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

package evasion

import (
	"slices"
	"strings"
)

// attack is a way to change spam: change returns the i-th spam, changed, the same in every run.
type attack struct {
	name   string
	change func(i int, raw []byte) []byte
}

// attacks returns all attacks, with the words of the half that is not learned.
func attacks(c *corpus) []attack {
	good := c.goodWords(500)
	hundred, all := sentence(good[:min(100, len(good))]), sentence(good)
	return []attack{
		{"spam as it is", func(_ int, raw []byte) []byte { return raw }},
		{"100 good words appended", func(_ int, raw []byte) []byte { return parse(raw).appended(hundred) }},
		{"500 good words appended", func(_ int, raw []byte) []byte { return parse(raw).appended(all) }},
		{"a header that says nothing and 500 good words", func(_ int, raw []byte) []byte { return parse(raw).anonymous().appended(all) }},
		{"the text of a ham appended", func(i int, raw []byte) []byte {
			ham := parse(c.hams[i%len(c.hams)])
			return parse(raw).with(string(ham.content), string(ham.body))
		}},
	}
}

// sentence returns the words as lines of text.
func sentence(words []string) string {
	var b strings.Builder
	for line := range slices.Chunk(words, 12) {
		b.WriteString(strings.Join(line, " ") + "\n")
	}
	return b.String()
}

package generate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// phrases is the material of one language. In its file,
//
//	; is a comment
//	= name: one|two|three      a vocabulary list
//	# class/topic              begins a topic: sentences that belong together
//	> subject                  a subject line of the topic
//	sentence                   a sentence, a line each
//
// The topics "^", "$" and "*" of a class hold greetings, closings and sentences
// that go with any topic. In all of them {a|b} is a choice, {3-9} a number and
// {name} an entry of a vocabulary list, the same one all through a message; {name2}
// is another one. Braces nest.
type phrases struct {
	words  map[string][]string
	topics map[string][]*topic // by class
	extra  map[string]*topic   // by "class/^" and so on
}

type topic struct {
	name      string
	subjects  []string
	sentences []string
}

func parsePhrases(text string) (*phrases, error) {
	p := &phrases{words: map[string][]string{}, topics: map[string][]*topic{}, extra: map[string]*topic{}}
	var t *topic
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' {
			continue
		}
		if strings.Count(line, "{") != strings.Count(line, "}") {
			return nil, fmt.Errorf("line %d: braces do not match", n)
		}
		rest := strings.TrimSpace(line[1:])
		switch line[0] {
		case '=':
			name, list, _ := strings.Cut(rest, ":")
			p.words[name] = splitChoices(strings.TrimSpace(list))
		case '#':
			class, name, _ := strings.Cut(rest, "/")
			t = &topic{name: name}
			if strings.Contains("^$*", name) {
				p.extra[rest] = t
			} else {
				p.topics[class] = append(p.topics[class], t)
			}
		case '>':
			t.subjects = append(t.subjects, rest)
		default:
			t.sentences = append(t.sentences, line)
		}
	}
	return p, nil
}

// splitChoices splits at "|" outside of braces.
func splitChoices(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		case '|':
			if depth == 0 {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	return append(out, s[start:])
}

// filler fills the braces of one message.
type filler struct {
	r     *random
	words map[string][]string
	said  map[string]string // what a name stands for in this message
}

var (
	innermost = regexp.MustCompile(`\{[^{}]*\}`)
	numbers   = regexp.MustCompile(`^(\d+)-(\d+)$`)
)

// fill replaces all braces in s, from the inside out.
func (f *filler) fill(s string) string {
	for strings.Contains(s, "{") {
		at := innermost.FindStringIndex(s)
		s = s[:at[0]] + f.slot(s[at[0]+1:at[1]-1]) + s[at[1]:]
	}
	return s
}

func (f *filler) slot(s string) string {
	if strings.Contains(s, "|") {
		return pick(f.r, strings.Split(s, "|"))
	}
	if m := numbers.FindStringSubmatch(s); m != nil {
		low, _ := strconv.Atoi(m[1])
		high, _ := strconv.Atoi(m[2])
		return strconv.Itoa(low + f.r.below(high-low+1))
	}
	return f.word(s)
}

// word is what a name stands for in this message.
func (f *filler) word(name string) string {
	if s, ok := f.said[name]; ok {
		return s
	}
	base := strings.TrimRight(name, "0123456789")
	list := f.words[base]
	if list == nil {
		panic("no vocabulary list " + name) // a slip in the phrase files
	}
	s := f.fill(pick(f.r, list))
	if base != name && s == f.said[base] {
		return f.word(name)
	}
	f.said[name] = s
	return s
}

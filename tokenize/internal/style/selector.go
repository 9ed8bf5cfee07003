package style

import (
	"bytes"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
)

// Element is an open element of a page.
type Element struct {
	Name      string // in lower case
	ID, Class []byte
	Tag       []byte // as written
}

// compound is what one element must be: all of it.
type compound struct {
	name, id string // "" for any
	classes  []string
	with     []attribute
	not      []compound
	child    bool // the next in the path is its parent
}

// attribute is what an attribute must have. Without an operator it must be there.
type attribute struct {
	name, value string
	operator    byte
}

// key is what an element must have to be tried.
func (c *compound) key() string {
	switch {
	case c.id != "":
		return "#" + c.id
	case len(c.classes) > 0:
		return "." + c.classes[0]
	}
	return c.name
}

// selector reads a selector; ok is false if it is none. Of one that is doubtful what is not
// known counts as true.
func selector(text []byte) (r rule, ok bool) {
	var c compound
	r.rank = fromSheet + 1
	child, space := false, false
	text = trim(text)
	if len(text) == 0 || text[0] == '>' {
		return r, false
	}
	for len(text) > 0 {
		switch text[0] {
		case ' ', '\t', '\n', '\r', '\f', '>':
			child, space, text = child || text[0] == '>', true, text[1:]
			continue
		case '+', '~':
			r.path, c, r.doubtful, child, space = nil, compound{}, true, false, false
			text = bytes.TrimLeft(text[1:], " \t\n\r\f")
			continue
		}
		if space {
			r.path, c = append(r.path, c), compound{child: child}
			child, space = false, false
		}
		var n int
		if n, ok = c.part(text, &r); !ok {
			return r, false
		}
		text = text[n:]
	}
	r.path = append(r.path, c)
	slices.Reverse(r.path)
	return r, len(r.path) <= maxPath
}

// maxPath is the number of elements in a selector.
const maxPath = 8

// part reads one condition of an element, and returns its length.
func (c *compound) part(text []byte, r *rule) (n int, ok bool) {
	name := identifier(bytes.TrimLeft(text, ".#:*"))
	named := len(name) > 0 && name[0] > '9' && bytes.HasPrefix(text[1:], name)
	switch {
	case text[0] == '*':
		return 1, true
	case text[0] == '.':
		c.classes = append(c.classes, string(name))
		r.rank += 1 << 8
		return 1 + len(name), named
	case text[0] == '#':
		c.id = string(name)
		r.rank += 1 << 16
		return 1 + len(name), named
	case text[0] == '[':
		end := bytes.IndexByte(text, ']')
		if end < 0 {
			return 0, false
		}
		c.with = append(c.with, condition(string(text[1:end])))
		r.rank += 1 << 8
		return end + 1, true
	case text[0] == ':':
		return c.pseudo(text, name, r)
	}
	c.name = strings.ToLower(string(name))
	r.rank++
	return len(name), len(name) > 0 && name[0] > '9'
}

// pseudo is part for a pseudo-class or pseudo-element of this name.
func (c *compound) pseudo(text, name []byte, r *rule) (n int, ok bool) {
	switch string(name) {
	case "before", "after":
		r.generated = true
		return len(text), true
	case "root", "link", "any-link":
		if c.name == "" {
			c.name = map[bool]string{true: "html", false: "a"}[name[0] == 'r']
		}
		return bytes.Index(text, name) + len(name), true
	case "hover", "active", "focus", "target":
		r.never = true
	case "not":
		inside, is := bytes.CutPrefix(text, []byte(":not("))
		end := bytes.IndexByte(inside, ')')
		if !is || end < 0 {
			return 0, false
		}
		inner, ok := selector(inside[:end])
		if ok && len(inner.path) == 1 && !inner.generated && !inner.doubtful {
			c.not = append(c.not, inner.path[0])
			r.rank += inner.rank - fromSheet - 1
			return len(":not(") + end + 1, true
		}
	}
	r.doubtful = true
	n = 1 + len(name)
	if n < len(text) && text[n] == '(' {
		_, _, rest := until(text[n+1:], ")")
		n = len(text) - len(rest)
	}
	return n, n > 1
}

// identifier returns the name at the beginning of text.
func identifier(text []byte) []byte {
	n := 0
	for n < len(text) && wordByte(text[n]) {
		n++
	}
	return text[:n]
}

// condition reads the inside of brackets.
func condition(text string) attribute {
	name, v, found := strings.Cut(text, "=")
	a := attribute{value: strings.Trim(strings.TrimSpace(v), `"'`)}
	if found {
		a.operator = '='
		if last := len(name) - 1; last >= 0 && strings.IndexByte("^$*~|", name[last]) >= 0 {
			a.operator, name = name[last], name[:last]
		}
	}
	a.name = strings.TrimSpace(name)
	return a
}

// Apply adds the declarations of the sheet for the last of the open elements.
func (s *Sheet) Apply(to *Style, open []Element) {
	e := &open[len(open)-1]
	s.try(to, "", open)
	s.try(to, e.Name, open)
	if len(e.ID) > 0 {
		s.try(to, "#"+string(e.ID), open)
	}
	for class := range bytes.FieldsSeq(e.Class) {
		s.Tests++
		s.try(to, "."+string(class), open)
	}
}

// try adds the declarations of the rules with a key.
func (s *Sheet) try(to *Style, key string, open []Element) {
	for _, i := range s.keyed[key] {
		r := &s.rules[i]
		if s.Tests > s.most {
			return
		} else if !s.matches(r.path, open) {
			continue
		}
		s.Tests += len(r.declarations) / 8
		for _, d := range r.declarations {
			switch tag := open[len(open)-1].Tag; {
			case d.content != nil && r.generated:
				if s.Tests += (len(d.content) + bytes.Count(d.content, []byte("attr("))*len(tag)) / testBytes; s.Tests <= s.most {
					to.Content = append(to.Content, content(d.content, tag)...)
				}
			case d.content == nil && !r.generated:
				to.put(d.property, value{d.rank | r.rank, d.is})
			}
		}
	}
}

// matches reports whether the open elements have a path.
func (s *Sheet) matches(path []compound, open []Element) bool {
	if !s.fits(&path[0], &open[len(open)-1]) {
		return false
	}
	at := len(open) - 1
	for i := 1; i < len(path); i++ {
		for at--; at >= 0 && !s.fits(&path[i], &open[at]); at-- {
			if path[i-1].child {
				return false
			}
		}
		if at < 0 {
			return false
		}
	}
	return true
}

// fits reports whether an element is what a compound says.
func (s *Sheet) fits(c *compound, e *Element) bool {
	s.Tests++
	if c.name != "" && c.name != e.Name || c.id != "" && c.id != string(e.ID) {
		return false
	}
	for _, class := range c.classes {
		if !hasWord(e.Class, class) {
			return false
		}
	}
	s.Tests += len(e.Class) / testBytes
	for i := range c.with {
		s.Tests += len(e.Tag) / testBytes
		if v, ok := htmltext.Attribute(e.Tag, c.with[i].name); !ok || !c.with[i].holds(string(v)) {
			return false
		}
	}
	for i := range c.not {
		if s.fits(&c.not[i], e) {
			return false
		}
	}
	return true
}

// testBytes of a tag are read in the time of one test.
const testBytes = 32

func hasWord(list []byte, word string) bool {
	for w := range bytes.FieldsSeq(list) {
		if string(w) == word {
			return true
		}
	}
	return false
}

func (a *attribute) holds(v string) bool {
	switch a.operator {
	case 0:
		return true
	case '^':
		return a.value != "" && strings.HasPrefix(v, a.value)
	case '$':
		return a.value != "" && strings.HasSuffix(v, a.value)
	case '*':
		return a.value != "" && strings.Contains(v, a.value)
	case '~':
		return hasWord([]byte(v), a.value)
	case '|':
		return v == a.value || strings.HasPrefix(v, a.value+"-")
	}
	return v == a.value
}

// content returns the text of a value of content: strings and attributes.
func content(v, tag []byte) (text []byte) {
	for len(v) > 0 {
		switch {
		case v[0] == '"' || v[0] == '\'':
			s, rest, _ := bytes.Cut(v[1:], v[:1])
			text, v = append(text, s...), rest
		case bytes.HasPrefix(v, []byte("attr(")):
			name, rest, _ := bytes.Cut(v[5:], []byte(")"))
			s, _ := htmltext.Attribute(tag, string(trim(name)))
			text, v = append(text, s...), rest
		default:
			v = v[1:]
		}
	}
	return text
}

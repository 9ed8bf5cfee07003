package tokenize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// DefaultSpec is the analyzer that a new database gets. It stems where that was measured
// to help and the script determines the language, so that nearly all text in Latin letters
// is not stemmed.
const DefaultSpec = "polya-7 lang=auto stem=auto stop=off ngram=1 min=2"

// version is the version of the analyzer's behaviour. It changes whenever the same text
// and settings could give other terms: documents can be taken back only with the same terms.
// The version before it differs in its default alone, which is channel=off.
const version, before = "polya-7", "polya-6"

type spec struct {
	version    string
	lang       language
	stem       string // auto, on or off
	ngram, min int
	digits     bool
	channel    string   // off, short or grams
	attr       []string // in canonical order
}

// stemmed returns the language whose words are stemmed.
func (s *spec) stemmed() language {
	if s.stem == "off" || s.stem == "auto" && s.lang > none && !languages[s.lang].gains {
		return none
	}
	return s.lang
}

// String returns the canonical form: the version and every setting, in a fixed order,
// defaults included; but digits, channel and attr only if they differ from the default.
func (s spec) String() string {
	text := fmt.Sprintf("%s lang=%s stem=%s stop=off ngram=%d min=%d", s.version, s.lang, s.stem, s.ngram, s.min)
	if !s.digits {
		text += " digits=off"
	}
	if standard, _ := parseSpec(s.version); s.channel != standard.channel {
		text += " channel=" + s.channel
	}
	if len(s.attr) == len(attributeNames) {
		text += " attr=mail"
	} else if len(s.attr) > 0 {
		text += " attr=" + strings.Join(s.attr, ",")
	}
	return text
}

// parseSpec reads the name of a version, and settings key=value after it, each at most
// once and in any order.
func parseSpec(text string) (spec, error) {
	words := strings.Fields(cmp.Or(strings.TrimSpace(text), version))
	s := spec{version: words[0], lang: auto, stem: "auto", ngram: 1, min: 2, digits: true, channel: "short"}
	switch s.version {
	case version:
	case before:
		s.channel = "off"
	default:
		return s, fmt.Errorf("tokenize: analyzer %.40q is not known to this program, whose specs begin with %q", words[0], version)
	}
	seen := map[string]bool{}
	for _, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return s, fmt.Errorf("tokenize: %.40q in the analyzer spec is not of the form key=value", word)
		}
		if seen[key] {
			return s, fmt.Errorf("tokenize: %.40q is set twice in the analyzer spec", key)
		}
		seen[key] = true
		if err := s.set(key, value); err != nil {
			return s, err
		}
	}
	if s.stem == "on" && s.lang <= none {
		return s, fmt.Errorf("tokenize: stem=on in the analyzer spec needs a language, as in lang=en")
	}
	return s, nil
}

func (s *spec) set(key, value string) (err error) {
	at := 0
	switch key {
	case "lang":
		names := make([]string, len(languages))
		for i := range languages {
			names[i] = languages[i].code
		}
		at, err = oneOf(key, value, names...)
		s.lang = language(at)
	case "stem":
		_, err = oneOf(key, value, "auto", "on", "off")
		s.stem = value
	case "stop": // no words are left out
		_, err = oneOf(key, value, "off")
	case "ngram":
		at, err = oneOf(key, value, "1", "2")
		s.ngram = 1 + at
	case "min":
		at, err = oneOf(key, value, "1", "2", "3", "4", "5", "6", "7", "8", "9")
		s.min = 1 + at
	case "digits":
		at, err = oneOf(key, value, "off", "on")
		s.digits = at == 1
	case "channel":
		_, err = oneOf(key, value, "off", "short", "grams")
		s.channel = value
	case "attr":
		if s.attr, err = someOf(key, value, append([]string{"mail"}, attributeNames...)); slices.Contains(s.attr, "mail") {
			s.attr = attributeNames
		}
	default:
		err = fmt.Errorf("tokenize: %.40q is no setting of an analyzer (lang, stem, ngram, min, digits, channel, attr)", key)
	}
	return err
}

// oneOf returns the index of a value among those that a setting may have.
func oneOf(key, value string, all ...string) (int, error) {
	at := slices.Index(all, value)
	if at < 0 {
		return 0, fmt.Errorf("tokenize: %s=%.40q in the analyzer spec must be one of %s", key, value, strings.Join(all, ", "))
	}
	return at, nil
}

// someOf reads "off", or some of all names, in any order and with commas between.
func someOf(key, value string, all []string) ([]string, error) {
	if value == "off" {
		return nil, nil
	}
	list := strings.Split(value, ",")
	n := len(list)
	slices.SortFunc(list, func(a, b string) int { return slices.Index(all, a) - slices.Index(all, b) })
	if list = slices.Compact(list); len(list) < n || !slices.Contains(all, list[0]) {
		return nil, fmt.Errorf("tokenize: %s=%.40q in the analyzer spec must be off, or some of %s, each once, with commas between", key, value, strings.Join(all, ", "))
	}
	return list, nil
}

// An Analyzer turns text into terms, as its spec says. It is safe for
// concurrent use: every call takes a worker with buffers and a cache of its own,
// under 10 MB in all, and hands it back.
type Analyzer struct {
	spec    spec
	workers sync.Pool
	part    *Analyzer
}

// New returns the analyzer that spec describes; "" is DefaultSpec.
func New(spec string) (*Analyzer, error) {
	s, err := parseSpec(spec)
	if err != nil {
		return nil, err
	}
	a := &Analyzer{spec: s}
	if a.part = a; s.channel == "short" {
		s.channel = "off"
		a.part = &Analyzer{spec: s}
	}
	return a, nil
}

// Part returns the analyzer of the texts of a document that has several, such as a message:
// that one of them is short says nothing of the document. It has another Spec.
func (a *Analyzer) Part() *Analyzer { return a.part }

// Spec is the canonical form of the analyzer's spec: New(a.Spec()) is the same
// analyzer.
func (a *Analyzer) Spec() string { return a.spec.String() }

// Attributes lists what the spec asks for beside terms, in the order of its
// canonical form; by default it is empty. It must not be changed. An Analyzer does
// not know how they are found: mail.Read does.
func (a *Analyzer) Attributes() []string { return a.spec.attr }

// Text adds the terms of text to bag, each after "field:" unless field is empty. Links in the
// text become terms as URL makes them. Any bytes are text: what is not UTF-8 is read as
// Windows-1252, byte by byte. Of a text longer than [MaxText] only the first and the last half
// of that are counted, and the term "limit:text" is added.
func (a *Analyzer) Text(bag *Bag, field string, text []byte) {
	w := a.take(bag)
	w.analyze(field, text)
	a.release(w)
}

// URL adds the terms of a link to bag: its host and the host's parent domains
// in the field "url" (www.example.co.uk gives url:www.example.co.uk,
// url:example.co.uk and url:co.uk), the words of the rest in the field "path".
// Scheme and port say nothing and are left out. A link without scheme that
// begins neither with "//" nor "www." is relative, and is all path.
func (a *Analyzer) URL(bag *Bag, url []byte) {
	w := a.take(bag)
	w.url(url)
	a.release(w)
}

// HTML adds the terms of an HTML text to bag: the words that a reader sees, and
// titles and texts in place of pictures, as Text without field does; text that
// is hidden in the field "invisible"; and the links as URL does. The words of the title, of
// headings and of the texts of links are counted once more in the fields "Title",
// "Heading" and "Anchor". Words, hidden text and links are each bounded by [MaxText], as in
// Text, the fields by [MaxMarked]; markup does not count.
func (a *Analyzer) HTML(bag *Bag, html []byte) {
	w := a.take(bag)
	w.html(html)
	a.release(w)
}

// take returns a worker that counts into bag.
func (a *Analyzer) take(bag *Bag) *worker {
	w, _ := a.workers.Get().(*worker)
	if w == nil {
		w = newWorker(a.spec)
	}
	w.bag = bag
	return w
}

// release makes w free for another call.
func (a *Analyzer) release(w *worker) {
	w.bag = nil
	a.workers.Put(w)
}

// Attribute is a named value of a document, beside its terms.
type Attribute struct {
	Name string

	// Value is a string for a category, a float64 for a number.
	Value any
}

// The attributes that a spec can ask for; package mail defines them. They are in the
// order of a spec's canonical form.
var attributeNames = []string{
	"sender", "domain", "list", "to", "size", "hour", "weekday", "recipients", "attachments",
}

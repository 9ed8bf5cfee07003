// Package generate has the program that makes the sample mail in testdata/mail: a test
// that compares the files with what it makes, and writes them anew by
//
//	go test ./testdata/generate -run TestSameBytes -update
//
// The same sources give the same bytes. All of the text was written for this project;
// persons, companies and addresses are made up.
package generate

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed phrases
var sources embed.FS

// classes of the samples.
var classes = []string{"family", "invoices", "newsletter", "spam", "travel", "work"}

// languages and how many messages of each a class has, besides those that are
// written out in phrases/hard.txt.
var languages = []struct {
	code  string
	count int
}{{"en", 21}, {"de", 11}, {"fr", 9}, {"es", 9}, {"ru", 5}, {"pt", 3}, {"ja", 3}}

// generate makes all files, by slash-separated path.
func generate() (map[string][]byte, error) {
	messages, err := samples()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for i, m := range number(messages) {
		files["mail/"+i] = m.bytes(seeded("write "+m.id), hiddenWords(messages, m))
	}
	return files, nil
}

// samples composes the messages of all classes and languages.
func samples() ([]*message, error) {
	all := map[string]*phrases{}
	for _, l := range languages {
		text, err := sources.ReadFile("phrases/" + l.code + ".txt")
		if err != nil {
			return nil, err
		}
		if all[l.code], err = parsePhrases(string(text)); err != nil {
			return nil, fmt.Errorf("phrases/%s.txt: %w", l.code, err)
		}
	}
	text, err := sources.ReadFile("phrases/hard.txt")
	if err != nil {
		return nil, err
	}
	messages, err := parseHard(string(text))
	if err != nil {
		return nil, fmt.Errorf("phrases/hard.txt: %w", err)
	}
	for _, class := range classes {
		var made []*message
		for _, l := range languages {
			made = append(made, ofLanguage(all[l.code], class, l.code, l.count)...)
		}
		holdBack(made)
		messages = append(messages, made...)
	}
	return messages, nil
}

// ofLanguage composes count messages of a class, its topics in turn.
func ofLanguage(p *phrases, class, lang string, count int) []*message {
	var out []*message
	topics := p.topics[class]
	for i := range count {
		r := seeded(fmt.Sprint("sample 1 ", class, lang, i))
		out = append(out, compose(r, p, class, lang, topics[i%len(topics)]))
	}
	return out
}

// holdBack holds back every fifth message of a class, in an order by chance.
func holdBack(messages []*message) {
	order := slices.Clone(messages)
	shuffle(seeded("hold "+messages[0].class), order)
	for i, m := range order {
		m.set = "train"
		if i%5 == 4 {
			m.set = "held"
		}
	}
}

// number gives each message its file name, in an order that tells nothing.
func number(messages []*message) map[string]*message {
	order := slices.Clone(messages)
	slices.SortFunc(order, func(a, b *message) int { return strings.Compare(a.id, b.id) })
	next := map[string]int{}
	named := map[string]*message{}
	for _, m := range order {
		folder := m.set + "/" + m.class
		next[folder]++
		named[fmt.Sprintf("%s/%03d.eml", folder, next[folder])] = m
	}
	return named
}

// hiddenWords takes a paragraph of a wanted message in the language of m, which spam
// hides in its pages to look innocent.
func hiddenWords(messages []*message, m *message) string {
	r := seeded("hidden " + m.id)
	if m.class != "spam" || r.percent(60) {
		return ""
	}
	var wanted []*message
	for _, other := range messages {
		if other.class != "spam" && other.lang == m.lang && other.set == m.set {
			wanted = append(wanted, other)
		}
	}
	return pick(r, wanted).paragraphs[1]
}

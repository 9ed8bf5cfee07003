package generate

import (
	"fmt"
	"strings"
	"time"
)

// message is a sample before it is written as mail.
type message struct {
	set, class, lang string

	from, to   address
	subject    string
	date       time.Time
	id         string
	paragraphs []string
	url        string
	headers    []string // more header lines, in ASCII
}

// compose makes up a message of a class about a topic.
func compose(r *random, p *phrases, class, lang string, t *topic) *message {
	f := &filler{r: r, words: p.words, said: map[string]string{"me": "Robin"}}
	m := &message{class: class, lang: lang, to: recipient(r, class)}
	m.from, f.said["sender"] = sender(r, f, class)
	m.stamp(r)
	m.url = link(r, class, m.from.domain)
	f.said["url"] = m.url
	m.subject = f.fill(pick(r, t.subjects))
	if class == "work" && r.percent(35) {
		m.subject = "Re: " + m.subject
	}

	sentences := some(r, t.sentences, min(len(t.sentences)-1, 4+r.below(2)))
	for _, s := range some(r, p.extra[class+"/*"].sentences, 1+r.below(2)) {
		at := 1 + r.below(len(sentences))
		sentences = append(sentences[:at], append([]string{s}, sentences[at:]...)...)
	}
	for i := range sentences {
		// "3 p.m." may end a sentence.
		sentences[i] = strings.ReplaceAll(f.fill(sentences[i]), "..", ".")
	}
	greeting := f.fill(pick(r, p.extra[class+"/^"].sentences))
	if lang != "ja" {
		greeting += pick(r, []string{",", ",", "!"})
	}
	m.paragraphs = append(m.paragraphs, greeting)
	m.paragraphs = append(m.paragraphs, paragraphs(r, sentences, lang)...)
	m.paragraphs = append(m.paragraphs, f.fill(pick(r, p.extra[class+"/$"].sentences)))
	return m
}

// paragraphs puts two or three sentences at a time into a paragraph.
func paragraphs(r *random, sentences []string, lang string) []string {
	space := " "
	if lang == "ja" {
		space = ""
	}
	var out []string
	for len(sentences) > 0 {
		n := min(2+r.below(2), len(sentences))
		out = append(out, strings.Join(sentences[:n], space))
		sentences = sentences[n:]
	}
	return out
}

// stamp gives the message a date in 2024 and an id.
func (m *message) stamp(r *random) {
	zone := time.FixedZone("", 3600*pick(r, []int{-5, 0, 1, 2, 2, 9}))
	m.date = time.Date(2024, 1, 1, 6, 0, 0, 0, zone).Add(time.Duration(r.below(360*24*60)) * time.Minute)
	m.id = fmt.Sprintf("%08x.%04x@%s", uint32(r.next()), uint16(r.next()), m.from.domain)
}

// link is the address that a message of a class refers to.
func link(r *random, class, domain string) string {
	switch class {
	case "spam":
		return fmt.Sprintf("http://%s/%s?id=%d", domain, pick(r, []string{"claim", "go", "login", "x", "offer"}), r.below(1e6))
	case "newsletter":
		return fmt.Sprintf("https://%s/%s/%d", domain, pick(r, []string{"read", "issue", "blog", "archive"}), r.below(400))
	}
	return fmt.Sprintf("https://%s/%s/%d", domain, pick(r, []string{"account", "help", "my", "portal"}), r.below(9000))
}

// parseHard reads the messages that are written out in full.
func parseHard(text string) ([]*message, error) {
	var out []*message
	for _, part := range strings.Split("\n"+text, "\n@ ")[1:] {
		head, body, _ := strings.Cut(part, "\n\n")
		lines := strings.Split(head, "\n")
		m := &message{}
		if _, err := fmt.Sscan(lines[0], &m.set, &m.class, &m.lang); err != nil {
			return nil, fmt.Errorf("%q: want set, class and language", lines[0])
		}
		r := seeded("hard " + head)
		m.to = recipient(r, m.class)
		for _, line := range lines[1:] {
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "From":
				who, box, _ := strings.Cut(strings.TrimSuffix(value, ">"), " <")
				local, domain, _ := strings.Cut(box, "@")
				m.from = address{who, local, domain}
			case "Subject":
				m.subject = strings.ReplaceAll(value, "{me}", "Robin")
			default:
				m.headers = append(m.headers, line)
			}
		}
		m.stamp(r)
		m.url = link(r, m.class, m.from.domain)
		m.paragraphs = strings.Split(strings.TrimSpace(body), "\n\n")
		out = append(out, m)
	}
	return out, nil
}

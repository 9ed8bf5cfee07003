package generate

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// shape is the MIME structure of a message.
type shape int

const (
	plain       shape = iota // text/plain
	alternative              // text/plain and text/html
	onlyHTML                 // text/html
	attached                 // text/plain and a file
	both                     // alternative, and a file
)

// shapes are the structures that the mail of each class has in practice.
var shapes = map[string][]shape{
	"spam":       {plain, plain, alternative, onlyHTML, onlyHTML, attached},
	"work":       {plain, plain, plain, plain, alternative, attached},
	"newsletter": {plain, alternative, alternative, alternative, onlyHTML},
	"invoices":   {plain, plain, alternative, attached, attached, both},
	"travel":     {plain, plain, alternative, alternative, attached},
	"family":     {plain, plain, plain, plain, alternative, attached},
}

// file is an attachment.
type file struct {
	name, kind string
	content    string
}

// attachment is what a class attaches. Spam attaches whatever others do.
func attachment(r *random, class string) file {
	pdf := file{fmt.Sprintf("%d.pdf", 1000+r.below(9000)), "application/pdf",
		"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"}
	gif := file{fmt.Sprintf("photo%d.gif", r.below(90)), "image/gif", "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"}
	csv := file{"table.csv", "text/csv", fmt.Sprintf("item,count,value\na,%d,%d\nb,%d,%d\n", r.below(90), r.below(900), r.below(90), r.below(900))}
	ics := file{"event.ics", "text/calendar", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART:20240611T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"}
	switch class {
	case "work":
		return pick(r, []file{csv, ics, pdf})
	case "travel":
		return pick(r, []file{ics, pdf, pdf})
	case "family":
		return gif
	case "spam":
		return pick(r, []file{pdf, gif, {"form.html", "text/html", "<form action=\"http://verify.invalid/\"><input name=password></form>\n"}})
	}
	return pick(r, []file{pdf, pdf, csv})
}

func filePart(f file) part {
	p := part{header: []string{
		fmt.Sprintf("Content-Type: %s; name=%q", f.kind, f.name),
		fmt.Sprintf("Content-Disposition: attachment; filename=%q", f.name),
		"Content-Transfer-Encoding: base64",
	}}
	p.body = transfer("base64", []byte(f.content))
	return p
}

// bytes is the message as RFC 5322 has it. hidden are words that spam puts where
// they are not seen.
func (m *message) bytes(r *random, hidden string) []byte {
	text := plainText(m.paragraphs, m.lang)
	web := page(r, m, hidden)
	f, charset := chooseForm(r, m.lang, m.subject+m.from.name+text+web)
	body := textPart(f, "plain", charset(text))
	page := textPart(f, "html", charset(web))
	boundary := "=_" + strings.NewReplacer("@", "", ".", "").Replace(m.id)
	switch pick(r, shapes[m.class]) {
	case alternative:
		body = multipart("alternative", boundary, body, page)
	case onlyHTML:
		body = page
	case attached:
		body = multipart("mixed", boundary, body, filePart(attachment(r, m.class)))
	case both:
		body = multipart("mixed", boundary, multipart("alternative", boundary+"a", body, page), filePart(attachment(r, m.class)))
	}
	body.header = append(m.header(r, f, charset), append([]string{"MIME-Version: 1.0"}, body.header...)...)
	var b bytes.Buffer
	body.write(&b)
	if r.percent(10) {
		return bytes.ReplaceAll(bytes.ReplaceAll(b.Bytes(), []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	return b.Bytes()
}

// header is what comes before the MIME fields.
func (m *message) header(r *random, f form, charset func(string) []byte) []string {
	write := func(a address) string {
		if a.name == "" {
			return a.mailbox()
		}
		name := a.name
		if strings.ContainsAny(name, "&") {
			name = `"` + name + `"`
		}
		return encodedWord(f, charset, name) + " <" + a.mailbox() + ">"
	}
	h := []string{"Return-Path: <" + m.from.mailbox() + ">"}
	h = append(h, m.received(r)...)
	h = append(h, "Date: "+m.date.Format(time.RFC1123Z), "From: "+write(m.from), "To: "+write(m.to),
		"Subject: "+encodedWord(f, charset, m.subject), "Message-ID: <"+m.id+">")
	h = append(h, m.classHeader(r)...)
	return append(h, m.headers...)
}

// received are the trace lines, newest first.
func (m *message) received(r *random) []string {
	nets := []string{"192.0.2", "198.51.100", "203.0.113"}
	var out []string
	hops := 1 + r.below(3)
	for i := range hops {
		by := "mx.example.org"
		if i > 0 {
			by = fmt.Sprintf("relay%d.%s", i, m.from.domain)
		}
		at := m.date.Add(time.Duration(hops-i) * 3 * time.Second)
		out = append(out, fmt.Sprintf("Received: from %s (unknown [%s.%d])\n\tby %s with ESMTPS id %08x;\n\t%s",
			m.from.domain, pick(r, nets), 1+r.below(254), by, uint32(r.next()), at.Format(time.RFC1123Z)))
	}
	return out
}

// classHeader are the lines that programs of the class's senders add, often enough
// the same for wanted and unwanted mail.
func (m *message) classHeader(r *random) []string {
	var h []string
	listed := func() {
		h = append(h, "List-Id: <"+m.from.local+"."+m.from.domain+">", "List-Unsubscribe: <"+m.url+">")
	}
	switch m.class {
	case "newsletter":
		listed()
		if r.percent(50) {
			h = append(h, "Precedence: bulk")
		}
	case "spam":
		if r.percent(25) {
			listed()
		}
		if r.percent(25) {
			h = append(h, "Reply-To: "+fmt.Sprintf("office%d@%s", r.below(90), pick(r, shared)))
		}
	case "invoices", "travel":
		if r.percent(30) {
			h = append(h, "Auto-Submitted: auto-generated")
		}
	case "work":
		if strings.HasPrefix(m.subject, "Re: ") {
			h = append(h, fmt.Sprintf("In-Reply-To: <%08x@kestrel-works.example>", uint32(r.next())))
		}
		if r.percent(15) {
			h = append(h, "List-Id: Team <team.kestrel-works.example>")
		}
	}
	if r.percent(50) {
		h = append(h, pick(r, []string{"X-Mailer: Feather 3.1", "X-Mailer: Postkutsche 9", "User-Agent: Mailbird/0.9 (test)", "X-Mailer: PHPost 5.2", "X-Priority: 3"}))
	}
	return h
}

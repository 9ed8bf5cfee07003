package mail

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
)

// payload are words that a sender wants read, and not counted.
var payload = strings.Fields("order cheap pills from our online pharmacy today without any prescription save much money now")

// A hiding is a message with the payload in it, and the limit that it exceeds, if any.
type hiding struct{ raw, limit string }

// hidings are ways to exceed each of the limits, with something in front of the payload,
// behind it, or both.
func hidings() map[string]hiding {
	text := strings.Join(payload, " ") + "\n"
	coded := base64.StdEncoding.EncodeToString([]byte("<html><p>" + text))
	spam := "--b\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n" + coded + "\n"
	mixed := "Content-Type: multipart/mixed; boundary=b\n\n"
	page := "Content-Type: text/html\n\n"
	filler := strings.Repeat("pear quince medlar ", MaxText/19+1)
	deep, inside := deepMultiparts(3 * MaxDepth)
	return map[string]hiding{
		"few empty parts":           {mixed + strings.Repeat("--b\nContent-Type: image/gif\n\n", 201) + spam + "--b--\n", ""},
		"empty parts in front":      {mixed + strings.Repeat("--b\nContent-Type: image/gif\n\n", MaxParts) + spam + "--b--\n", "parts"},
		"parts of text in front":    {mixed + strings.Repeat("--b\n\npear\n", MaxParts) + spam + "--b--\n", "parts"},
		"parts behind":              {mixed + spam + strings.Repeat("--b\n\npear\n", MaxParts) + "--b--\n", "parts"},
		"parts in a multipart":      {mixed + "--b\nContent-Type: multipart/mixed; boundary=c\n\n" + strings.Repeat("--c\n\npear\n", 2*MaxParts) + "--c--\n" + spam + "--b--\n", "parts"},
		"multipart of parts behind": {mixed + strings.Repeat("--b\n\npear\n", MaxParts) + "--b\nContent-Type: multipart/mixed; boundary=c\n\n" + strings.ReplaceAll(spam, "--b", "--c") + "--c--\n--b--\n", "parts"},
		"depth of multiparts":       {deep + spam + "--b--\n", "depth"},
		"depth and base64":          {inside, "depth"},
		"depth of messages":         {strings.Repeat("Content-Type: message/rfc822\n\n", 3*MaxDepth) + strings.TrimPrefix(spam, "--b\n"), "depth"},
		"depth behind parts":        {strings.Repeat("Content-Type: message/rfc822\n\n", 3*MaxDepth) + mixed + strings.Repeat("--b\nContent-Type: image/gif\n\n", 300) + spam, "depth"},
		"text in front":             {"\n" + filler + text, "text"},
		"text on both sides":        {mixed + "--b\n\n" + filler + filler + "\n" + spam + "--b--\n", "text"},
		"text in base64":            {"Content-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(filler, 10)+text)), "text"},
		"text of many parts":        {mixed + strings.Repeat("--b\n\n"+filler[:64<<10]+"\n", 100) + spam + "--b--\n", "text"},
		"pages in front":            {mixed + strings.Repeat("--b\nContent-Type: text/html\n\n"+strings.Repeat("<i>pear</i> ", 1<<20/12)+"\n", 20) + spam + "--b--\n", "text"},
		"pages on both sides":       {mixed + strings.Repeat("--b\nContent-Type: text/html\n\n"+strings.Repeat("<!-- pear -->", 1<<20/13)+"\n", 6) + spam + strings.Repeat("--b\nContent-Type: text/html\n\n"+strings.Repeat("<!-- pear -->", 1<<20/13)+"\n", 6), ""},
		"one long text":             {"\n" + text + strings.Repeat(filler, 20), "text"},
		"end of one long text":      {"\n" + strings.Repeat(filler, 20) + text, "text"},
		"one long text in base64":   {"Content-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(filler, 20)+text)), "text"},
		"text behind":               {"\n" + text + filler + filler, "text"},
		"comments":                  {page + strings.Repeat("<!-- "+filler+"-->", 3) + text, ""},
		"styles":                    {page + strings.Repeat("<style>"+filler+"</style>", 3) + text, ""},
		"hidden text":               {page + strings.Repeat("<p hidden>"+filler+"</p>", 3) + text, "hidden"},
		"links":                     {page + strings.Repeat("<a href=http://pear.example/medlar>x</a>", MaxLinks/20) + " " + text, "hidden"},
		"comments on both sides":    {page + strings.Repeat("<!-- "+filler+"-->", 7) + text + strings.Repeat("<!-- "+filler+"-->", 7), ""},
		"bytes of header":           {"X-A: " + strings.Repeat("pear ", MaxHeaderBytes) + "\nContent-Transfer-Encoding: base64\nContent-Type: text/html\n\n" + coded, "header"},
		"folds of header":           {"X-A: " + strings.Repeat("pear\n ", MaxHeaderBytes) + "\nContent-Transfer-Encoding: base64\nContent-Type: text/html\n\n" + coded, "header"},
		"fields":                    {strings.Repeat("X-A: pear\n", 2*MaxFields) + "Content-Transfer-Encoding: base64\nContent-Type: text/html\n\n" + coded, "header"},
		"fields on both sides":      {strings.Repeat("X-A: pear\n", 2*MaxFields) + "Content-Transfer-Encoding: base64\nContent-Type: text/html\n" + strings.Repeat("X-A: pear\n", 2*MaxFields) + "\n" + coded, "header"},
		"fields of a part":          {mixed + strings.Replace(spam, "--b\n", "--b\n"+strings.Repeat("X-A: pear\n", 2*MaxFields), 1), ""},
		"fields before a part":      {mixed + "--b\n" + strings.Repeat("X-A: pear\n", 2*MaxFields) + "\n\n" + spam, ""},
		"descriptions of parts":     {mixed + strings.Repeat("--b\nContent-Disposition: inline; filename="+strings.Repeat("x", 1000)+"\n\n", MaxHeaderBytes/1000+1) + spam, "header"},
		"fields of an attachment":   {mixed + "--b\nContent-Type: message/rfc822\n\n" + strings.Repeat("X-A: pear\n", 3*MaxFields) + "Content-Transfer-Encoding: base64\nContent-Type: text/html\n\n" + coded, "header"},
		"bytes searched":            {searched(spam), "scan"},
		"boundary":                  {strings.ReplaceAll(mixed+spam+"--b--\n", "b\n", strings.Repeat("b", MaxBoundary+1)+"\n"), "boundary"},
		"folded boundary":           {"Content-Type: multipart/mixed; boundary=\"" + strings.Repeat("b", 300) + "\n " + strings.Repeat("b", 300) + "\"\n\n" + strings.ReplaceAll(spam, "--b\n", "--"+strings.Repeat("b", 300)+" "+strings.Repeat("b", 300)+"\n"), "boundary"},
	}
}

// deepMultiparts is a beginning of nested multiparts, the innermost of boundary b, and one
// in which a message in base64 lies.
func deepMultiparts(depth int) (deep, inside string) {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	deep = b.String() + "Content-Type: multipart/mixed; boundary=b\n\n"
	message := "Subject: x\nContent-Type: text/html\n\n<p>" + strings.Join(payload, " ")
	return deep, b.String() + "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(message)) + "\n"
}

// searched nests multiparts that reach to the end of a message so long that not all levels
// can be searched for their boundaries.
func searched(spam string) string {
	var b strings.Builder
	for i := range MaxDepth - 1 {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	b.WriteString("\n" + strings.Repeat("x\n", 8<<20/2))
	return b.String() + spam
}

// TestNothingIsHidden reads the payload whatever limit is exceeded around it, and a term
// for that limit.
func TestNothingIsHidden(t *testing.T) {
	raced.Skip(t)
	for name, h := range hidings() {
		t.Run(name, func(t *testing.T) {
			got, memory := attack(t, h.raw, "")
			missed := 0
			for _, word := range payload {
				if got[word] == 0 {
					missed++
				}
			}
			if missed > 0 {
				t.Errorf("%d of %d words are missed", missed, len(payload))
			}
			if h.limit != "" && got["limit:"+h.limit] != 1 {
				t.Errorf("no limit:%s", h.limit)
			}
			for term := range got {
				if h.limit == "" && strings.HasPrefix(term, "limit:") {
					t.Error(term)
				}
			}
			if memory > maxMemory {
				t.Errorf("%d MB allocated", memory>>20)
			}
		})
	}
}

// TestSubjectIsNotHidden exceeds the limits of the header in front of a Subject.
func TestSubjectIsNotHidden(t *testing.T) {
	subject := "Subject: " + strings.Join(payload, " ") + "\n"
	for name, raw := range map[string]string{
		"fields":    strings.Repeat("X-A: pear\n", 2*MaxFields) + subject,
		"bytes":     "X-A: " + strings.Repeat("pear ", MaxHeaderBytes) + "\n" + subject,
		"itself":    "Subject: " + strings.Repeat("pear ", MaxHeaderBytes) + strings.Join(payload, " ") + "\n",
		"attached":  strings.Repeat("X-A: pear\n", 2*MaxFields) + "Content-Type: message/rfc822\n\n" + subject,
		"addresses": "To: " + strings.Repeat("a@b.example, ", 200) + "\n" + subject,
		"one word":  "Subject: =?utf-8?b?" + base64.StdEncoding.EncodeToString([]byte(strings.Join(payload, " ")+strings.Repeat(" pear", MaxWord))) + "?=\n",
		"long word": "Subject: =?utf-8?b?" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("pear ", 1000)+strings.Join(payload, " "))) + "?=\n",
	} {
		got, _ := attack(t, raw+"\nplum", "")
		for _, word := range payload {
			if got["subject:"+word] == 0 {
				t.Errorf("%s: no %s", name, word)
				break
			}
		}
		if got["plum"] == 0 {
			t.Errorf("%s: no body", name)
		}
		limit := "header"
		switch name {
		case "addresses":
			limit = name
		case "one word":
			limit = "word"
		case "long word":
			limit = ""
		}
		if limit != "" && got["limit:"+limit] == 0 {
			t.Errorf("%s: no limit:%s", name, limit)
		}
	}
	if got, _ := attack(t, strings.Repeat("Received: from a.example\n", MaxReceived+1)+"\n", "addresses"); got["limit:addresses"] != 1 {
		t.Error("too many fields Received: no term")
	}
	got, _ := attack(t, "To: "+strings.Repeat("a@b.example, ", 200)+"\nFrom: plum <pear@cherry.example>\n\n", "addresses")
	if got["from:pear@cherry.example"] != 1 || got["limit:addresses"] != 1 {
		t.Errorf("the sender behind many addresses: %v", got)
	}
}

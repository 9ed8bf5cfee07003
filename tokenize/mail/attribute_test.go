package mail

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// read returns the attributes of a message, as name=value.
func read(t testing.TB, spec, raw string) string {
	t.Helper()
	a, err := tokenize.New("polya-7 " + spec)
	if err != nil {
		t.Fatal(err)
	}
	var bag tokenize.Bag
	found := Read(a, &bag, []byte(raw))
	var list []string
	for _, x := range found {
		if v, ok := x.Value.(float64); ok {
			list = append(list, fmt.Sprintf("%s=%.0f", x.Name, math.Expm1(v))) // what the logarithm is of
		} else {
			list = append(list, fmt.Sprintf("%s=%v", x.Name, x.Value))
		}
	}
	return strings.Join(list, " ")
}

func TestAttributes(t *testing.T) {
	tests := []struct{ name, spec, raw, want string }{
		{"all", "attr=mail", plainLetter, "sender=alice@mail.example.org domain=mail.example.org list=garden.lists.example.org to=bob@example.net " +
			fmt.Sprintf("size=%d hour=09 weekday=tue recipients=2 attachments=0", len(plainLetter))},
		{"some", "attr=hour,sender", plainLetter, "sender=alice@mail.example.org hour=09"},
		{"off", "", plainLetter, ""},
		{"parts", "attr=sender,hour,weekday,recipients,attachments", alternative,
			"sender=shop@example.com hour=09 weekday=tue recipients=1 attachments=1"},
		{"the outer message", "attr=sender,domain,to", bounce, "sender=mailer-daemon@mx.example.org domain=mx.example.org"},
		{"nothing", "attr=mail", "", "size=0 attachments=0"},
		{"no header", "attr=mail", "\nwords\n", "size=7 attachments=0"},
		{"an mbox line is no part", "attr=size", "From a@b.example Mon Sep  2 16:22:06 2002\nTo: x\n\n", "size=7"},
		{"forged display name", "attr=sender", "From: \"bank@example.com\" <thief@example.net>\n", "sender=thief@example.net"},
		{"forged without quotes", "attr=sender", "From: bank@example.com <thief@example.net>\n", "sender=thief@example.net"},
		{"comment", "attr=sender", "From: thief@example.net (bank@example.com (x) \\) <y@example.org>)\n", "sender=thief@example.net"},
		{"comma in a name", "attr=sender", "From: Liddell, Alice <Alice@Example.ORG>\n", "sender=alice@example.org"},
		{"folded", "attr=sender,to,recipients", "From:\r\n Alice\r\n\t<a@example.org>\r\nTo: b@example.org,\r\n c@example.org\r\nCC: d@example.org\r\n",
			"sender=a@example.org to=b@example.org recipients=3"},
		{"second From", "attr=sender", "From: nobody\nFrom: a@example.org\n", "sender=a@example.org"},
		{"encoded name", "attr=sender", "From: =?utf-8?q?bank=40example.com?= <thief@example.net>\n", "sender=thief@example.net"},
		{"no address", "attr=sender,domain,to,recipients", "From: nobody\nTo: undisclosed-recipients:;\n", "recipients=0"},
		{"group", "attr=to,recipients", "To: friends: a@example.org, B <b@example.org>; c@example.org\n", "to=a@example.org recipients=3"},
		{"route", "attr=sender", "From: <@a.example,@b.example:c@example.org>\n", "sender=c@example.org"},
		{"mailto", "attr=sender", "From: mailto:a@example.org\n", "sender=a@example.org"},
		{"open quote", "attr=sender", "From: \"Alice <a@example.org>\n", "sender=a@example.org"},
		{"open comment", "attr=sender", "From: Alice (<a@example.org>\n", "sender=a@example.org"},
		{"open bracket", "attr=sender", "From: Alice <a@example.org\n", "sender=a@example.org"},
		{"apostrophes", "attr=sender", "From: 'a@example.org'\n", "sender=a@example.org"},
		{"raw bytes", "attr=sender,domain", "From: <\xe9@example.org>\n", ""},
		{"UTF-8", "attr=sender", "From: <é@example.org>\n", "sender=é@example.org"},
		{"list without brackets", "attr=list", "List-Id: lists.example.org\n", "list=lists.example.org"},
		{"list with words only", "attr=list", "List-Id: list of friends\n", ""},
		{"list named like one", "attr=list", "List-Id: \"<x>\" <Garden.Example.org>\n", "list=garden.example.org"},
		{"date without a day", "attr=hour,weekday", "Date: 2 Sep 2002 23:05 -0700 (PDT)\n", "hour=23 weekday=mon"},
		{"date folded", "attr=hour", "Date: Mon,\n 2 Sep 2002\n 00:05:00 GMT\n", "hour=00"},
		{"bad dates", "attr=hour,weekday", "Date: tomorrow\n", ""},
		{"hour 25", "attr=hour", "Date: 2 Sep 2002 25:05:00 GMT\n", ""},
		{"31 February", "attr=hour", "Date: 31 Feb 2002 12:05:00 GMT\n", ""},
		{"long date", "attr=hour", "Date: 2 Sep 2002 12:05:00 GMT " + strings.Repeat("x", 200) + "\n", ""},
		{"long comment", "attr=hour", "Date: 2 Sep 2002 12:05:00 GMT (" + strings.Repeat("x", 200) + ")\n", "hour=12"},
		{"long addresses", "attr=sender,list,domain", "From: " + strings.Repeat("a", 255) + "@x.example\nList-Id: <" + strings.Repeat("a", 256) + ">\n", ""},
		{"an address of 255", "attr=sender", "From: " + strings.Repeat("A", 245) + "@x.example\n", "sender=" + strings.Repeat("a", 245) + "@x.example"},
		{"inline picture and named text", "attr=attachments", "Content-Type: multipart/mixed; boundary=b\n\n" +
			"--b\nContent-Disposition: inline; filename=x.png\n\n--b\nContent-Type: text/plain; name=x.txt\n\n--b\nContent-Disposition: ATTACHMENT\n\n--b--\n", "attachments=2"},
	}
	for _, tt := range tests {
		if got := read(t, tt.spec, tt.raw); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Attributes change no terms.
func TestAttributesChangeNoTerms(t *testing.T) {
	with, _ := tokenize.New(words + " attr=mail")
	without, _ := tokenize.New(words)
	for _, raw := range []string{plainLetter, alternative, escapes, bounce, "", "Subject: =?x?q?a\n\n"} {
		var one, other tokenize.Bag
		Read(with, &one, []byte(raw))
		Read(without, &other, []byte(raw))
		if one.Len() != other.Len() || one.Tokens() != other.Tokens() {
			t.Errorf("%.40q: %d terms, and %d", raw, one.Len(), other.Len())
		}
		if found := Read(without, &one, []byte(raw)); found != nil {
			t.Errorf("%.40q: attributes %v without being asked", raw, found)
		}
	}
}

// The logarithms are multiples of 2^-16 next to the true ones.
func TestLogarithm(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000, 1 << 20, math.MaxInt32} {
		got := logarithm(n)
		if got*65536 != math.Trunc(got*65536) || math.Abs(got-math.Log(1+float64(n))) > 1./131072 {
			t.Errorf("of 1+%d: %v", n, got)
		}
	}
	if got := logarithm(0); got != 0 {
		t.Errorf("of 1: %v", got)
	}
}

// What is made to exhaust is read in time linear in its length, within the limits of
// the header.
func TestHostileAttributes(t *testing.T) {
	const long = 100_000
	for _, tt := range []struct{ raw, want string }{
		{"From: " + strings.Repeat("a", 1<<20) + "@example.org\n\n", "attachments=0"},
		{"From: " + strings.Repeat("(", 1<<20), "attachments=0"},
		{"From: " + strings.Repeat("\"", 1<<20), "attachments=0"},
		{"From: " + strings.Repeat("<", 1<<20), "attachments=0"},
		{"From: " + strings.Repeat("(\\", 1<<19), "attachments=0"},
		{"From: " + strings.Repeat("<a@b>", long), "sender=a@b attachments=0"},
		{"From: " + strings.Repeat("a@b ", long), "sender=a@b attachments=0"},
		{"Date: " + strings.Repeat("9", 1<<20), "attachments=0"},
		{"List-Id: " + strings.Repeat("<", 1<<20), "attachments=0"},
		{strings.Repeat("From: x\n", long) + "From: a@example.org\n", "sender=a@example.org attachments=0"},
	} {
		if got := read(t, "attr=sender,list,hour,attachments", tt.raw); got != tt.want {
			t.Errorf("%.20q: got %q, want %q", tt.raw, got, tt.want)
		}
	}
	// The last is cut, and still one.
	got := read(t, "attr=to,recipients", "To: "+strings.Repeat("a@b.example, ", long))
	if want := fmt.Sprintf("to=a@b.example recipients=%d", MaxHeaderBytes/len("a@b.example, ")+1); got != want {
		t.Errorf("100,000 recipients: %s, want %s", got, want)
	}
}

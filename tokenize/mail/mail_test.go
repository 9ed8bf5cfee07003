package mail

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// words is the spec of an analyzer that leaves words as they are.
const words = "polya-7 stem=off digits=off"

// terms are the terms of a message and their counts. The words of a subject
// are not among those of the text too, which TestSubjectWords is about.
func terms(t testing.TB, raw string) map[string]int {
	t.Helper()
	a, err := tokenize.New(words)
	if err != nil {
		t.Fatal(err)
	}
	var bag tokenize.Bag
	Read(a, &bag, []byte(raw))
	got := make(map[string]int, bag.Len())
	for i := range bag.Len() {
		term, n := bag.At(i)
		got[string(term)] = n
	}
	for term, n := range got {
		word, ok := strings.CutPrefix(term, "subject:")
		if ok && got[word] == n {
			delete(got, word)
		} else if ok && got[word] < tokenize.MaxCount {
			got[word] -= n
		}
	}
	return got
}

// text are the terms that the analyzer makes of a text.
func text(t testing.TB, s string) map[string]int {
	t.Helper()
	got := terms(t, "\n"+s)
	return got
}

// wantTerms compares the terms of some fields, "" for plain words, with a list.
func wantTerms(t *testing.T, got map[string]int, fields, want string) {
	t.Helper()
	var have []string
	for term := range got {
		field, _, found := strings.Cut(term, ":")
		if !found {
			field = ""
		}
		if slices.Contains(strings.Split(fields, ","), field) {
			have = append(have, term)
		}
	}
	slices.Sort(have)
	list := strings.Fields(want)
	slices.Sort(list)
	if !slices.Equal(have, list) {
		t.Errorf("terms of %q:\n got %v\nwant %v", fields, have, list)
	}
}

func TestFieldTerms(t *testing.T) {
	got := terms(t, plainLetter)
	wantTerms(t, got, "", "ripe plums")
	wantTerms(t, got, "subject", "subject:harvest")
	wantTerms(t, got, "from", "from:alice@mail.example.org from:mail.example.org from:example.org from:liddell from:alice")
	wantTerms(t, got, "to", `to:bob@example.net to:example.net to:carol@uni.example.ac.uk to:uni.example.ac.uk to:example.ac.uk to:carol`)
	wantTerms(t, got, "return-path", "return-path:alice@mail.example.org return-path:mail.example.org return-path:example.org")
	wantTerms(t, got, "delivered-to", "delivered-to:bob@example.net delivered-to:example.net")
	wantTerms(t, got, "received", `received:mx.example.org received:example.org received:192.0.2.17 received:192.0.2 received:192.0
		received:in.example.net received:example.net received:2001:db8 received:2001:db8:17`)
	wantTerms(t, got, "auth,spf,dkim", "auth:spf=pass auth:dkim=fail")
	wantTerms(t, got, "date", "date:+0100")
	wantTerms(t, got, "msgid", "msgid:mail.example.org msgid:example.org")
	wantTerms(t, got, "mailer", "mailer:mutt mailer:2.2.9")
	wantTerms(t, got, "list", "list:garden.lists.example.org list:example.org list:garden list:friends")
	wantTerms(t, got, "header,x-garden,missing", "header:dkim-signature header:x-garden x-garden:roses")
	wantTerms(t, got, "mime,charset,encoding,boundary", "mime:text/plain charset:us-ascii")
}

func TestParts(t *testing.T) {
	got := terms(t, alternative)
	wantTerms(t, got, "", "café crema")
	if got["café"] != 2 {
		t.Errorf("café counted %d times, want once in each form", got["café"])
	}
	wantTerms(t, got, "subject", "subject:café subject:open")
	wantTerms(t, got, "mime", "mime:multipart/mixed mime:multipart/alternative mime:text/plain mime:text/html mime:application/pdf")
	wantTerms(t, got, "charset", "charset:utf-8 charset:iso-8859-1")
	wantTerms(t, got, "encoding", "encoding:quoted-printable encoding:base64")
	wantTerms(t, got, "boundary", "boundary:-=_part_#_#.# boundary:inner")
	wantTerms(t, got, "file,ext", "file:bill file:plum ext:pdf")
	wantTerms(t, got, "date,missing", "date:gmt")
}

func TestAttachedMessage(t *testing.T) {
	got := terms(t, bounce)
	wantTerms(t, got, "subject", "subject:failed subject:inner")
	wantTerms(t, got, "missing", "missing:to missing:date missing:message-id")
	for _, term := range []string{"innerbody", "undeliverable", "action", "from:mallory@example.com", "mime:message/rfc822"} {
		if got[term] == 0 {
			t.Errorf("no term %q in %v", term, slices.Sorted(maps.Keys(got)))
		}
	}
	for term := range got {
		if strings.Contains(term, "innerverdict") {
			t.Errorf("verdict of the inner message gave %q", term)
		}
	}
}

func TestDigest(t *testing.T) {
	got := terms(t, "Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: one\n\nfirst\n--b\n\nSubject: two\n\nsecond\n--b--\n")
	wantTerms(t, got, "subject", "subject:one subject:two")
	wantTerms(t, got, "", "first second")
}

func TestSubjectMarkup(t *testing.T) {
	for _, subject := range []string{
		"plum", "[SPAM] plum", "*****SPAM***** plum", "Re: *** SPAM *** plum", "***Spam*** plum",
		"{Spam?} plum", "{Virus?} {Spam?} plum", "[SPAM 12.3] plum", "=?utf-8?q?=5BSPAM=5D_plum?=",
		"[Suspected Spam] plum", "plum [spam]",
	} {
		got := terms(t, "Subject: "+subject+"\n\n")
		delete(got, "subject:re")
		wantTerms(t, got, "subject", "subject:plum")
	}
	got := terms(t, "Subject: spam [list] *plum*\n\n")
	wantTerms(t, got, "subject", "subject:spam subject:list subject:plum")
}

func TestIgnoredFields(t *testing.T) {
	const bare = "From: a@example.org\n\nbody\n"
	want := terms(t, bare)
	for _, name := range []string{
		"X-Polya-Class", "X-Spam-Status", "X-Spam-Flag", "X-Spam-Level", "X-Bogosity", "X-Spambayes-Classification",
		"X-DSPAM-Result", "X-CRM114-Status", "X-Text-Classification", "X-SpamProbe", "X-Spamd-Result", "X-Rspamd-Server",
		"X-Virus-Scanned", "X-Example-MailScanner", "X-Mox-Reason", "X-MS-Exchange-Organization-SCL", "X-GMX-Antispam",
		"Status", "X-Status", "X-Keywords", "X-UID", "X-IMAPbase", "X-Mozilla-Status2", "X-Gmail-Labels", "Lines", "Content-Length",
		"X-BeenThere", "MIME-Version",
	} {
		got := terms(t, name+": Yes verdict 0.99\n more\n"+bare)
		if !maps.Equal(got, want) {
			t.Errorf("%s gave terms: %v, want %v", name, got, want)
		}
	}
}

func TestShortValues(t *testing.T) {
	got := terms(t, "X-Priority: 3\nReceived-SPF: Pass (sender SPF authorized) x=y\nX-Originating-IP: [192.0.2.9]\nX-Face: abc def\n\n")
	wantTerms(t, got, "x-priority,received-spf,x-face,received", "x-priority:3 received-spf:pass received:192.0.2.9 received:192.0.2 received:192.0")
	wantTerms(t, got, "header", "header:x-priority header:x-originating-ip header:x-face")
}

func TestUuencode(t *testing.T) {
	got := terms(t, "\nplum\nbegin 644 sun_flower.exe\n#0V%T\n`\nend\ncherry\nbegin with me\n")
	wantTerms(t, got, "", "plum cherry begin with me")
	wantTerms(t, got, "file,ext,encoding", "file:sun file:flower ext:exe encoding:uuencode")
}

func TestArmourIsSkipped(t *testing.T) {
	line := strings.Repeat("iQEzBAEBCgAd", 6)
	got := terms(t, "\nplum\n"+line+"\r\n"+line+"\ncherry\n"+line)
	wantTerms(t, got, "", "plum cherry")
}

// TestJoinedWordsAreNoArmour has long lines of the characters of base64 that are words.
func TestJoinedWordsAreNoArmour(t *testing.T) {
	for _, line := range []string{
		"order cheap pills from our online pharmacy today and save much money",
		"Order Cheap Pills From Our Online Pharmacy Today And Save 50 Dollars",
		"ORDER CHEAP pills FROM OUR online PHARMACY 2026 and SAVE 99 DOLLARS",
	} {
		want := terms(t, "\n"+line)
		for _, joint := range []string{"/", "-", "+", "_"} {
			got := terms(t, "\n"+strings.ReplaceAll(line, " ", joint))
			if !maps.Equal(got, want) {
				t.Errorf("joined by %q: %v, want %v", joint, got, want)
			}
		}
	}
}

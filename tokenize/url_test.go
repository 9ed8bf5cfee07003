package tokenize

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func urlTerms(a *Analyzer, url string) string {
	return terms(func(b *Bag) { a.URL(b, []byte(url)) })
}

func TestURL(t *testing.T) {
	tests := []struct{ url, want string }{
		{"", ""},
		{"http://example.com", "url:example.com"},
		{"HTTPS://WWW.Example.COM:8080/", "url:www.example.com|url:example.com"},
		{"http://a.b.c.d.e.f.g/", "url:a.b.c.d.e.f.g|url:b.c.d.e.f.g|url:c.d.e.f.g|url:d.e.f.g|url:e.f.g"},
		{"//cdn.example.org/lib/app.js?v=12#top", "url:cdn.example.org|url:example.org|path:lib|path:app.js|path:12|path:top"},
		{"www.example.com/x/yy", "url:www.example.com|url:example.com|path:yy"},
		{"/images/logo.gif", "path:images|path:logo.gif"},
		{"offer.html", "path:offer.html"},
		{"#", ""},
		{"http://paypal.com@evil.example/login", "disguise:user|url:evil.example|path:paypal.com|path:login"},
		{"http://user:pass@example.com/", "disguise:user|url:example.com|path:user|path:pass"},
		{"http://192.168.0.1/admin", "disguise:address|url:192.168.0.1|path:admin"},
		{"http://[2001:DB8::1]:80/xy", "disguise:address|url:2001:db8::1|path:xy"},
		{"http://[2001:zz]/xy", "path:xy"},
		{"http://[\xe8\x00]/xy", "path:xy"},
		{"http://[", ""},
		{"http://example.com./xy", "url:example.com|path:xy"},
		{"http:\\\\example.com\\file", "url:example.com|path:file"},
		{"http:///example.com/aa", "url:example.com|path:aa"},
		{"http://%65xample.com/%56iagra", "url:example.com|path:viagra"},
		{"http://example.com/%zz%4", "url:example.com|path:zz"},
		{"http://ＥＸＡＭＰＬＥ．com/caf%C3%A9/日本", "url:example.com|path:café|path:日|path:日本|path:本"},
		{"http://example.com/caf%E9", "url:example.com|path:café"},
		{"http://münchen.de", "url:münchen.de"},
		{"mailto:Joe@Example.ORG?subject=Big%20offer", "url:example.org|path:joe|path:subject|path:big|path:offer"},
		{"ftp://ftp.example.com/pub", "url:ftp.example.com|url:example.com|path:pub"},
		{"cid:part1.0504@example.com", ""},
		{"data:image/png;base64,iVBORw0KGgo", ""},
		{"javascript:alert('x')", ""},
		{"http://click.example/r?to=http%3A%2F%2Fevil.example%2Fbuy", "url:click.example|path:to|url:evil.example|path:buy"},
		{"http://click.example/r?id=12&to=//evil.example/buy", "url:click.example|url:evil.example|disguise:target|path:id|path:12|path:to|path:evil.example|path:buy"},
		{"http://click.example/r?to=evil.example/buy", "url:click.example|url:evil.example|disguise:target|path:to|path:evil.example|path:buy"},
		{"http://click.example/r?file=report.pdf&on=1.5/2", "url:click.example|path:file|path:report.pdf|path:on|path:1.5"},
		{"http://xn--80ak6aa92e.com/aa", "disguise:punycode|url:xn--80ak6aa92e.com|path:aa"},
		{"http://3232235521/aa", "disguise:address|url:3232235521|path:aa"},
		{"http://0xc0.0xa8.0x0.0x1/aa", "disguise:address|url:0xc0.0xa8.0x0.0x1|path:aa"},
		{"http://", ""},
		{"http://:80/", ""},
		{"http://.../", ""},
		{"http://a_b.example-x.com", "url:a_b.example-x.com|url:example-x.com"},
		{"  http://example.com/aa \n", "url:example.com|path:aa"},
		{"http://" + strings.Repeat("a", 101) + ".com/xy", "path:xy"},
		{"http://example.com/" + strings.Repeat("aa/", 2000), "url:example.com|path:aa*255"},
	}
	a := analyzer(t, "polya-7 channel=off")
	for _, tt := range tests {
		if got := urlTerms(a, tt.url); got != tt.want {
			t.Errorf("%.80q:\n got %.300s\nwant %.300s", tt.url, got, tt.want)
		}
	}
}

func TestLinksInText(t *testing.T) {
	tests := []struct{ text, want string }{
		{"see http://example.com/xy, or not", "see|url:example.com|path:xy|or|not"},
		{"(www.example.com)", "url:www.example.com|url:example.com"},
		{"<https://example.com>next", "url:example.com|next"},
		{"http: //example.com https www", "http|example.com|https|www"},
		{"httpx://example.com", "httpx|example.com"},
		{"访问http://example.com/abc中文", "访|访问|问|url:example.com|path:abc|中|中文|文"},
		{"élan http://example.com/élan élan", "élan*2|url:example.com|path:élan"},
		{"ДОМ www.пример.рф дом", "дом*2|url:www.пример.рф|url:пример.рф"},
		{"http://a.example/?u=http://b.example/?u=http://c.example/", "url:a.example|url:b.example|path:http|path:c.example"},
	}
	a := analyzer(t, "polya-7 channel=off")
	for _, tt := range tests {
		if got := textTerms(a, tt.text); got != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// TestLinkIsTheSameEverywhere asks whether a link gives the same terms alone and
// in texts, in whatever language these are.
func TestLinkIsTheSameEverywhere(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off lang=en stem=on ngram=2")
	const link = "http://www.example.com/the/running/foxes"
	alone := urlTerms(a, link)
	for _, text := range []string{"and then it was the " + link, "élan " + link, "он и она не в " + link} {
		if got := textTerms(a, text); !strings.HasSuffix(got, alone) {
			t.Errorf("%q:\n got %s\nwant … %s", text, got, alone)
		}
	}
}

func FuzzURL(f *testing.F) {
	f.Add([]byte("http://user@www.example.com:80/a%20b?c=d#e"))
	f.Add([]byte("mailto:joe@example.org"))
	a := analyzer(f, "polya-7 channel=off")
	f.Fuzz(func(t *testing.T, url []byte) {
		before := string(url)
		var b Bag
		a.URL(&b, url)
		if string(url) != before {
			t.Fatalf("%q was changed to %q", before, url)
		}
		checkTerms(t, &b)
		for i := range b.Len() {
			term, _ := b.At(i)
			field, _, _ := strings.Cut(string(term), ":")
			if field != "url" && field != "path" && field != "disguise" || !utf8.Valid(term) {
				t.Fatalf("%q gave %q", url, term)
			}
		}
	})
}

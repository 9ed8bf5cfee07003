package tokenize

import (
	"strings"
	"testing"
	"time"
)

func TestResponse(t *testing.T) {
	const page = "<title>Plums</title><p>ripe"
	const pageTerms = "plums|ripe|Title:plums"
	tests := []struct{ name, raw, want string }{
		{"empty", "", ""},
		{"page alone", page, pageTerms},
		{"line feeds", "HTTP/1.1 200 OK\nServer: nginx/2 (Debian)\n\n" + page,
			"status:200|http:server|http-server:nginx|http-server:debian|" + pageTerms},
		{"line ends, HTTP/2, no reason", "HTTP/2 404 \r\nSERVER:nginx\r\n\r\n" + page, "status:404|http:server|http-server:nginx|" + pageTerms},
		{"without a status line", "Server: CERN\n\n" + page, "http:server|http-server:cern|" + pageTerms},
		{"header alone", "HTTP/1.1 200 OK\r\nServer: nginx", "status:200|http:server|http-server:nginx"},
		{"of this response", "HTTP/1.1 200 OK\nDate: Mon, 01 Jan 2024\nETag: abcdef\n\n", "status:200|http:date|http:etag"},
		{"cookie", "HTTP/1.1 200 OK\nSet-Cookie: PHPSESSID=ab12cd; path=/\n\n", "status:200|http:set-cookie|http-set-cookie:phpsessid"},
		{"location", "HTTP/1.1 302 Found\nLocation: http://example.org/plum\n\n", "status:302|http:location|url:example.org|path:plum"},
		{"redirections", "HTTP/1.1 100 Continue\n\nHTTP/1.1 301 Moved\nLocation: /x\n\nHTTP/2 200\nVary: yes\n\n" + page,
			"status:100|status:301|http:location|status:200|http:vary|http-vary:yes|" + pageTerms},
		{"status line in a page", "HTTP/1.1 200 OK\nVary: yes\n\nHTTP/1.1 301 Moved\n\nseen", "status:200|http:vary|http-vary:yes|http|1.1|#3|301|moved|seen"},
		{"moved nowhere", "HTTP/1.1 301 Moved\n\nHTTP/1.1 200 OK\n\nseen", "status:301|http|1.1|#3|200|ok|seen"},
		{"no field", "HTTP/1.1 200 OK\nplum\n: x\na b: x\n\n" + page, "status:200|" + pageTerms},
		{"text", "HTTP/1.1 200 OK\nContent-Type: text/plain\n\n<b>ripe", "status:200|http:content-type|http-content-type:text|http-content-type:plain|ripe"},
		{"text that reads like a tag", "HTTP/1.1 200 OK\nContent-Type: TEXT/plain\n\na <plum> b", "status:200|http:content-type|http-content-type:text|http-content-type:plain|plum"},
		{"XHTML", "HTTP/1.1 200 OK\nContent-Type: application/XHTML+xml\n\n<b>ripe",
			"status:200|http:content-type|http-content-type:application|http-content-type:xhtml|http-content-type:xml|ripe"},
		{"type of the last", "HTTP/1.1 302 Found\nLocation: /\nContent-Type: text/plain\n\nHTTP/1.1 200 OK\n\n<b>ripe",
			"status:302|http:location|http:content-type|http-content-type:text|http-content-type:plain|status:200|ripe"},
		{"called like fields of polya's own", "HTTP/1.1 200 OK\nLimit: text\nTitle: plum\n\n", "status:200|http:limit|http-limit:text|http:title|http-title:plum"},
		{"no status line", "HTTP/x 200 OK\n\nab", "http|#3|200|ok|ab"},
		{"four digits", "HTTP/1.1 2000 OK\n\nab", "http|1.1|#4|2000|ok|ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := terms(func(b *Bag) { analyzer(t, "").Response(b, []byte(tt.raw)) }); got != tt.want {
				t.Errorf("%q:\n got %s\nwant %s", tt.raw, got, tt.want)
			}
		})
	}
}

// Of a header that is too long the lines in the first and the last part are read, and no
// piece of a line.
func TestResponseLimit(t *testing.T) {
	a := analyzer(t, "")
	for name, middle := range map[string]string{
		"lines":    strings.Repeat("X-Filler: word plum:cherry\n", MaxHeader/20),
		"one line": "X-Filler: " + strings.Repeat("plum:cherry,", MaxHeader/10) + "\n",
	} {
		var b Bag
		a.Response(&b, []byte("HTTP/1.1 200 OK\nX-First: ripe\n"+middle+"X-Last: sour\n\n<p>page"))
		for _, term := range []string{"status:200", "http-x-first:ripe", "http-x-last:sour", "limit:header", "page"} {
			if b.count([]byte(term)) != 1 {
				t.Errorf("%s: %s %d times", name, term, b.count([]byte(term)))
			}
		}
		for i := range b.Len() {
			if term, _ := b.At(i); strings.HasPrefix(string(term), "http:") && !strings.HasPrefix(string(term), "http:x-") {
				t.Errorf("%s: %s", name, term)
			}
		}
	}
	var b Bag
	a.Response(&b, []byte("HTTP/1.1 200 OK\nX-Long: "+strings.Repeat("plum ", 100)+"\n\n"))
	if got := b.count([]byte("http-x-long:plum")); got != maxHeaderWords/len("plum ") {
		t.Errorf("%d words of a long value", got)
	}
}

func FuzzResponse(f *testing.F) {
	f.Add([]byte("HTTP/1.1 301 Moved\r\nLocation: http://example.org/\r\n\r\nHTTP/2 200 \r\nContent-Type: text/html; charset=utf-8\r\nServer: é\r\n\r\n<h1>ab"))
	f.Add([]byte("HTTP/1.0 200 OK\nContent-Type: text/plain\nX\x01y: z\n :\n\n<a href=x>"))
	a := analyzer(f, "")
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		var got, page Bag
		start := time.Now()
		a.Response(&got, raw)
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("took %v", took)
		}
		if before != string(raw) {
			t.Fatal("the response was changed")
		}
		checkTerms(t, &got)
		// What stands behind the header is counted as it is alone.
		end := headerEnd(raw)
		a.HTML(&page, raw[end:])
		if end == 0 {
			same(t, &got, &page)
		}
		for i := range got.Len() {
			if term, _ := got.At(i); term[0] == channelMark {
				t.Fatalf("%q is of a channel", term)
			}
		}
	})
}

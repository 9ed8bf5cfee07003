package evaluation

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// written returns the document of a report.
func written(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements returns the elements of a document in order.
func elements(t *testing.T, doc string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	var list []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			list = append(list, n)
		}
	}
	return list
}

// nodeText returns the text below n.
func nodeText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// pageElements are all elements that a report is made of.
var pageElements = strings.Fields(`html head meta title style body h1 h2 dl div dt dd p pre ul li section
	figure figcaption svg path circle text span`)

// checkContained checks that the document refers to nothing outside itself and runs
// nothing.
func checkContained(t *testing.T, doc string) {
	t.Helper()
	for _, n := range elements(t, doc) {
		if !slices.Contains(pageElements, n.Data) {
			t.Errorf("element <%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "xmlns"), a.Key == "aria-label":
			case a.Key == "src" || a.Key == "href" || strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			case strings.Contains(a.Val, "http"):
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
		}
		if n.Data == "style" && regexp.MustCompile(`url|@import|http`).MatchString(nodeText(n)) {
			t.Error("the style sheet refers to something")
		}
	}
}

var drawing = regexp.MustCompile(`(?s)<svg .*?</svg>`)

// checkDrawings checks that every figure is well-formed XML, whose numbers are
// numbers, and whose texts leave the font to the root.
func checkDrawings(t *testing.T, doc string) {
	t.Helper()
	for _, svg := range drawing.FindAllString(doc, -1) {
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in %.200s", err, svg)
			}
			start, ok := token.(xml.StartElement)
			for i := 0; ok && i < len(start.Attr); i++ {
				a := start.Attr[i]
				if a.Name.Local != "aria-label" && regexp.MustCompile(`NaN|Inf|font-family:`).MatchString(a.Value) {
					t.Fatalf("<%s %s=%q>", start.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// figuresOf counts the figures of each section, by its title.
func figuresOf(t *testing.T, doc string) map[string]int {
	t.Helper()
	figures, title := map[string]int{}, ""
	for _, n := range elements(t, doc) {
		switch n.Data {
		case "h2":
			title = nodeText(n)
		case "figure":
			figures[title]++
		}
	}
	return figures
}

func TestSectionsOfTwoClasses(t *testing.T) {
	t.Parallel()
	r := sampleReport(900, "ham", "spam")
	doc := written(t, r)
	checkContained(t, doc)
	checkDrawings(t, doc)
	if got, want := figuresOf(t, doc), map[string]int{"ROC": 1, "Reliability": 4}; !maps.Equal(got, want) {
		t.Errorf("figures %v, want %v", got, want)
	}
	plain := string(textOf(r))
	for _, n := range elements(t, doc) {
		if n.Data == "pre" && nodeText(n) != plain {
			t.Errorf("the page says\n%s\nand the command\n%s", nodeText(n), plain)
		}
	}
}

// Four models, 20 classes and 7500 answers are as much as a report should have to hold.
func TestTwentyClasses(t *testing.T) {
	t.Parallel()
	doc := written(t, sampleReport(7500, numbered(20)...))
	checkContained(t, doc)
	checkDrawings(t, doc)
	if len(doc) > 2e6 {
		t.Errorf("%d bytes", len(doc))
	}
	if figures := figuresOf(t, doc); figures["ROC"] != 0 || figures["Reliability"] != 4 {
		t.Errorf("figures %v", figures)
	}
	if doc := written(t, sampleReport(7500, "ham", "spam")); len(doc) > 5e5 {
		t.Errorf("two classes take %d bytes", len(doc))
	}
}

func numbered(n int) []string {
	var names []string
	for i := range n {
		names = append(names, "class"+strconv.Itoa(i))
	}
	return names
}

// Names that would be markup, style or SVG if they were not escaped, or would turn
// the line, stay text everywhere.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	hostile := `</title></style></svg><script>alert("1")</script><img src=http://x onerror='x'>&amp;<text `
	turning := "a\u202eb\x00c\x1b[31m\nd\xff"
	r := sampleReport(60, hostile, turning)
	r.Positive, r.Order, r.Analyzer, r.Notes = hostile, hostile, hostile, []string{hostile, turning}
	for i, m := range r.Models {
		m.Name += hostile
		for j := range r.Curve {
			r.Curve[j].Models[i].Name = m.Name
		}
	}
	r.Comparisons[0].A, r.Models[0].Classes[0].Class = hostile, hostile
	doc := written(t, r)
	checkContained(t, doc)
	checkDrawings(t, doc)
	if strings.ContainsAny(doc, "\u202e\x00\x1b") {
		t.Error("characters that control a line came through")
	}
	shown := 0
	for _, n := range elements(t, doc) {
		if slices.Contains([]string{"pre", "figcaption", "span", "dd"}, n.Data) && strings.Contains(nodeText(n), hostile) {
			shown++
		}
	}
	if shown < 6 {
		t.Errorf("the name is shown whole in %d places", shown)
	}
	if !strings.Contains(doc, "a\\u202eb\\x00c\\x1b[31m\\nd\\xff") {
		t.Error("the turning name is not shown")
	}
	many := sampleReport(60, append(numbered(30), hostile)...)
	checkContained(t, written(t, many))
}

func TestSameReportSameBytes(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"ham", "spam"}, numbered(5), numbered(30)} {
		first := written(t, sampleReport(300, names...))
		for range 3 {
			if written(t, sampleReport(300, names...)) != first {
				t.Fatalf("%d classes: other bytes", len(names))
			}
		}
	}
}

func TestWriterThatFails(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	read.CloseWithError(io.ErrShortWrite)
	if err := writeHTML(write, sampleReport(20, "ham", "spam")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
}

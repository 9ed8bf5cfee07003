package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

// written returns the document of a report.
func written(t *testing.T, r *evaluation.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
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

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text below n.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// tags are all elements that a report is made of.
var tags = strings.Fields(`html head meta title style body h1 h2 dl div dt dd p nav ul li a section
	figure figcaption svg g path text span table caption thead tbody tr th td b`)

// checkContained checks that the document refers to nothing outside itself and runs
// nothing.
func checkContained(t *testing.T, doc string) {
	t.Helper()
	ids := map[string]bool{}
	list := elements(t, doc)
	for _, n := range list {
		if id := attribute(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("id %q comes twice", id)
			}
			ids[id] = true
		}
	}
	for _, n := range list {
		if !slices.Contains(tags, n.Data) {
			t.Errorf("element <%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "xmlns"), a.Key == "aria-label":
			case a.Key == "href":
				if !strings.HasPrefix(a.Val, "#") || !ids[a.Val[1:]] {
					t.Errorf("<%s> refers to %q", n.Data, a.Val)
				}
			case a.Key == "src" || strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			case strings.Contains(a.Val, "http"):
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
		}
		if n.Data == "style" && regexp.MustCompile(`url|@import|http`).MatchString(textOf(n)) {
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

// figuresOf counts the figures of each section, and the sentences instead of them.
func figuresOf(t *testing.T, doc string) (figures, missing map[string]int) {
	t.Helper()
	figures, missing = map[string]int{}, map[string]int{}
	for _, n := range elements(t, doc) {
		if n.Data != "section" {
			continue
		}
		id := attribute(n, "id")
		for d := range n.Descendants() {
			switch {
			case d.Data == "figure" || d.Data == "table":
				figures[id]++
			case d.Data == "p" && attribute(d, "class") == "missing":
				missing[id]++
			}
		}
	}
	return figures, missing
}

func TestSectionsOfTwoClasses(t *testing.T) {
	t.Parallel()
	doc := written(t, sample(900, "ham", "spam"))
	checkContained(t, doc)
	checkDrawings(t, doc)
	figures, missing := figuresOf(t, doc)
	// One figure a model, two for its reliability; 6 pairs of 4 models; a table a class.
	want := map[string]int{"models": 1, "mcnemar": 1, "confusion": 4, "roc": 1, "precision": 1, "reliability": 8, "curve": 1,
		"presence": 2, "densities": 2, "classes": 4, "terms": 2}
	for id, n := range want {
		if figures[id] != n || missing[id] != 0 {
			t.Errorf("%s has %d figures and tables, %d are missing; want %d, 0", id, figures[id], missing[id], n)
		}
	}
	reads := 0
	for _, n := range elements(t, doc) {
		if n.Data == "p" && attribute(n, "class") == "read" {
			reads++
		}
	}
	if reads != len(want) {
		t.Errorf("%d sections say how to read them, want %d", reads, len(want))
	}
}

// The matrix of four models and 20 classes, and 7500 answers, are as much as a report
// should have to hold.
func TestTwentyClasses(t *testing.T) {
	t.Parallel()
	doc := written(t, sample(7500, numbered(20)...))
	checkContained(t, doc)
	checkDrawings(t, doc)
	if len(doc) > 2e6 {
		t.Errorf("%d bytes", len(doc))
	}
	figures, missing := figuresOf(t, doc)
	if figures["confusion"] != 4 || figures["roc"] != 1 || figures["precision"] != 1 || figures["presence"] != 20 || missing["absent"] != 1 {
		t.Errorf("figures %v, missing %v", figures, missing)
	}
	if doc := written(t, sample(7500, "ham", "spam")); len(doc) > 5e5 {
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

func TestManyClassesAreATable(t *testing.T) {
	t.Parallel()
	for _, n := range []int{matrixClasses, matrixClasses + 1} {
		doc := written(t, sample(520, numbered(n)...))
		for _, e := range elements(t, doc) {
			if e.Data != "section" || attribute(e, "id") != "confusion" {
				continue
			}
			drawn := strings.Contains(textOf(e), "said to be") && !strings.Contains(textOf(e), "greatest confusions")
			if drawn != (n <= matrixClasses) {
				t.Errorf("%d classes: drawn is %v", n, drawn)
			}
		}
	}
}

// Names that would be markup, style or SVG if they were not escaped, or would turn
// the line, stay text everywhere.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	hostile := `</title></style></svg><script>alert("1")</script><img src=http://x onerror='x'>&amp;<text `
	turning := "a\u202eb\x00c\x1b[31m\nd\xff"
	r := sample(60, hostile, turning)
	r.Positive, r.Order, r.Analyzer, r.Notes = hostile, hostile, hostile, []string{hostile, turning}
	for i, m := range r.Models {
		m.Name += hostile
		for j := range r.Curve.Points {
			r.Curve.Points[j].Models[i].Name = m.Name
		}
	}
	r.Comparisons[0].A, r.Models[0].Classes[0].Class = hostile, hostile
	r.Terms[0].ByProbability[0].Term, r.Terms[0].ByInformation[0].Term = hostile, turning
	doc := written(t, r)
	checkContained(t, doc)
	checkDrawings(t, doc)
	if strings.ContainsAny(doc, "\u202e\x00\x1b") {
		t.Error("characters that control a line came through")
	}
	shown := 0
	for _, n := range elements(t, doc) {
		if slices.Contains([]string{"td", "caption", "figcaption", "span", "p"}, n.Data) && strings.Contains(textOf(n), hostile) {
			shown++
		}
	}
	if shown < 20 {
		t.Errorf("the name is shown whole in %d places", shown)
	}
	if !strings.Contains(doc, "a\\u202eb\\x00c\\x1b[31m\\nd\\xff") {
		t.Error("the turning name is not shown")
	}
	many := sample(60, append(numbered(30), hostile)...)
	many.Models[0].Confusions[0].Said = hostile
	checkContained(t, written(t, many))
}

func TestSameReportSameBytes(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"ham", "spam"}, numbered(5), numbered(30)} {
		first := written(t, sample(300, names...))
		for range 3 {
			if written(t, sample(300, names...)) != first {
				t.Fatalf("%d classes: other bytes", len(names))
			}
		}
	}
}

func TestWriterThatFails(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	read.CloseWithError(io.ErrShortWrite)
	if err := HTML(write, sample(20, "ham", "spam")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
}

package plots

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/width"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// typeface measures all text of the figures. Its letters are as wide as those of
// Arial and Helvetica, one of which most machines have.
var typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}

// families is the font-family of the figures; the last always exists.
const families = "Liberation Sans,Arial,Helvetica,sans-serif"

// canvas is a canvas of vgsvg that remembers how wide its texts were measured, so
// that a reader's other font can be held to that width.
type canvas struct {
	*vgsvg.Canvas
	widths []vg.Length // by text in drawing order; 0 where the typeface lacks a letter
}

func newCanvas(w, h vg.Length) *canvas {
	return &canvas{Canvas: vgsvg.New(w, h)}
}

// FillString draws s as vgsvg does.
func (c *canvas) FillString(face font.Face, pt vg.Point, s string) {
	c.Canvas.FillString(face, pt, s)
	w := vg.Length(0)
	if strings.IndexFunc(s, foreign) < 0 {
		w = face.Width(s)
	}
	c.widths = append(c.widths, w)
}

// svg returns the drawing as an element that can stand in an HTML document. Label is
// what a screen reader says of it.
func (c *canvas) svg(label string) (template.HTML, error) {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return "", err
	}
	_, body, found := strings.Cut(b.String(), `xlink">`)
	if !found {
		return "", fmt.Errorf("no svg element was drawn")
	}
	w, h := c.Size()
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%gpt" role="img" aria-label="%s" font-family="%s">`,
		w.Points(), h.Points(), w.Points(), html.EscapeString(label), families)
	out.WriteString(c.fitted(body))
	return template.HTML(out.String()), nil
}

// fitted returns the body with every text held to its measured width, and without
// the font of each, which stands at the root. Between tags vgsvg escapes "<" and
// quotation marks, so that what is looked for is found in tags only.
func (c *canvas) fitted(body string) string {
	parts := strings.Split(body, "<text ")
	var out strings.Builder
	out.WriteString(parts[0])
	for i, part := range parts[1:] {
		out.WriteString("<text ")
		if w := c.widths[i]; w > 0 {
			fmt.Fprintf(&out, `textLength="%.4g" lengthAdjust="spacingAndGlyphs" `, w.Points())
		}
		out.WriteString(part)
	}
	const each = `style="font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;`
	return strings.ReplaceAll(out.String(), each, `style="`)
}

// foreign tells whether the typeface has no letter for r.
func foreign(r rune) bool {
	return r >= 0x250 && !unicode.In(r, unicode.Greek, unicode.Cyrillic) && !strings.ContainsRune("…–—−‘’“”·", r)
}

// handler measures text as text.Plain does, except that letters which the typeface
// lacks are as wide as they are in the fonts that have them.
type handler struct{ text.Plain }

var plain = handler{text.Plain{Fonts: font.DefaultCache}}

// Box returns the size of a line of text.
func (h handler) Box(s string, f font.Font) (w, height, depth vg.Length) {
	w, height, depth = h.Plain.Box(s, f)
	return w + h.excess(s, f), height, depth
}

// Draw draws lines of text.
func (h handler) Draw(c vg.Canvas, s string, sty text.Style, pt vg.Point) {
	along := vg.Length(sty.XAlign) * h.excess(s, sty.Font)
	pt.X += along * vg.Length(math.Cos(sty.Rotation))
	pt.Y += along * vg.Length(math.Sin(sty.Rotation))
	h.Plain.Draw(c, s, sty, pt)
}

// excess returns by how much a line is wider than the typeface makes it.
func (h handler) excess(s string, f font.Font) vg.Length {
	if strings.IndexFunc(s, foreign) < 0 {
		return 0
	}
	face := h.Fonts.Lookup(f, f.Size)
	var sum vg.Length
	for _, r := range s {
		switch {
		case !foreign(r):
		case wide(r):
			sum += f.Size - face.Width(string(r))
		default:
			sum += .6*f.Size - face.Width(string(r))
		}
	}
	return sum
}

func wide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// style returns a style of text of this size.
func style(size vg.Length, x text.XAlignment, y text.YAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color:   ink,
		Font:    font.From(typeface, size),
		XAlign:  x,
		YAlign:  y,
		Handler: plain,
	}
}

package numbergame

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw docs/number-game.svg anew")

const figure = "../../../../docs/number-game.svg"

// The figure in the docs is what the package computes. It changes by
//
//	go test ./cmd/polya-lab/internal/numbergame -run TestFigure -update
func TestFigure(t *testing.T) {
	drawn := drawGame(t)
	if *update {
		if err := os.WriteFile(figure, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(figure)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(kept, []byte("\r\n"), []byte("\n")), drawn) {
		t.Errorf("%s is not what the package computes; draw it anew by -update", figure)
	}
	if n := bytes.Count(kept, []byte("<rect")) - 1; n != len(given)*Numbers {
		t.Errorf("%d bars, want %d", n, len(given)*Numbers)
	}
}

// Sizes of the figure in pixels: a panel, the field in it, and what a number takes.
const (
	panelHeight = 110
	fieldLeft   = 30
	fieldTop    = 20
	fieldHeight = 66
	barStep     = 4.7
)

// drawGame draws the predictives, one panel for each set of examples.
func drawGame(t *testing.T) []byte {
	t.Helper()
	s := Tenenbaum()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 %d" font-family="serif" font-size="10">`+"\n", panelHeight*len(given))
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="white"/>`)
	for i, examples := range given {
		fmt.Fprintf(&b, `<g transform="translate(%d,%d)">`+"\n", fieldLeft, i*panelHeight+fieldTop)
		drawPanel(&b, examples, learn(t, s, examples...).Predict)
		fmt.Fprintln(&b, "</g>")
	}
	fmt.Fprintln(&b, "</svg>")
	return b.Bytes()
}

// drawPanel draws one predictive, the examples in another colour.
func drawPanel(b *bytes.Buffer, examples []int, predict func(int) float64) {
	const width = (Numbers + 1) * barStep
	fmt.Fprintf(b, `<text x="%.0f" y="-6" font-size="11" text-anchor="middle">given {%s}</text>`+"\n", width/2, strings.Trim(strings.ReplaceAll(fmt.Sprint(examples), " ", ", "), "[]"))
	fmt.Fprintf(b, `<path d="M0,0V%d H%.0f" fill="none" stroke="black" stroke-width=".5"/>`+"\n", fieldHeight, width)
	for _, y := range []float64{0, .5, 1} {
		fmt.Fprintf(b, `<text x="-4" y="%.0f" text-anchor="end">%v</text>`+"\n", (1-y)*fieldHeight+3, y)
	}
	for x := 0; x <= Numbers; x += 10 {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", float64(x)*barStep, fieldHeight+12, x)
	}
	for n := 1; n <= Numbers; n++ {
		colour, height := "#336699", predict(n)*fieldHeight
		if slices.Contains(examples, n) {
			colour = "#cc5500"
		}
		fmt.Fprintf(b, `<rect x="%.1f" y="%.2f" width="3" height="%.2f" fill="%s"/>`+"\n", float64(n)*barStep-1.5, fieldHeight-height, height, colour)
	}
}

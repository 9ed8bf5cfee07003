package evaluation

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/eval"
)

func TestEvalNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ got, want string }{
		{percent(.12345), "12.35"}, {percent(Number(math.NaN())), "-"}, {decimal(Number(math.Inf(1))), "+Inf"},
		{decimal(Number(math.Copysign(0, -1))), "0.0000"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// Names are escaped, and infinite log-odds are null.
func TestEvalAnswerLine(t *testing.T) {
	t.Parallel()
	a := eval.Answer{ID: "a\"b", Class: 1, Unsure: true, Posterior: []float64{1, 0}, LogOdds: []float64{math.Inf(1), math.Inf(-1)}}
	got := encodedLine(t, lineOf("dcm", []string{"x", "y\n"}, &a))
	want := `{"document":"a\"b","model":"dcm","class":"y\n","answer":"x","unsure":true,` +
		`"posterior":{"x":1,"y\n":0},"log_odds":{"x":null,"y\n":null}}`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A path that is no text is there to be opened again.
func TestPathBase64(t *testing.T) {
	t.Parallel()
	a := eval.Answer{Posterior: []float64{1}, LogOdds: []float64{0}}
	for id, want := range map[string]string{"a\xff": `"document_base64":"Yf8="`, "größe": `"document":"größe"`} {
		a.ID = id
		if line := encodedLine(t, lineOf("m", []string{"x"}, &a)); !strings.Contains(line, want) || strings.Contains(line, "base64") != strings.Contains(want, "base64") {
			t.Error(line)
		}
	}
}

func encodedLine(t *testing.T, l answerLine) string {
	t.Helper()
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

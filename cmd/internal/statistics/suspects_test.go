package statistics

import (
	"bytes"
	"testing"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// A rate that all classes share is said once, others of each class.
func TestOneRateOfWrongLabelsIsSaidOnce(t *testing.T) {
	t.Parallel()
	for want, wrong := range map[string][]wrongLabels{
		"\nAbout 1.2 % of each class seems to have been learned as another.\n1 document": {
			{"a", .012}, {"b", .012}, {"c", .012}},
		"\nAbout 1.2 % of a seems to have been learned as another class.\n" +
			"About 3.0 % of b seems to have been learned as another class.\n1 document": {
			{"a", .012}, {"b", .03}},
		"\nAbout 1.2 % of a seems to have been learned as another class.\n1 document": {
			{"a", .012}},
	} {
		var out bytes.Buffer
		l := labels{Wrong: wrong, Suspects: []suspect{{Class: "a", Likely: "b"}}}
		if err := l.print(&terminal.Streams{Stdout: &out}, ""); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(out.Bytes(), []byte(want)) {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	}
}

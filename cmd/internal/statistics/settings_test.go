package statistics

import (
	"bytes"
	"testing"

	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// A setting of another version is shown, and said to be none of this one.
func TestSettingOfAnotherVersion(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := PrintSettings(&terminal.Streams{Stdout: &b}, setting.Values{setting.Is: "spam", "min-terms": "5"}); err != nil {
		t.Fatal(err)
	}
	want := "is         spam\nmin-terms  5, which this version does not use; 'polya set min-terms \"\"' removes it\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}

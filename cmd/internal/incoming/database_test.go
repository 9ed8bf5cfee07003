package incoming

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/setting"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// What is learned is there for the next call, and taken back by the one after.
func TestDatabase(t *testing.T) {
	t.Parallel()
	d := &Database{Path: filepath.Join(t.TempDir(), "mail.polya"), Open: classify.Open, Asked: classify.Options{Settings: setting.Values{setting.Is: "spam"}}}
	spam := backend.Request{Message: []byte("Message-ID: <1@x>\nSubject: win\n\nfree prize\n"), Source: "test"}
	ham := backend.Request{Message: []byte("Message-ID: <2@x>\nSubject: lunch\n\nat noon\n")}
	if _, err := d.Classify(t.Context(), spam, false); !errors.Is(err, store.ErrNotExist) {
		t.Fatalf("without a database: %v", err)
	}
	for i, step := range []struct {
		request backend.Request
		class   string
		want    backend.Outcome
	}{
		{spam, "ham", backend.Learned}, {spam, "spam", backend.Moved}, {spam, "spam", backend.Unchanged},
		{ham, "ham", backend.Learned}, {ham, "", backend.Forgotten}, {ham, "", backend.Unchanged},
	} {
		got, err := backend.Unchanged, error(nil)
		if step.class == "" {
			got, err = d.Forget(t.Context(), step.request)
		} else {
			got, err = d.Learn(t.Context(), step.request, step.class)
		}
		if got != step.want || err != nil {
			t.Errorf("step %d: %v, %v", i, got, err)
		}
	}
	if a, err := d.Classify(t.Context(), spam, false); err != nil || !a.Unsure {
		t.Errorf("of one class: %+v, %v", a, err)
	}
	if names, err := d.Classes(t.Context(), ""); !slices.Contains(names, "spam") || err != nil {
		t.Errorf("%q, %v", names, err)
	}
}

package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A database of tags answers with the tags that are to be given, and learns known ones.
func TestTags(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/tags.polya"
	to, err := classify.Open(path, classify.Options{Holds: classify.Tags, Fitting: classify.FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{"travel": "beach hotel flight", "family": "mother brother birthday", "": "meeting minutes agenda"}
	for i := range 60 {
		for tag, text := range words {
			doc := to.Document(fmt.Appendf(nil, "%s number%d", text, i))
			set, err := count.TagSet(slices.DeleteFunc([]string{tag}, func(s string) bool { return s == "" })...)
			if err == nil {
				_, err = to.Train(t.Context(), set, doc)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := to.Calibrate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	to.Close()
	e := newEngine(t, Options{Path: path})
	ask := func(text string) backend.Answer {
		t.Helper()
		a, err := e.Classify(t.Context(), backend.Request{Message: []byte("Subject: x\n\n" + text)}, true)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask("the beach, a hotel and a flight"); !slices.Equal(a.Tags, []string{"travel"}) || a.Class != "travel" || a.Unsure || len(a.Reasons) == 0 || a.Field()[:8] != "travel; " {
		t.Errorf("%+v", a)
	}
	if a := ask("minutes of the meeting"); len(a.Tags) > 0 || !a.Unsure {
		t.Errorf("%+v", a)
	}
	letter := backend.Request{Message: []byte("Message-ID: <1@x>\nSubject: x\n\nmother at the beach")}
	if o, err := e.Learn(t.Context(), letter, "travel, family"); o != backend.Learned || err != nil {
		t.Errorf("%v, %v", o, err)
	}
	if o, err := e.Learn(t.Context(), letter, "family,travel"); o != backend.Unchanged || err != nil {
		t.Errorf("%v, %v", o, err)
	}
	if _, err := e.Learn(t.Context(), letter, "travel, nothing"); !errors.Is(err, backend.ErrClass) {
		t.Error(err)
	}
	id := mail.Document(to, letter.Message).ID
	entry := func() (set string) {
		t.Helper()
		if err := e.Use(t.Context(), "", func(c *classify.Classifier) error {
			return c.Store().View(func(s *store.Snapshot) error {
				found, err := s.Entry(id)
				set = found.Class
				return err
			})
		}); err != nil {
			t.Fatal(err)
		}
		return set
	}
	if o, err := e.Relabel(t.Context(), "", id.String(), "travel", "x"); o != backend.Moved || err != nil || entry() != ",travel" {
		t.Errorf("%v, %v, %q", o, err, entry())
	}
	if o, err := e.Relabel(t.Context(), "", id.String(), ",", "x"); o != backend.Moved || err != nil || entry() != "," {
		t.Errorf("%v, %v, %q", o, err, entry())
	}
	if _, err := e.Relabel(t.Context(), "", id.String(), "travel,nothing", "x"); !errors.Is(err, backend.ErrClass) {
		t.Error(err)
	}
	if names, err := e.Classes(t.Context(), ""); !slices.Equal(names, []string{"family", "ham", "spam", "travel"}) || err != nil {
		t.Errorf("%q, %v", names, err)
	}
}

package node

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store/count"
)

// A fleet begins with a database of tags; a second node has it by the snapshot, learns tags by
// the log, and gives them.
func TestTags(t *testing.T) {
	t.Parallel()
	dir, listen := short(t), free(t)
	elsewhere, err := server.Start(&config.Config{Name: "s", Server: config.Server{Listen: listen, Store: filepath.Join(dir, "js")}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(elsewhere.Close)
	shared := "nodes = [\"a\", \"b\"]\n[nats]\nreplicas = 1\nurls = [\"nats://" + listen + "\"]\n"
	c := configure(t, dir, "a", shared)
	path := filepath.Join(dir, "a", "mail.polya")
	to, err := classify.Open(path, classify.Options{Holds: classify.Tags, Fitting: classify.FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	text := func(words string, n int) []byte {
		return fmt.Appendf(nil, "Message-ID: <%s-%d@example.org>\nSubject: x\n\nthe %s of %d\n", words[:3], n, words, n)
	}
	for n := range 60 {
		for tag, words := range map[string]string{"travel": "beach hotel flight", "family": "mother birthday cake"} {
			set, err := count.TagSet(tag)
			if err == nil {
				_, err = to.Train(t.Context(), set, mail.Document(to, text(words, n)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	to.Close()
	runNode(t, c)
	runNode(t, configure(t, dir, "b", shared))
	f := connect(t, dir, c)
	f.until("two nodes", are(NoLog))
	f.seed("a")
	f.until("two nodes that follow", func(all []Report) bool {
		return len(all) == 2 && are(Following)(all) && all[0].Documents == 120 && all[1].Documents == 120
	})
	first := client.Of(path, time.Minute)
	for n := range 20 {
		if o, err := first.Learn(t.Context(), backend.Request{Message: text("beach hotel flight", 100+n)}, "travel, family"); o != backend.Learned || err != nil {
			t.Fatal(o, err)
		}
	}
	f.until("both have learned", func(all []Report) bool { return len(all) == 2 && all[0].Documents == 140 && all[1].Documents == 140 })
	// Each fits up to the last document before it answers for the entry after that.
	if h, err := Verify(t.Context(), f.config, f.conn); err != nil || len(h) != 2 || h[0].Dump != h[1].Dump || h[0].Dump == "" {
		t.Fatalf("%+v, %v", h, err)
	}
	var answers []backend.Answer
	for _, name := range []string{"a", "b"} {
		a, err := client.Of(filepath.Join(dir, name, "mail.polya"), time.Minute).Classify(t.Context(), backend.Request{Message: text("mother birthday cake", 500)}, false)
		if err != nil || !slices.Contains(a.Tags, "family") {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		answers = append(answers, a)
	}
	if answers[0].Probability != answers[1].Probability {
		t.Errorf("%+v, %+v", answers[0], answers[1])
	}
}

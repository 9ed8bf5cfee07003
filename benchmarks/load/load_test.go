//go:build linux

package load

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// drawn is a folder of messages of two classes that differ in half of their words.
func drawn(t *testing.T, each int) string {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(5, 6))
	for _, class := range []string{"ham", "spam"} {
		if err := os.Mkdir(filepath.Join(dir, class), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range each {
			var text strings.Builder
			fmt.Fprintf(&text, "From: a@example%d.org\nMessage-ID: <%s%d@example%d.org>\nSubject: %sword%d\n\n", r.IntN(20), class, i, r.IntN(20), class, r.IntN(300))
			for range 50 {
				fmt.Fprintf(&text, "%sword%d common%d\n", class, r.IntN(300), r.IntN(300))
			}
			if err := os.WriteFile(filepath.Join(dir, class, fmt.Sprint(class, i)), []byte(text.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// Each measurement goes to its end, what was learned is answered, and a request that is
// refused is counted. How fast it is depends on what else the machine does.
func TestMeasurements(t *testing.T) {
	t.Parallel()
	polya := harness.Build(t.TempDir(), harness.DaemonCommand)
	b := bench{rounds: 1, connections: 4, seconds: 500 * time.Millisecond, idle: 100, drips: 20, quiet: 100 * time.Millisecond}
	var names []string
	for _, m := range measurements {
		names = append(names, m.name)
	}
	ctx := t.Context()
	b.run(ctx, polya, t.TempDir(), harness.Folders(drawn(t, 150)), names)

	b.dir, b.quiet = filepath.Join(t.TempDir(), "answers"), 1500*time.Millisecond
	b.start(ctx, polya)
	defer b.daemon.Stop()
	b.learn(ctx)
	wrong := 0
	for i, request := range requests(b.asked, check) {
		if bytes.Contains(harness.Must(b.answer.ask(request)), []byte("Spam: True")) != (b.asked[i].Class == "spam") {
			wrong++
		}
	}
	if 20*wrong > len(b.asked) {
		t.Errorf("%d of %d answers are wrong", wrong, len(b.asked))
	}
	within, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	refused := b.answer.pace(within, 50, func(int) []byte { return []byte("NONSENSE SPAMC/1.5\r\n\r\n") })
	if refused.failed == 0 || len(refused.taken) > 0 || refused.first == nil {
		t.Errorf("%d refused, %d answered", refused.failed, len(refused.taken))
	}
}

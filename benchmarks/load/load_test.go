//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary is the daemon too.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == hidden {
		if err := serve(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// drawn is a folder of messages of two classes that differ in half of their words.
func drawn(t *testing.T, each int) string {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(5, 6))
	for _, class := range []string{"ham", "spam"} {
		if err := os.Mkdir(filepath.Join(dir, class), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range each {
			var text strings.Builder
			fmt.Fprintf(&text, "From: a%d@example.org\nMessage-ID: <%s%d@example.org>\nSubject: %s\n\n", r.IntN(20), class, i, class)
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

// Each measurement goes to its end, and nobody's request fails. How fast it is depends on
// what else the machine does.
func TestMeasurements(t *testing.T) {
	t.Parallel()
	c, err := read(drawn(t, 150))
	if err != nil {
		t.Fatal(err)
	}
	polya := filepath.Join(t.TempDir(), "polya")
	if out, err := exec.Command("go", "build", "-pgo=off", "-o", polya, "../../cmd/polya").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o := &options{polya: polya, rounds: 1, connections: 4, sample: 10, seconds: 500 * time.Millisecond, soak: 2 * time.Second, users: 60, idle: 100, drips: 20, quiet: 100 * time.Millisecond}
	var names []string
	for _, m := range measurements {
		names = append(names, m.name)
	}
	if err := run(t.Context(), o, c, names); err != nil {
		t.Fatal(err)
	}
}

// What was learned is answered, and a request that is refused is counted.
func TestAnswers(t *testing.T) {
	t.Parallel()
	c, err := read(drawn(t, 150))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{options: &options{profile: "of a daemon in this program", quiet: 1500 * time.Millisecond}, corpus: c, dir: t.TempDir()}
	ctx := t.Context()
	if b.server, err = start(ctx, b.options, b.dir+"/answers"); err != nil {
		t.Fatal(err)
	}
	defer b.server.stop()
	if err := b.learn(ctx); err != nil {
		t.Fatal(err)
	}
	wrong, err := b.server.wrong(ctx, c.asked, checks(c.asked), "Spam: True")
	if err != nil || wrong > .05 {
		t.Errorf("%.0f %% of the answers are wrong; %v", 100*wrong, err)
	}
	within, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	refused := b.server.pace(within, 50, func(int) []byte { return []byte("NONSENSE SPAMC/1.5\r\n\r\n") })
	if refused.failed == 0 || len(refused.taken) > 0 || refused.first == nil {
		t.Errorf("%d refused, %d answered", refused.failed, len(refused.taken))
	}
}

func TestQuantiles(t *testing.T) {
	times := &times{}
	for i := range 100 {
		times.add(time.Duration(100-i)*time.Millisecond, nil)
	}
	if times.at(.5) != 51 || times.at(.99) != 100 || times.at(1) != 100 {
		t.Error(times.at(.5), times.at(.99), times.at(1))
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Error(m)
	}
}

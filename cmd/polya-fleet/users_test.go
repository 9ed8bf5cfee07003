package main

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/node"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	"github.com/polya-classifier/polya/store"
)

// withUsers makes nodes with databases of users, of which two may be open, and one server of the log.
func withUsers(t *testing.T, names ...string) *machines {
	t.Helper()
	f := newMachines(t, names...)
	listen := freePorts(t, 1)[0]
	s, err := server.Start(&config.Config{Name: "s", Server: config.Server{Listen: listen, Store: f.path("js")}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, name := range names {
		f.write(name, "fleet.toml", fmt.Sprintf("name = %q\nnodes = [\"%s\"]\nserve = \"polya.toml\"\nsnapshot = 100\n[nats]\nreplicas = 1\nurls = [\"nats://%s\"]\n",
			name, strings.Join(names, `", "`), listen))
		f.write(name, "polya.toml", string(must(os.ReadFile(f.path(name, "polya.toml"))))+"[users]\npath = \"users/%u.polya\"\npattern = \"[a-z]+\"\nmax-open = 2\n")
		must(0, os.MkdirAll(f.path(name, "users"), 0o700))
	}
	return f
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// learned makes a database that follows no log.
func (f *machines) learned(from, to int, path ...string) {
	f.t.Helper()
	c := must(classify.Open(filepath.Join(append([]string{f.dir}, path...)...), classify.Options{Fitting: classify.FitByHand}))
	for n := from; n < to; n++ {
		must(c.Train(f.t.Context(), classes[n%2], mail.Document(c, []byte(letter(classes[n%2], n)))))
	}
	must(0, c.Close())
}

// files returns what is in the databases of a node that is not running, by their names, with the
// weights of users.
func (f *machines) files(name string) map[string]string {
	f.t.Helper()
	all := make(map[string]string)
	for _, path := range append(must(filepath.Glob(f.path(name, "users", "*.polya"))), f.path(name, "mail.polya")) {
		db := must(store.Open(path, store.Options{ReadOnly: true}))
		var b bytes.Buffer
		must(0, cmp.Or(db.Dump(f.t.Context(), &b, true), db.View(func(s *store.Snapshot) error {
			fmt.Fprintf(&b, "%d documents, weights %s\n", s.Documents(), s.State("serve/blend"))
			return nil
		}), db.Close()))
		all[filepath.Base(path)] = b.String()
	}
	return all
}

// answers are those of a node to its users.
func (f *machines) answers(name string) (all string) {
	for _, user := range append(users, "") {
		for n := range 6 {
			reply, err := f.web[name].Post("http://polya/v1/classify?user="+user, "", strings.NewReader(letter(classes[n%2], 9000+n)))
			if err != nil {
				return name + ": " + err.Error()
			}
			var b bytes.Buffer
			must(b.ReadFrom(reply.Body))
			reply.Body.Close()
			all += user + b.String()
		}
	}
	return all
}

func (f *machines) answerAlike(what string) {
	f.t.Helper()
	for end := time.Now().Add(2 * time.Minute); f.answers("a") != f.answers("b"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatalf("%s: answers\n%s\nand\n%s", what, f.answers("a"), f.answers("b"))
		}
	}
}

var users = []string{"ann", "bob", "cleo", "dan"}

// Users are taught at one node, which reloads, while the other is killed again and again: this has learned each of
// their lessons once, and answers as the first. So does it when it has lost all that it had. Databases of
// its own that it had before are kept.
func TestUsers(t *testing.T) {
	const lessons, kills = 60, 15
	f := withUsers(t, "a", "b")
	f.learned(0, 40, "a", "mail.polya")
	f.learned(100, 104, "a", "users", "ann.polya")
	f.learned(200, 202, "b", "users", "ann.polya")
	f.learned(200, 202, "b", "users", "eve.polya")
	f.start(f.names...)
	f.until("nodes without a log", node.NoLog)
	must(0, f.reseed("a"))
	f.until("the log", node.Following)
	if kept := must(filepath.Glob(f.path("b", "users", "*.replaced"))); len(kept) != 2 {
		t.Errorf("the databases of b's users are kept in %q", kept)
	}

	var all sync.WaitGroup
	for i, user := range append(users, "") {
		all.Go(func() {
			for n := 1000 * (i + 1); n < 1000*(i+1)+lessons; n++ {
				for f.ask("a", "/v1/train?class="+classes[(n+min(i, 1))%2]+"&user="+user, letter(classes[n%2], n)) != 200 {
					if t.Context().Err() != nil {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	settings := must(os.ReadFile(f.path("a", "polya.toml")))
	for n := range kills {
		time.Sleep(time.Duration(50+rand.IntN(400)) * time.Millisecond)
		f.end("b", syscall.SIGKILL)
		f.start("b")
		// Its databases are closed, and opened anew, while lessons wait.
		f.write("a", "polya.toml", fmt.Sprintf("%s[decisions]\nsize = \"%d MiB\"\n", settings, n+1))
		f.run["a"].Process.Signal(syscall.SIGHUP)
	}
	all.Wait()
	for _, ask := range []string{"/v1/forget?user=ann", "/v1/train?class=spam&user=ann", "/v1/forget?user=ann"} {
		if code := f.ask("a", ask, letter("ham", 100)); code != 200 {
			t.Errorf("%s: %d", ask, code)
		}
	}
	f.until("all lessons", node.Following)
	f.equal("after b was killed")
	f.answerAlike("after b was killed")

	f.end("b", syscall.SIGKILL)
	must(0, cmp.Or(os.Remove(f.path("b", "mail.polya")), os.RemoveAll(f.path("b", "users"))))
	f.start("b")
	f.until("a node that had lost all", node.Following)
	f.equal("after b had lost all")
	f.answerAlike("after b had lost all")
	for _, name := range f.names {
		f.end(name, syscall.SIGTERM)
	}
	a, b, weighed := f.files("a"), f.files("b"), false
	for name, want := range map[string]string{"mail.polya": "100 documents", "ann.polya": "63 documents", "dan.polya": "60 documents"} {
		weighed = weighed || strings.Contains(a[name], `"Learned":{"ham":`)
		if !strings.Contains(a[name], "\n"+want) {
			t.Errorf("%s does not end with %s: %.200q", name, want, a[name][max(0, len(a[name])-200):])
		}
	}
	if len(a) != 5 || len(b) != 5 || !weighed {
		t.Errorf("a has %d databases, b %d, fits are made: %v", len(a), len(b), weighed)
	}
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s of a and b differ: %.300q and %.300q", name, a[name][max(0, len(a[name])-300):], b[name][max(0, len(b[name])-300):])
		}
	}
}

package node

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/snapshot"
	"github.com/polya-classifier/polya/store"
)

// documents returns how many a user's database has, -1 if there is none.
func (f *fleetOf) documents(user string) int {
	at, err := snapshot.Look(filepath.Join(f.dir, "a", "users", user+".polya"))
	if err != nil {
		return -1
	}
	return int(at.Documents)
}

// Entries change the databases of the users whom they name. What no user can be called is passed over
// and counted, and makes no file.
func TestUserEntries(t *testing.T) {
	t.Parallel()
	f, _, stop := alone(t, "")
	f.seed("a")
	for n := range 3 {
		f.publishOf("ann", delta(t, n))
	}
	f.publish(delta(t, 9))
	bad := []string{"..", "../ann", "../../x", "/x", "Ann", "a/b", ".x", "a\x00", "a\n", "a\xff", "\u212a", strings.Repeat("x", 300), " /"}
	for n, name := range bad {
		f.publishOf(name, delta(t, 100+n))
		f.publishOf(name, nil) // a fit
	}
	m := nats.NewMsg("polya.polya.log")
	m.Header.Set("Polya-User", "%zz")
	m.Data = delta(t, 200)
	if err := f.conn.PublishMsg(m); err != nil {
		t.Fatal(err)
	}
	f.publishOf("nobody", nil)
	f.publishOf(" e%c3 x", delta(t, 4))
	last := f.publishOf("ann", []byte("no Delta"))
	all := f.until("all entries", func(all []Report) bool {
		return are(Following)(all) && all[0].Position == last && all[0].Documents == 1
	})
	if want := uint64(2*len(bad) + 2); all[0].Passed != want {
		t.Errorf("%d entries are passed over, want %d", all[0].Passed, want)
	}
	stop()
	files, err := filepath.Glob(filepath.Join(f.dir, "a", "users", "*.polya"))
	if err != nil || len(files) != 2 || f.documents("ann") != 3 || f.documents(" e%c3 x") != 1 {
		t.Errorf("%q, %v: ann has %d", files, err, f.documents("ann"))
	}
}

// While the database of a user cannot be written nothing behind his lesson is applied; then it is,
// once, and so is what other users were taught together with him.
func TestUserDatabaseAway(t *testing.T) {
	t.Parallel()
	f, c, stop := alone(t, "")
	f.seed("a")
	away := filepath.Join(f.dir, "a", "users", "bob.polya")
	if err := os.MkdirAll(away, 0o700); err != nil {
		t.Fatal(err)
	}
	f.publishOf("zoe", delta(t, 1))
	f.publish(delta(t, 2))
	f.publishOf("bob", delta(t, 3))
	f.publishOf("ann", delta(t, 4))
	last := f.publish(delta(t, 5))
	all := f.until("a database that cannot be opened", are(Failing))
	if !strings.Contains(all[0].Error, "bob.polya") || all[0].Position >= last {
		t.Errorf("%+v", all[0])
	}
	stop()
	if err := os.Remove(away); err != nil {
		t.Fatal(err)
	}
	stop = runNode(t, c)
	f.until("all entries", func(all []Report) bool {
		return are(Following)(all) && all[0].Position == last && all[0].Documents == 2
	})
	stop()
	if ann, bob, zoe := f.documents("ann"), f.documents("bob"), f.documents("zoe"); ann != 1 || bob != 1 || zoe != 1 {
		t.Errorf("documents of ann %d, bob %d, zoe %d", ann, bob, zoe)
	}
}

// A snapshot brings databases of users, and none of a name that leads elsewhere.
func TestSnapshotOfUsers(t *testing.T) {
	t.Parallel()
	f, c, stop := alone(t, "")
	f.seed("a")
	f.publish(delta(t, 1))
	f.publishOf("ann", delta(t, 2))
	f.until("two lessons", func(all []Report) bool { return are(Following)(all) && all[0].Position == 2 })
	names := []string{"", "ann", "../../elsewhere", "Bob", "/x"}
	source := func(_ context.Context, each func(string, *classify.Classifier) error) (err error) {
		for _, name := range names {
			file := filepath.Join(f.dir, "a", "users", "ann.polya")
			if name == "" {
				file = filepath.Join(f.dir, "a", "mail.polya")
			}
			db, failed := classify.Open(file, classify.Options{Store: store.Options{ReadOnly: true}})
			if failed != nil {
				return failed
			}
			err = errors.Join(err, each(name, db), db.Close())
		}
		return err
	}
	stop()
	s, err := server.Start(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	f.wait("no snapshot", func() bool {
		_, err = snapshot.Make(t.Context(), f.log, source, filepath.Join(f.dir, "made"))
		return err == nil
	})
	s.Close()
	for _, old := range []string{"mail.polya", "users"} {
		if err := os.RemoveAll(filepath.Join(f.dir, "a", old)); err != nil {
			t.Fatal(err)
		}
	}
	var log syncBuffer
	stop = runLogged(t, c, &log, nil)
	f.until("fetched databases", func(all []Report) bool { return are(Following)(all) && all[0].Position == 2 && all[0].Documents == 1 })
	stop()
	if n := strings.Count(log.String(), "it is left out"); n != 3 {
		t.Errorf("%d databases are left out", n)
	}
	files, err := filepath.Glob(filepath.Join(f.dir, "*", "users", "*.polya"))
	if _, elsewhere := os.Stat(filepath.Join(f.dir, "elsewhere.polya")); err != nil || elsewhere == nil || len(files) != 1 || f.documents("ann") != 1 {
		t.Errorf("%q, %v", files, err)
	}
}

// When the log was lost, that which is made anew goes on with what users have learned.
func TestUsersWhenTheLogIsLost(t *testing.T) {
	t.Parallel()
	f, c, stop := alone(t, "")
	f.seed("a")
	f.publishOf("ann", delta(t, 1))
	f.publishOf("bob", delta(t, 2))
	f.until("two lessons", func(all []Report) bool { return all[0].Position == 2 })
	stop()
	if err := os.RemoveAll(c.Server.Store); err != nil {
		t.Fatal(err)
	}
	stop = runNode(t, c)
	f.until("a lost log", are(LostLog))
	f.seed("a")
	f.publishOf("bob", delta(t, 3))
	last := f.publishOf("cleo", delta(t, 4))
	f.until("four lessons", func(all []Report) bool { return are(Following)(all) && all[0].Position == last })
	stop()
	if ann, bob, cleo := f.documents("ann"), f.documents("bob"), f.documents("cleo"); ann != 1 || bob != 2 || cleo != 1 {
		t.Errorf("documents of ann %d, bob %d, cleo %d", ann, bob, cleo)
	}
}

// A node without databases of users does not follow a log that has some, rather than to lose them.
func TestNodeWithoutUsers(t *testing.T) {
	t.Parallel()
	dir := short(t)
	c := configure(t, dir, "a", "nodes = [\"a\"]\n[server]\nlisten = \""+free(t)+"\"\n")
	text, err := os.ReadFile(c.Serve)
	if err != nil {
		t.Fatal(err)
	}
	before, behind, _ := strings.Cut(string(text), "[users]")
	_, behind, _ = strings.Cut(behind, "max-open = 1\n")
	if err := os.WriteFile(c.Serve, []byte(before+behind), 0o600); err != nil {
		t.Fatal(err)
	}
	runNode(t, c)
	f := connect(t, dir, c)
	f.seed("a")
	f.publishOf("ann", delta(t, 1))
	if all := f.until("a node without users", are(Failing)); !strings.Contains(all[0].Error, "databases of users have no path here") {
		t.Errorf("%+v", all[0])
	}
}

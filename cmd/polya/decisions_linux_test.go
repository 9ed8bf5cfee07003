package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/cmdtest"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
)

// The answers of a daemon are listed, and taught by the ids that the list shows.
func TestDecisions(t *testing.T) {
	t.Parallel()
	database := trained(t, cmdtest.ShortDir(t))
	polya := func(want int, args ...string) filtered {
		t.Helper()
		f := piped(t, "", append([]string{"polya", "--db", database}, args...)...)
		if f.code != want || strings.Count(f.stderr, "\n") > 1 {
			t.Errorf("%q: %+v, want exit code %d and at most a line", args, f, want)
		}
		return f
	}
	none := "polya: no daemon serves " + database
	for _, args := range [][]string{{"decisions"}, {"decisions", "teach", "0a", "ham"}} {
		if f := polya(3, args...); !strings.HasPrefix(f.stderr, none) || f.out != "" {
			t.Errorf("%q without a daemon: %+v", args, f)
		}
	}
	d := cmdtest.StartDaemon(t, database)
	if f := polya(0, "decisions"); f.out != "" || f.stderr == "" {
		t.Errorf("before the first answer: %+v", f)
	}
	evil := "From: \x1b[31meve\x07 <eve@example.test>\nSubject: =?utf-8?q?red=1B=5B31m?= alert\nMessage-ID: <evil@example.test>\n\nnothing known\n"
	for _, message := range []string{held(t, "spam/001.eml"), held(t, "family/001.eml"), evil} {
		if f := piped(t, message, "polya", "--db", database, "filter"); f.code != 0 {
			t.Fatalf("%+v", f)
		}
	}
	cmdtest.WaitUntil(t, func() bool { return strings.Count(polya(0, "decisions", "--json").out, "\n") == 3 })
	var kept []backend.Decision
	for line := range strings.Lines(polya(0, "decisions", "--json").out) {
		var one backend.Decision
		if err := json.Unmarshal([]byte(line), &one); err != nil || time.Since(one.Time) > time.Hour {
			t.Fatalf("%s: %v", line, err)
		}
		kept = append(kept, one)
	}
	if kept[2].Class != "spam" || kept[2].Unsure || kept[2].Probability < .9 || !strings.Contains(kept[0].Subject, "red") {
		t.Errorf("%+v", kept)
	}
	table := polya(0, "decisions").out
	rows := strings.Split(table, "\n")
	if len(rows) != 5 || strings.Join(strings.Fields(rows[0]), " ") != "id time class probability user source sender subject" {
		t.Fatalf("%s", table)
	}
	for i, row := range rows[1:4] {
		if id := strings.Fields(row)[0]; !terminal.IsPrintable(row) || len(id) != 12 || !strings.HasPrefix(kept[i].ID, id) {
			t.Errorf("%q of %+v", row, kept[i])
		}
	}
	if f := polya(0, "decisions", "-n", "1"); strings.Count(f.out, "\n") != 2 || !strings.Contains(f.out, kept[0].ID[:8]) {
		t.Errorf("the last: %+v", f)
	}
	short, whole := kept[2].ID[:8], kept[2].ID
	for _, c := range []struct{ id, class, want string }{
		{short, "spam", "learned\n"}, {whole, "spam", "already learned\n"}, {strings.ToUpper(short), "work", "moved from spam to work\n"}, {whole, "spam", "moved from work to spam\n"},
	} {
		if f := polya(0, "decisions", "teach", c.id, c.class); f.out != c.want {
			t.Errorf("%+v: %+v", c, f)
		}
	}
	if f := piped(t, held(t, "spam/001.eml"), "polya", "--db", database, "train", "spam", "-"); !strings.Contains(f.out, "already learned 1;") {
		t.Errorf("taught by its id, a message is not learned: %+v", f)
	}
	for class, want := range map[string]string{"spma": `: no class "spma" (did you mean "spam"?); 'polya class list'`, "ham": `no such decision of the id "zz"; `} {
		id := map[string]string{"spma": short, "ham": "zz"}[class]
		if f := polya(3, "decisions", "teach", id, class); !strings.Contains(f.stderr, want) {
			t.Errorf("%s: %+v", class, f)
		}
	}
	away := database + ".away"
	if err := os.Rename(database, away); err != nil { // who may teach may perhaps not read it
		t.Fatal(err)
	}
	if f := polya(3, "decisions", "teach", short, "spma"); f.stderr != "polya: "+database+": no such class\n" {
		t.Errorf("without the file: %+v", f)
	}
	if err := os.Rename(away, database); err != nil {
		t.Fatal(err)
	}
	d.Kill()
	d.Wait()
	if f := polya(3, "decisions"); !strings.HasPrefix(f.stderr, none) {
		t.Errorf("after the daemon: %+v", f)
	}
	os.Remove(client.Path(database))
	cmdtest.StartDaemon(t, database, "[decisions]\nkeep = false\n")
	for _, args := range [][]string{{"decisions"}, {"decisions", "teach", short, "ham"}} {
		if f := polya(3, args...); !strings.Contains(f.stderr, "keep = true in [decisions] keeps them") {
			t.Errorf("%q where none are kept: %+v", args, f)
		}
	}
}

// What was answered for a user is taught in his database, and moves the answer to him alone.
func TestDecisionsOfUsers(t *testing.T) {
	t.Parallel()
	dir := cmdtest.ShortDir(t)
	database := trained(t, dir)
	d := cmdtest.StartDaemon(t, database, fmt.Sprintf("[users]\npath = %q\nnames = [\"ute\", \"uwe\"]\n", dir+"/%u.u"))
	polya := func(args ...string) filtered {
		t.Helper()
		return piped(t, "", append([]string{"polya", "--db", database}, args...)...)
	}
	message := held(t, "spam/001.eml")
	for _, user := range []string{"ute", "uwe", "eve"} {
		check(t, database+".spamd", user, message)
	}
	cmdtest.WaitUntil(t, func() bool { return strings.Count(polya("decisions", "--json").out, "\n") == 3 })
	f := polya("decisions", "--user", "UTE")
	if strings.Count(f.out, "\n") != 2 || !strings.Contains(f.out, " ute ") {
		t.Errorf("of one user: %+v", f)
	}
	id := strings.Fields(strings.Split(f.out, "\n")[1])[0]
	if f := polya("decisions", "teach", id, "work"); f.code != 3 || !strings.Contains(f.stderr, "several users") {
		t.Errorf("for nobody: %+v", f)
	}
	if f := polya("decisions", "teach", "--user", "ute", id, "work"); f.out != "learned\n" {
		t.Errorf("%+v", f)
	}
	d.Signal(syscall.SIGTERM)
	d.Wait()
	for path, want := range map[string]string{database: "polya", dir + "/ute.u": "decisions"} {
		f := piped(t, "", "polya", "--db", path, "dump", "--ledger")
		if f.code != 0 || strings.Contains(f.out, "\tdecisions") != (want == "decisions") {
			t.Errorf("%s: %.300s %s", path, f.out, f.stderr)
		}
	}
	if _, err := os.Stat(dir + "/uwe.u"); err == nil {
		t.Error("another user has a database")
	}
}

// check asks the daemon about a message by spamd's protocol.
func check(t *testing.T, socket, user, message string) {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "CHECK SPAMC/1.5\r\nUser: %s\r\nContent-length: %d\r\n\r\n%s", user, len(message), message)
	if b, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(b), "SPAMD/1.1 0 ") {
		t.Fatalf("%q, %v", b, err)
	}
}

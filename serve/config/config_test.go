package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/internal/settings"
)

func parse(path, folder, text string) (*Config, error) {
	c := defaults()
	k, err := settings.Parse(path, folder, text, c)
	return checked(c, k, err)
}

// All errors are said at once, each with its key.
func TestErrors(t *testing.T) {
	t.Parallel()
	const path = "[database]\npath = \"x\"\n"
	const spamd = "[[spamd]]\naddress = \"/run/s\"\n"
	for _, c := range []struct{ text, want string }{
		{path, "f: there is no listener"},
		{path + spamd + "[database]\n", "f:5: "},
		{path + "ledger = \"ful\"\nmodel = \"tree\"\n" + spamd, "f: database.model: |f: database.ledger: want full"},
		{path + "pth = 3\n" + spamd + "adress = \"x\"\n", "f: there is no key database.pth (did you mean \"path\"?)|f: there is no key spamd.adress (did you mean \"address\"?)"},
		{"[datbase]\npath = \"x\"\n" + spamd + "[log]\nlevle = \"warn\"\ntoken_file = 1\n[[milter]]\naddress = \"/m\"\n[[milter.rules]]\naction = \"reject\"\nclas = \"\"\n[[http]]\naddress = \"/h\"\nhost = []\n",
			"f: there is no key datbase (did you mean \"database\"?)|f: there is no key log.levle (did you mean \"level\"?)|f: there is no key log.token_file|" +
				"f: there is no key milter.rules.clas (did you mean \"class\"?)|f: there is no key http.host (did you mean \"hosts\"?)|f: database.path: want"},
		{path + spamd + "[nonsense]\na = 1\nb = 2\n", "f: there is no key nonsense"},
		{path + spamd + "address = 3\n", "f:5: "},
		{"[database]\npath = 3\n" + spamd, "f:2: database.path: want a value of type string"},
		{path + "[spamd]\naddress = \"/run/s\"\n", "f:3: spamd: there may be several: its name has two brackets"},
		{path + "max-message = \"3 XB\"\n" + spamd, "f:3: database.max-message: "},
		{path + "max-memory = \"100 MiB\"\n" + spamd, "f: database.max-memory: want at least twice max-message"},
		{"[decisions]\nretention = \"1 year\"\n" + path + spamd, "f:2: "},
		{path + "spam = [\n  \"a\",\n  \"\",\n]\nclasses = [\"\"]\n" + spamd, "f: database.spam: class \"\"|f: database.classes: "},
		{path + spamd + spamd, "f: spamd[1].address: spamd[0] listens there already"},
		{path + "[[rspamd]]\naddress = \"0.0.0.0:1\"\n[[rspamd]]\naddress = \"[::]:2\"\n[[rspamd]]\naddress = \":3\"\n[[rspamd]]\naddress = \"example.org:4\"\n",
			"f: rspamd[0].address: other machines|f: rspamd[1].address: other machines|f: rspamd[2].address: other machines|f: rspamd[3].address: other machines"},
		{path + "[[rspamd]]\naddress = \"0.0.0.0:1\"\nremote = true\nteach = \"anyone\"\n", "f: rspamd[0].teach: over a network nobody"},
		{path + "[[spamd]]\naddress = \"unix:\"\n", "f: spamd[0].address: want the path of a socket"},
		{path + "[[spamd]]\naddress = \"socket\"\n", "f: spamd[0].address: \"socket\": want the path"},
		{path + spamd + "teach = \"self\"\n", "f: spamd[0].teach: self is for databases of users"},
		{path + spamd + "group = \"no-such-group\"\n", "f: spamd[0].group: "},
		{path + spamd + "group = \"4294967296\"\n", "f: spamd[0].group: "}, // which a system takes for 0
		{path + spamd + "mode = \"0999\"\n", "f:5: spamd.mode: "},
		{path + spamd + "mode = 0660\n", "f:5: spamd.mode: Invalid integer \"0660\": want no 0 at its beginning, or quotes around it"},
		{path + "[[script]]\naddress = \"127.0.0.1:1\"\n", "f: script[0].address: Dovecot's scripts speak to a socket only"},
		{path + "[[http]]\naddress = \"127.0.0.1:1\"\n", "f: http[0].address: the API over a network needs learning.token-file"},
		{path + "[[milter]]\naddress = \"/m\"\nrules = [\n  { class = \"spam\", action = \"drop\" },\n]\n", "f: milter[0].rules[0]: action: want deliver"},
		{path + "[[milter]]\naddress = \"/m\"\n[[milter.rules]]\nclass = \"spam\"\n", "f: milter[0].rules[0]: action: want deliver"},
		{path + "[[milter]]\naddress = \"/m\"\n[[milter.rules]]\naction = \"reject\"\n[[milter.rules]]\naction = \"reject\"\nabove = 2.0\n",
			"f: milter[0].rules[1]: above: want a probability"},
		{path + "[[milter]]\naddress = \"/m\"\n[[milter.rules]]\naction = \"reject\"\ntext = \"Müll\"\n", "f: milter[0].rules[0]: text: want one line of at most"},
		{path + "[[milter]]\naddress = \"/m\"\nteach = \"owner\"\nuser-from = \"x\"\n", "f: milter[0].teach: nobody teaches|f: milter[0].user-from: want fixed, "},
		{path + "[[milter]]\naddress = \"/m\"\nteach = \"owner\"\n", "f: milter[0].teach: nobody teaches"},
		{path + spamd + "hosts = [\"a\"]\ntempfail-on-error = true\n", "f: spamd[0].hosts: only [[http]]|f: spamd[0]: only [[milter]] has rules"},
		{path + spamd + "tempfail-on-error = false\n[[rspamd]]\naddress = \"/run/r\"\nuser = \"\"\n[[milter]]\naddress = \"/m\"\ntempfail-on-error = false\n",
			"f: spamd[0]: only [[milter]] has rules|f: rspamd[0]: only [[milter]] has rules"},
		{path + spamd + "[users]\npath = \"users/u\"\npattern = \"[\"\n", "f: users.path: want %u|f: users.pattern: "},
		{path + "false-positive-rate = 0.1\nspam = [\"a\", \"b\"]\n" + spamd, "f: database.false-positive-rate: "},
		{path + "threshold = nan\n" + spamd, "f: database.threshold: "},
		{path + spamd + "[decisions]\nmessage = \"2 MiB\"\n", "f: decisions.message: want a size of at most 1 MiB"},
		{path + spamd + "[learning]\ntoken-file = \"/\"\n", "f: learning.token-file: everybody|f: learning.token-file: read "},
		{"[database]\npath = \"\"\"a\n[b]\nc = 1\"\"\"\nledger = \"x\"\n" + spamd, "f: database.ledger: "},
		{"[database]\npath = \"x\n", "f:2: "},
	} {
		_, err := parse("f", "/etc/polya", c.text)
		got := strings.Split(fmt.Sprint(err), "\n")
		want := strings.Split(c.want, "|")
		ok := len(got) == len(want)
		for i := range want {
			ok = ok && strings.HasPrefix(got[i], want[i])
		}
		if !ok {
			t.Errorf("%s\nis wrong by\n%s\nnot\n%s", c.text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// The template is right, and so are the defaults that it names in comments; the listeners
// in its comments are, too.
func TestTemplate(t *testing.T) {
	t.Parallel()
	got, err := parse("polya.toml", "/etc/polya", string(Template))
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?m)^#([a-z-]+ = )`).ReplaceAllString(string(Template), "$1")
	named = regexp.MustCompile(`(?m)^(path = "/var/lib/polya/users|mode = "0660"|(?:names|pattern|token-file|group|address|user-from|user|tempfail-on-error|rules|hosts)\b)`).ReplaceAllString(named, "#$1")
	named = regexp.MustCompile(`(?m)^#(address = "/run/polya/(spamd|http).sock"$)`).ReplaceAllString(named, "$1")
	want, err := parse("polya.toml", "/etc/polya", named)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the template says %+v, its comments %+v", got, want)
	}
	if n := strings.Count(named, "\nmax-") + strings.Count(named, "\nretention"); n != 4 {
		t.Errorf("%d of four defaults are in the comments", n)
	}
	all := regexp.MustCompile(`(?m)^#(\[\[|[a-z-]+ = |  \{|\])`).ReplaceAllString(string(Template), "$1")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all = strings.NewReplacer("/var/lib/polya/token", "token", `group = "postfix"`, "").Replace(all)
	c, err := parse("polya.toml", dir, all)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rspamd) != 1 || len(c.Script) != 1 || len(c.HTTP) != 2 || len(c.Spool) != 1 || len(c.Milter) != 1 || len(c.Milter[0].Rules) != 1 || c.Token == "" {
		t.Errorf("of the whole template: %+v", c)
	}
}

// A relative path of a socket is relative to the folder of the file, in either way to write it.
func TestRelativeSocket(t *testing.T) {
	t.Parallel()
	dir := filepath.FromSlash("/etc/polya")
	for _, address := range []string{"run/s", "unix:run/s", "./run/s"} {
		c, err := parse("f", dir, "[database]\npath = \"x\"\n[[spamd]]\naddress = \""+address+"\"\n")
		if err != nil {
			t.Error(err)
			continue
		}
		if network, path := c.Spamd[0].Where(); network != "unix" || path != filepath.Join(dir, "run", "s") {
			t.Errorf("%s is %s %s", address, network, path)
		}
	}
}

// The decoder takes some values that mean nothing.
func TestNonsense(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"mode = \"1\"": "spamd.mode: \"1\" is no mode of a socket that its owner may open", "mode = \"0660\"": "", "mode = \"0600\"": "",
		"[auto]\npeople = -1": "people and slack of at least 1",
	} {
		_, err := parse("f", "/etc/polya", "[database]\npath = \"x\"\n[[spamd]]\naddress = \"./s\"\n"+text+"\n")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What Initial writes is right, and names a token that MakeToken makes once.
func TestInitial(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "polya.toml")
	if err := os.WriteFile(file, Initial(file), 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	link, err := first.MakeToken()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if link != "http://127.0.0.1:8025/sign-in#"+c.Token || len(c.Token) < 20 || filepath.Dir(c.Database.Path) != filepath.Dir(file) {
		t.Errorf("%s, %+v", link, c)
	}
	if again, err := c.MakeToken(); again != link || err != nil {
		t.Errorf("made another: %s, %v", again, err)
	}
	if system := string(Initial("/etc/polya/polya.toml")); !strings.Contains(system, "\npath = \"/var/lib/polya/mail.polya\"") || !strings.Contains(system, "\ntoken-file = \"/var/lib/polya/token\"") {
		t.Errorf("of a system: %s", system)
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	conf := "[database]\npath = \"x\"\n[learning]\ntoken-file = \"token\"\n[[http]]\naddress = \"127.0.0.1:1\"\n"
	for _, c := range []struct {
		token string
		mode  os.FileMode
		want  string
	}{
		{"0123456789abcdef\n", 0o600, ""},
		{"0123456789abcdef\n", 0o644, "everybody may read"},
		{"short\n", 0o600, "want one word"},
		{"two words, and long enough", 0o600, "want one word"},
	} {
		file := filepath.Join(dir, "token")
		os.Remove(file)
		if err := os.WriteFile(file, []byte(c.token), c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := parse("f", dir, conf)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, mode %v: %v", c.token, c.mode, err)
		}
		if err == nil && got.Token != strings.TrimSpace(c.token) {
			t.Errorf("token %q", got.Token)
		}
		if err != nil && strings.Contains(err.Error(), c.token) {
			t.Error("the error shows the token")
		}
	}
}

// No file makes the reader panic, and each error is one line that names the file.
func FuzzParse(f *testing.F) {
	f.Add(string(Template))
	f.Add("[database]\npath = \"\"\"a\n[b]\"\"\"\n[[milter]]\n[[milter.rules]]\nx = { y = [1, '''\n'''] }\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := parse("f", "/nowhere", text)
		if err == nil {
			return
		}
		for text := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(text, "f:") {
				t.Errorf("%q names no file", text)
			}
		}
	})
}

// A daemon may have no class of spam.
func TestNoSpam(t *testing.T) {
	t.Parallel()
	c, err := parse("f", "/etc/polya", "[database]\npath = \"x\"\nspam = []\n[[spamd]]\naddress = \"/run/s\"\n")
	if err != nil || c.Database.Spam == nil || len(c.Database.Spam) > 0 {
		t.Errorf("%+v: %v", c, err)
	}
}

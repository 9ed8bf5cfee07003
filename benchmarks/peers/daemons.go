//go:build linux

package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// connections is the number of requests at a time where a daemon is asked about all messages.
const connections = 8

// byRequests classifies by requests, connections at a time, and counts the daemon's cost.
func byRequests(ask func(*session, harness.Document) harness.Verdict) func(*session, []harness.Document) []harness.Verdict {
	return func(s *session, docs []harness.Document) []harness.Verdict {
		verdicts := make([]harness.Verdict, len(docs))
		s.byDaemon(func() { harness.Each(len(docs), connections, func(i int) { verdicts[i] = ask(s, docs[i]) }) })
		return verdicts
	}
}

// say makes a request whose reply must begin with ok.
func say(address string, request []byte, half bool, ok string) []byte {
	reply := harness.Must(harness.Ask(address, request, half))
	if !bytes.HasPrefix(reply, []byte(ok)) {
		harness.Failf("the answer is %.80q", reply)
	}
	return reply
}

// tellSpamd teaches by spamd's protocol.
func tellSpamd(address string, d harness.Document) {
	say(address, harness.Request("TELL SPAMC/1.5\r\nMessage-class: "+d.Class+"\r\nSet: local\r\n", d.Raw), true, spamdOK)
}

const spamdOK = "SPAMD/1.1 0 EX_OK"

var spamdVerdict = regexp.MustCompile(`\nSpam: (True|False) ; (\S+) /`)

// polyadPeer is polya's daemon, which is asked by spamd's protocol, and through polya filter
// for one message.
func polyadPeer(polya, polyad string) *peer {
	p := polyaPeer("polyad", polya, "full")
	p.note = "the daemon, asked and taught by spamd's protocol; one message through polya filter"
	p.programs = append(p.programs, polyad)
	ask := func(s *session, d harness.Document) harness.Verdict {
		return parseCheck(say(s.tell, harness.Request("CHECK SPAMC/1.5\r\n", d.Raw), true, spamdOK))
	}
	p.serve = func(s *session) *harness.Daemon {
		s.tell = filepath.Join(s.home, "spamd.sock")
		path := filepath.Join(s.dir, "mail.polya")
		return harness.Polya(s.ctx, polyad, s.home, s.tell, fmt.Sprintf("[database]\npath = %q\n[[spamd]]\naddress = %q\n", path, s.tell))
	}
	p.classify = byRequests(ask)
	p.ask, p.tell = func(s *session, d harness.Document) { ask(s, d) }, func(s *session, d harness.Document) { tellSpamd(s.tell, d) }
	p.classifyOne = func(s *session, d harness.Document) {
		s.run(nil, d.Path, polya, "filter", "--db", filepath.Join(s.dir, "mail.polya"))
	}
	return p
}

// parseCheck reads the reply to CHECK, whose score is in points.
func parseCheck(said []byte) harness.Verdict {
	m := spamdVerdict.FindSubmatch(said)
	if m == nil {
		unreadable(string(said))
	}
	return harness.Verdict{Spam: string(m[1]) == "True", Score: number(string(m[2]))}
}

// rspamdConf configures rspamd with no rule and no module but its Bayes classifier and
// one worker of each kind, as in its manual; HOME, ASK and TELL are replaced. min_learns
// is the default of Debian's statistic.conf, and the weights are from its scores.d.
const rspamdConf = `options {
  pidfile = "HOME/rspamd.pid"; history_file = "HOME/history"; hs_cache_dir = "HOME"; tempdir = "HOME";
  url_tld = "/usr/share/rspamd/effective_tld_names.dat"; rrd = ""; filters = "";
  dns { nameserver = ["127.0.0.1:1"]; timeout = 1s; retransmits = 1; }
}
logging { type = "file"; filename = "HOME/rspamd.log"; level = "error"; }
metric {
  name = "default"; actions { reject = 15; add_header = 6; greylist = 4; }
  symbol "BAYES_SPAM" { weight = 5; } symbol "BAYES_HAM" { weight = -3; }
}
worker "normal" { bind_socket = "ASK"; count = 1; }
worker "controller" { bind_socket = "TELL"; count = 1; password = "q1"; enable_password = "q1"; secure_ip = ["127.0.0.1"]; }
classifier "bayes" {
  tokenizer { name = "osb"; } backend = "redis"; servers = "HOME/redis.sock"; min_tokens = 11; min_learns = 200;
  statfile { symbol = "BAYES_HAM"; spam = false; } statfile { symbol = "BAYES_SPAM"; spam = true; }
}
`

// startRspamd starts redis, which stores in the session's folder, and rspamd on it. It learns
// at another address than it answers at.
func startRspamd(s *session) (d *harness.Daemon) {
	ask := harness.FreeAddress()
	s.tell = harness.FreeAddress()
	conf, socket := filepath.Join(s.home, "rspamd.conf"), filepath.Join(s.home, "redis.sock")
	harness.Write(conf, strings.NewReplacer("HOME", s.home, "ASK", ask, "TELL", s.tell).Replace(rspamdConf))
	redis := harness.Start(s.ctx, s.home, socket, exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--dir", s.dir, "--save", "", "--appendonly", "no"))
	cmd := exec.Command("rspamd", "-f", "-c", conf)
	if os.Geteuid() == 0 {
		cmd.Args = append(cmd.Args, "-i") // it needs permission to run as root
	}
	if err := harness.Try(func() { d = harness.Start(s.ctx, s.home, ask, cmd) }); err != nil {
		redis.Stop()
		harness.Check(err)
	}
	d.Behind = redis
	return d
}

func rspamd() *peer {
	const head = " HTTP/1.1\r\nHost: rspamd\r\nConnection: close\r\n"
	ask := func(s *session, d harness.Document) harness.Verdict {
		_, body, _ := bytes.Cut(say(s.running.Address, harness.Request("POST /checkv2"+head, d.Raw), false, "HTTP/1.1 200"), []byte("\r\n\r\n"))
		return parseRspamd(body)
	}
	// Without bulk it refuses to learn what it would classify correctly; 204 is too short to
	// learn, 208 known.
	tell := func(s *session, d harness.Document) {
		say(s.tell, harness.Request("POST /learn"+d.Class+head+"Password: q1\r\nLearn-Type: bulk\r\n", d.Raw), false, "HTTP/1.1 20")
	}
	return &peer{
		name: "rspamd", programs: []string{"rspamd", "redis-server", "redis-cli"},
		note: "with redis, whose time and memory count; no rule but Bayes, spam where that is its symbol; by HTTP only, learns in bulk mode; the database is redis's dump",
		train: func(s *session, docs []harness.Document) {
			s.running = startRspamd(s)
			s.byDaemon(func() {
				for _, d := range docs {
					tell(s, d)
				}
			})
			spent := s.take()
			s.run(nil, "", "redis-cli", "-s", filepath.Join(s.home, "redis.sock"), "save")
			s.spent = spent // saving is not part of learning: redis saves from time to time
		},
		serve: startRspamd, classify: byRequests(ask), ask: func(s *session, d harness.Document) { ask(s, d) }, tell: tell,
	}
}

// parseRspamd reads the symbols of /checkv2. The score of a symbol is its weight times
// rspamd's certainty; without any rspamd abstains.
func parseRspamd(said []byte) harness.Verdict {
	type symbol struct{ Score float64 }
	var result struct {
		Symbols *struct {
			Spam *symbol `json:"BAYES_SPAM"`
			Ham  *symbol `json:"BAYES_HAM"`
		}
	}
	if err := json.Unmarshal(said, &result); err != nil || result.Symbols == nil {
		unreadable(string(said))
	}
	switch found := result.Symbols; {
	case found.Spam != nil:
		return harness.Verdict{Spam: true, Score: found.Spam.Score / 5}
	case found.Ham != nil:
		return harness.Verdict{Score: found.Ham.Score / 3}
	}
	return harness.Verdict{Unsure: true}
}

// spamdRules are the rule files that Bayes needs, of Debian's copy of SpamAssassin's rules.
var spamdRules = []string{"/usr/share/spamassassin/23_bayes.cf", "/usr/share/spamassassin/20_aux_tlds.cf"}

// configureSpamAssassin writes its settings: two plugins, no network and no learning by itself.
func configureSpamAssassin(s *session) {
	for _, rules := range spamdRules {
		harness.Write(filepath.Join(s.home, "rules", filepath.Base(rules)), string(harness.Must(os.ReadFile(rules))))
	}
	harness.Write(filepath.Join(s.home, "prefs"), "")
	harness.Write(filepath.Join(s.home, "site/init.pre"), "loadplugin Mail::SpamAssassin::Plugin::Check\nloadplugin Mail::SpamAssassin::Plugin::Bayes\n")
	// BAYES_80 has 2, so that Bayes alone can call something spam
	harness.Write(filepath.Join(s.home, "site/local.cf"), "use_bayes 1\nbayes_auto_learn 0\ndns_available no\nrequired_score 1\nadd_header all Bayes _BAYES_\nbayes_path "+filepath.Join(s.dir, "bayes")+"\n")
}

// startSpamd starts spamd with one child, as nobody if we are root, because its children
// refuse to run as root.
func startSpamd(s *session) *harness.Daemon {
	address := harness.FreeAddress()
	host, port, err := net.SplitHostPort(address)
	harness.Check(err)
	cmd := exec.Command("spamd", s.fill("-L -C HOME/rules --siteconfigpath HOME/site -x --allow-tell -m 1 -s stderr -i "+host+" -p "+port)...)
	if os.Geteuid() == 0 {
		harness.GiveTo(s.home, "nobody")
		harness.Check(os.Chmod(s.home, 0o755))
		cmd.Args = append(cmd.Args, "-u", "nobody")
	}
	cmd.Env = environment(s.home)
	return harness.Start(s.ctx, s.home, address, cmd)
}

// spamassassin is SpamAssassin with no rule but Bayes: its probability is put into a header,
// and above .5 is spam.
func spamassassin() *peer {
	command := func(s *session, text string, more ...string) []string {
		return append(s.fill(text+" -p HOME/prefs -L -C HOME/rules --siteconfigpath HOME/site"), more...)
	}
	ask := func(s *session, d harness.Document) harness.Verdict {
		return parseSpamd(say(s.running.Address, harness.Request("HEADERS SPAMC/1.5\r\n", d.Raw), true, spamdOK))
	}
	return &peer{
		name: "spamassassin", programs: []string{"sa-learn", "spamassassin", "spamd"},
		note: "Bayes only, spam above .5; sa-learn learns, spamd with one child classifies; single messages by sa-learn and spamassassin, and by sockets to spamd",
		train: func(s *session, docs []harness.Document) {
			// It leaves an empty ~/.spamassassin, by the user's entry in passwd and not by $HOME.
			if u, err := user.Current(); err == nil {
				litter := filepath.Join(u.HomeDir, ".spamassassin")
				if _, err := os.Lstat(litter); errors.Is(err, os.ErrNotExist) {
					defer os.Remove(litter)
				}
			}
			configureSpamAssassin(s)
			for _, class := range classes {
				list := filepath.Join(s.home, class+".list")
				harness.Write(list, strings.Join(harness.Paths(harness.Of(docs, class)), "\n")+"\n")
				s.run(nil, "", command(s, "sa-learn --"+class, "-f", list)...)
			}
		},
		serve: startSpamd, classify: byRequests(ask),
		ask:         func(s *session, d harness.Document) { ask(s, d) },
		tell:        func(s *session, d harness.Document) { tellSpamd(s.running.Address, d) },
		classifyOne: func(s *session, d harness.Document) { s.run(nil, d.Path, command(s, "spamassassin")...) },
		learnOne:    func(s *session, d harness.Document) { s.run(nil, "", command(s, "sa-learn --"+d.Class, d.Path)...) },
	}
}

// parseSpamd reads the header X-Spam-Bayes, the first one: spamd puts its own in front
// and removes what the message came with.
func parseSpamd(said []byte) harness.Verdict {
	_, rest, _ := bytes.Cut(said, []byte("\nX-Spam-Bayes: "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	score := number(string(line))
	return harness.Verdict{Spam: score > .5, Score: score}
}

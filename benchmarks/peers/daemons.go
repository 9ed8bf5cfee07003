//go:build linux

package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

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

// StartRspamd starts redis, which stores in dir, and rspamd on it with no rule but Bayes. It
// learns at another address than it answers at.
func StartRspamd(ctx context.Context, home, dir string) (d *harness.Daemon, tell string) {
	ask, tell := harness.FreeAddress(), harness.FreeAddress()
	conf, socket := filepath.Join(home, "rspamd.conf"), filepath.Join(home, "redis.sock")
	harness.Write(conf, strings.NewReplacer("HOME", home, "ASK", ask, "TELL", tell).Replace(rspamdConf))
	redis := harness.Start(ctx, home, socket, exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--appendonly", "no"))
	cmd := exec.Command("rspamd", "-f", "-c", conf)
	if os.Geteuid() == 0 {
		cmd.Args = append(cmd.Args, "-i") // it needs permission to run as root
	}
	if err := harness.Try(func() { d = harness.Start(ctx, home, ask, cmd) }); err != nil {
		redis.Stop()
		harness.Check(err)
	}
	d.Behind = redis
	return d, tell
}

// RspamdAsk and RspamdTell are requests. Without bulk it refuses to learn what it would
// classify correctly.
func RspamdAsk(d harness.Document) []byte {
	return harness.Request("POST /checkv2 HTTP/1.1\r\nHost: rspamd\r\nConnection: close\r\n", d.Raw)
}

// RspamdTell is a request to learn.
func RspamdTell(d harness.Document) []byte {
	return harness.Request("POST /learn"+d.Class+" HTTP/1.1\r\nHost: rspamd\r\nConnection: close\r\nPassword: q1\r\nLearn-Type: bulk\r\n", d.Raw)
}

// say makes a request whose reply must begin with ok.
func say(address string, request []byte, half bool, ok string) []byte {
	reply := harness.Must(harness.Ask(address, request, half))
	if !bytes.HasPrefix(reply, []byte(ok)) {
		harness.Failf("the answer is %.80q", reply)
	}
	return reply
}

func rspamd() *peer {
	start := func(s *session) (d *harness.Daemon) {
		d, s.tell = StartRspamd(s.ctx, s.home, s.dir)
		return d
	}
	ask := func(s *session, d harness.Document) answer {
		_, body, _ := bytes.Cut(say(s.running.Address, RspamdAsk(d), false, "HTTP/1.1 200"), []byte("\r\n\r\n"))
		return parseRspamd(body)
	}
	tell := func(s *session, d harness.Document) { // 204 is too short to learn, 208 known
		say(s.tell, RspamdTell(d), false, "HTTP/1.1 20")
	}
	return &peer{
		name: "rspamd", packages: []string{"rspamd", "redis-server", "redis-tools"}, programs: []string{"rspamd", "redis-server", "redis-cli"},
		note: "with redis, whose time and memory count; no rule but Bayes, spam where that is its symbol; by HTTP only, learns in bulk mode; the database is redis's dump",
		train: func(s *session, docs []harness.Document) {
			s.running = start(s)
			s.byDaemon(func() {
				for _, d := range docs {
					tell(s, d)
				}
			})
			spent := s.take()
			s.run(nil, "", "redis-cli", "-s", filepath.Join(s.home, "redis.sock"), "save")
			s.spent = spent // saving is not part of learning: redis saves from time to time
		},
		serve: start,
		classify: func(s *session, docs []harness.Document) (answers []answer) {
			s.byDaemon(func() { answers = eachOne(ask)(s, docs) })
			return answers
		},
		ask:  func(s *session, d harness.Document) { ask(s, d) },
		tell: tell,
	}
}

// parseRspamd reads the symbols of /checkv2. The score of a symbol is its weight times
// rspamd's certainty; without any rspamd abstains.
func parseRspamd(said []byte) answer {
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
		return answer{true, found.Spam.Score / 5}
	case found.Ham != nil:
		return answer{false, found.Ham.Score / 3}
	}
	return answer{}
}

// spamdRules are the rule files that Bayes needs, of Debian's copy of SpamAssassin's rules.
var spamdRules = []string{"/usr/share/spamassassin/23_bayes.cf", "/usr/share/spamassassin/20_aux_tlds.cf"}

// spamassassinFlags are those of all its programs.
func spamassassinFlags(home string) []string {
	return []string{"-L", "-C", filepath.Join(home, "rules"), "--siteconfigpath", filepath.Join(home, "site")}
}

// TrainSpamAssassin writes the settings, two plugins, no network and no learning by itself,
// and has sa-learn learn documents into dir by run. SpamAssassin leaves an empty
// ~/.spamassassin, by the user's entry in passwd and not by $HOME, which is removed.
func TrainSpamAssassin(home, dir string, docs []harness.Document, run func(argv ...string)) {
	if u, err := user.Current(); err == nil {
		litter := filepath.Join(u.HomeDir, ".spamassassin")
		if _, err := os.Lstat(litter); errors.Is(err, os.ErrNotExist) {
			defer os.Remove(litter)
		}
	}
	for _, rules := range spamdRules {
		harness.Write(filepath.Join(home, "rules", filepath.Base(rules)), string(harness.Must(os.ReadFile(rules))))
	}
	harness.Write(filepath.Join(home, "prefs"), "")
	harness.Write(filepath.Join(home, "site/init.pre"), "loadplugin Mail::SpamAssassin::Plugin::Check\nloadplugin Mail::SpamAssassin::Plugin::Bayes\n")
	// BAYES_80 has 2, so that Bayes alone can call something spam
	harness.Write(filepath.Join(home, "site/local.cf"), "use_bayes 1\nbayes_auto_learn 0\ndns_available no\nrequired_score 1\nadd_header all Bayes _BAYES_\nbayes_path "+filepath.Join(dir, "bayes")+"\n")
	for _, class := range classes {
		list := filepath.Join(home, class+".list")
		harness.Write(list, strings.Join(harness.Paths(harness.Of(docs, class)), "\n")+"\n")
		run(append([]string{"sa-learn", "-p", filepath.Join(home, "prefs"), "--" + class, "-f", list}, spamassassinFlags(home)...)...)
	}
}

// StartSpamd starts spamd with so many children, as nobody if we are root, because its
// children refuse to run as root.
func StartSpamd(ctx context.Context, home, children string) *harness.Daemon {
	address := harness.FreeAddress()
	host, port, err := net.SplitHostPort(address)
	harness.Check(err)
	cmd := exec.Command("spamd", append(spamassassinFlags(home), "-x", "--allow-tell", "-i", host, "-p", port, "-m", children, "-s", "stderr")...)
	if os.Geteuid() == 0 {
		harness.GiveTo(home, "nobody")
		harness.Check(os.Chmod(home, 0o755))
		cmd.Args = append(cmd.Args, "-u", "nobody")
	}
	cmd.Env = environment(home)
	return harness.Start(ctx, home, address, cmd)
}

// spamassassin is SpamAssassin with no rule but Bayes: its probability is put into a header,
// and above .5 is spam.
func spamassassin() *peer {
	command := func(s *session, program string, more ...string) []string {
		return append(append([]string{program, "-p", filepath.Join(s.home, "prefs")}, spamassassinFlags(s.home)...), more...)
	}
	ask := func(s *session, d harness.Document) answer {
		return parseSpamd(say(s.running.Address, harness.Request("HEADERS SPAMC/1.5\r\n", d.Raw), true, "SPAMD/1.1 0 EX_OK"))
	}
	return &peer{
		name: "spamassassin", packages: []string{"spamassassin", "spamd"}, programs: []string{"sa-learn", "spamassassin", "spamd"},
		note: "Bayes only, spam above .5; sa-learn learns, spamd with one child classifies; single messages by sa-learn and spamassassin, and by sockets to spamd",
		train: func(s *session, docs []harness.Document) {
			TrainSpamAssassin(s.home, s.dir, docs, func(argv ...string) { s.run(nil, "", argv...) })
		},
		serve: func(s *session) *harness.Daemon { return StartSpamd(s.ctx, s.home, "1") },
		classify: func(s *session, docs []harness.Document) (answers []answer) {
			s.byDaemon(func() { answers = eachOne(ask)(s, docs) })
			return answers
		},
		ask: func(s *session, d harness.Document) { ask(s, d) },
		tell: func(s *session, d harness.Document) {
			say(s.running.Address, harness.Request("TELL SPAMC/1.5\r\nMessage-class: "+d.Class+"\r\nSet: local\r\n", d.Raw), true, "SPAMD/1.1 0 EX_OK")
		},
		classifyOne: func(s *session, d harness.Document) { s.run(nil, d.Path, command(s, "spamassassin")...) },
		learnOne:    func(s *session, d harness.Document) { s.run(nil, "", command(s, "sa-learn", "--"+d.Class, d.Path)...) },
	}
}

// parseSpamd reads the header X-Spam-Bayes, the first one: spamd puts its own in front
// and removes what the message came with.
func parseSpamd(said []byte) answer {
	_, rest, _ := bytes.Cut(said, []byte("\nX-Spam-Bayes: "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	score := number(string(line), string(line))
	return answer{score > .5, score}
}

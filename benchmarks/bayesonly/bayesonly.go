// Package bayesonly configures rspamd and SpamAssassin with no rule but their Bayes
// classifiers, so that they do what polya does.
package bayesonly

import (
	"os"
	"path/filepath"
	"strings"
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

// Rspamd is the configuration of rspamd in a folder, in which redis has its socket,
// redis.sock. It answers at one address and learns at another, with the password q1.
func Rspamd(home, ask, tell string) string {
	return strings.NewReplacer("HOME", home, "ASK", ask, "TELL", tell).Replace(rspamdConf)
}

// spamdRules are the rule files that Bayes needs, of Debian's copy of SpamAssassin's rules.
var spamdRules = []string{"/usr/share/spamassassin/23_bayes.cf", "/usr/share/spamassassin/20_aux_tlds.cf"}

// SpamAssassin returns the files of SpamAssassin's settings by their names in a folder:
// rules, site and prefs. It has two plugins, no network, does not learn by itself, and
// its database is at the path.
func SpamAssassin(database string) (map[string]string, error) {
	files := map[string]string{
		"prefs":         "",
		"site/init.pre": "loadplugin Mail::SpamAssassin::Plugin::Check\nloadplugin Mail::SpamAssassin::Plugin::Bayes\n",
		"site/local.cf": "use_bayes 1\nbayes_auto_learn 0\ndns_available no\nadd_header all Bayes _BAYES_\nbayes_path " + database + "\n",
	}
	for _, rules := range spamdRules {
		data, err := os.ReadFile(rules)
		if err != nil {
			return nil, err
		}
		files["rules/"+filepath.Base(rules)] = string(data)
	}
	return files, nil
}

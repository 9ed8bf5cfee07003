//go:build linux

package peers

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// filter is a peer that consists of one command, which exits. DIR is the folder of its
// database.
type filter struct {
	name, program, note string

	ham, spam, ask []string
	many           way
	lines          string // a flag with which it reads paths from its standard input
	piped          bool   // a single message is its standard input, and not its argument
	ok             []int  // exit codes other than 0 that are answers
	answers        func(out string, asked []string) []harness.Verdict
}

// way is how a filter is given many messages.
type way int

const (
	byPaths way = iota // as arguments
	byLines            // paths on its standard input
	byMbox             // an mbox to learn, and a process a message to ask about
	oneByOne
)

var split = strings.Fields

// crm114Method is the classifier that Debian's mailfilter.cf names, on runs of visible characters.
const crm114Method = "<osb unique microgroom>"

// filters are all of this kind.
var filters = []filter{
	{
		name: "bogofilter", program: "bogofilter", note: "-C: spam from .99 on, ham up to .45; Berkeley DB without transactions",
		ham: split("bogofilter -C -d DIR -n"), spam: split("bogofilter -C -d DIR -s"), ask: split("bogofilter -C -d DIR -TT"),
		many: byLines, lines: "-b", piped: true, ok: []int{1, 2},
		answers: matching(`(?m)^(?:(?P<path>.*) )?(\S+)$`, func(m []string) harness.Verdict {
			score := number(m[2])
			return harness.Verdict{Spam: score >= .99, Unsure: score > .45 && score < .99, Score: score}
		}),
	},
	{
		name: "spamprobe", program: "spamprobe", note: "-M, train everything, spam from .7 on; a message learned before is skipped",
		ham: split("spamprobe -c -M -d DIR good"), spam: split("spamprobe -c -M -d DIR spam"), ask: split("spamprobe -c -M -d DIR score"), piped: true,
		answers: matching(`(?m)^(SPAM|GOOD) (\S+) \S+$`, func(m []string) harness.Verdict {
			return harness.Verdict{Spam: m[1] == "SPAM", Score: number(m[2])}
		}),
	},
	{
		name: "bmf", program: "bmf", note: "spam from .9 on; trained by an mbox a class, classifies by a process a message",
		ham: split("bmf -d DIR -n"), spam: split("bmf -d DIR -s"), ask: split("bmf -d DIR -t"), many: byMbox, piped: true, ok: []int{1},
		answers: matching(`\A# Spamicity: (\S+)\n`, above(.9)),
	},
	{
		name: "spamoracle", program: "spamoracle", note: "spam from .8 on; scores of two decimals; rewrites its database at each learning",
		ham: split("spamoracle -f DIR/db add -good"), spam: split("spamoracle -f DIR/db add -spam"), ask: split("spamoracle -f DIR/db test"),
		// Lines of the message come before these and may contain anything.
		answers: matching(`(?m)^Score: (\S+) .*\nDetails: .*\nFile: (?P<path>.*)$`, above(.8)),
	},
	{
		name: "crm114", program: "crm", note: crm114Method + ", train everything, spam where pR < 0 for ham; a process a message for all it does",
		ham:  []string{"crm", "-{ learn " + crm114Method + " (DIR/ham.css) /[[:graph:]]+/ }"},
		spam: []string{"crm", "-{ learn " + crm114Method + " (DIR/spam.css) /[[:graph:]]+/ }"},
		ask:  []string{"crm", "-{ isolate (:s:); { classify " + crm114Method + " (DIR/ham.css | DIR/spam.css) (:s:) /[[:graph:]]+/ } output /:*:s:/ }"},
		many: oneByOne, piped: true,
		answers: matching(`\ACLASSIFY (fails|succeeds);.*pR: *(\S+)`, func(m []string) harness.Verdict {
			return harness.Verdict{Spam: m[1] == "fails", Score: -number(m[2])}
		}),
	},
}

var errAnswer = errors.New("an answer that cannot be read")

func unreadable(line string) { harness.Failf("%w: %.200q", errAnswer, line) }

// number reads a score.
func number(text string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		unreadable(text)
	}
	return x
}

// above is an answer by its score alone: spam from the limit on.
func above(limit float64) func(m []string) harness.Verdict {
	return func(m []string) harness.Verdict {
		score := number(m[1])
		return harness.Verdict{Spam: score >= limit, Score: score}
	}
}

// matching reads an answer for each message, in order. The path must be the message's.
func matching(pattern string, read func(m []string) harness.Verdict) func(string, []string) []harness.Verdict {
	p := regexp.MustCompile(pattern)
	path := p.SubexpIndex("path")
	return func(out string, asked []string) (verdicts []harness.Verdict) {
		found := p.FindAllStringSubmatch(out, -1)
		if len(found) != len(asked) {
			unreadable(out)
		}
		for i, m := range found {
			if path > 0 && m[path] != "" && m[path] != asked[i] { // one alone has none
				unreadable(m[0])
			}
			verdicts = append(verdicts, read(m))
		}
		return verdicts
	}
}

// run gives messages to learn, or to ask about without a class, and returns the answers.
func (f *filter) run(s *session, class string, docs []harness.Document) (verdicts []harness.Verdict) {
	argv := s.fill(map[string][]string{"ham": f.ham, "spam": f.spam, "": f.ask}[class])
	read := func(out string, asked []string) {
		if class == "" {
			verdicts = append(verdicts, f.answers(out, asked)...)
		}
	}
	paths := harness.Paths(docs)
	switch {
	case len(docs) == 1 && f.piped, f.many == oneByOne, f.many == byMbox && class == "":
		for _, path := range paths {
			read(s.run(f.ok, path, argv...), []string{path})
		}
	case f.many == byMbox:
		mbox := filepath.Join(s.home, class+".mbox")
		harness.Write(mbox, mboxOf(docs))
		s.run(f.ok, mbox, argv...)
	case f.many == byLines:
		list := filepath.Join(s.home, "list")
		harness.Write(list, strings.Join(paths, "\n")+"\n")
		read(s.run(f.ok, list, append(argv, f.lines)...), paths)
	default:
		for _, batch := range batches(paths) {
			read(s.run(f.ok, "", append(argv[:len(argv):len(argv)], batch...)...), batch)
		}
	}
	return verdicts
}

// batches cuts a list of arguments into lists that one command line can have.
func batches(list []string) (cut [][]string) {
	const most = 1 << 20 // bytes; Linux takes 2 MiB with the usual stack, environment included
	start, size := 0, 0
	for i, s := range list {
		if size += len(s) + 9; size > most { // a NUL and a pointer each
			cut, start, size = append(cut, list[start:i]), i, len(s)+9
		}
	}
	return append(cut, list[start:])
}

// peer is the filter as a peer.
func (f *filter) peer() *peer {
	return &peer{
		name: f.name, programs: []string{f.program}, note: f.note,
		train: func(s *session, docs []harness.Document) {
			for _, class := range classes {
				f.run(s, class, harness.Of(docs, class))
			}
		},
		classify:    func(s *session, docs []harness.Document) []harness.Verdict { return f.run(s, "", docs) },
		classifyOne: func(s *session, d harness.Document) { f.run(s, "", []harness.Document{d}) },
		learnOne:    func(s *session, d harness.Document) { f.run(s, d.Class, []harness.Document{d}) },
	}
}

// polyaPeer is polya with its default settings; filters keep only counts of a document,
// hence the ledger mode digest too.
func polyaPeer(name, program, ledger string) *peer {
	const db = " --db DIR/mail.polya "
	f := &filter{
		name: name, program: program, note: "ledger mode " + ledger,
		ham: split("POLYA train" + db + "--quiet ham"), spam: split("POLYA train" + db + "--quiet spam"), ask: split("POLYA classify" + db + "--json"), answers: parsePolya,
	}
	for _, argv := range [][]string{f.ham, f.spam, f.ask} {
		argv[0] = program
	}
	p := f.peer()
	p.train = func(s *session, _ []harness.Document) {
		s.run(nil, "", append([]string{program}, s.fill(split("train"+db+"--quiet --ledger "+ledger+" --folders ROOT/train"))...)...)
	}
	p.classifyOne = func(s *session, d harness.Document) {
		s.run(nil, "", append([]string{program}, append(s.fill(split("classify"+db)), d.Path)...)...)
	}
	return p
}

// parsePolya reads the lines of classify --json. The log-odds are of the answered class,
// and of the most probable one where polya is unsure.
func parsePolya(out string, asked []string) (verdicts []harness.Verdict) {
	for line := range strings.Lines(out) {
		var said struct {
			Path    string   `json:"path"`
			Class   string   `json:"class"`
			LogOdds *float64 `json:"log_odds"`
			Unsure  bool     `json:"unsure"`
		}
		if err := json.Unmarshal([]byte(line), &said); err != nil || said.LogOdds == nil || len(verdicts) >= len(asked) || said.Path != asked[len(verdicts)] {
			unreadable(line)
		}
		v := harness.Verdict{Spam: said.Class == "spam" && !said.Unsure, Unsure: said.Unsure, Score: *said.LogOdds}
		if said.Class == "ham" {
			v.Score = -v.Score
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// mboxOf returns documents as an mbox (mboxrd): each after its own From line, with > before
// lines that look like one.
func mboxOf(docs []harness.Document) string {
	var b strings.Builder
	for _, d := range docs {
		head, rest := "From peers@localhost Thu Jan  1 00:00:00 1970\n", string(d.Raw)
		if strings.HasPrefix(rest, "From ") {
			head, rest, _ = strings.Cut(rest, "\n")
			head += "\n"
		}
		b.WriteString(head)
		for line := range strings.Lines(rest) {
			if strings.HasPrefix(strings.TrimLeft(line, ">"), "From ") {
				b.WriteByte('>')
			}
			b.WriteString(line)
		}
		b.WriteString("\n\n"[:2-len(rest)+len(strings.TrimSuffix(rest, "\n"))])
	}
	return b.String()
}

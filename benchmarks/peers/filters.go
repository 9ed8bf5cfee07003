//go:build linux

package peers

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

var errAnswer = errors.New("an answer that cannot be read")

func unreadable(line string) { harness.Failf("%w: %.200q", errAnswer, line) }

// number reads a score of the line.
func number(text, line string) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		unreadable(line)
	}
	return x
}

// all lists all peers, in the order of the table.
func all(polya string) []*peer {
	return []*peer{
		polyaPeer("polya", polya, "full", false), polyaPeer("polya-digest", polya, "digest", false), polyaPeer("polya-filter", polya, "full", true),
		bogofilter(), spamprobe(), bmf(), sylfilter(), spamoracle(), crm114(), scikitLearn(), fastText(), rspamd(), spamassassin(),
	}
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

// options are what a command gets for a class, or to ask.
type options func(s *session, class string) []string

// simple is a peer of one command, that takes paths to learn and to ask about, and answers
// each in turn by lines that parse reads. A single message is its argument, or its
// standard input if piped.
func simple(name, note string, ok []int, command options, piped bool, parse func(out string, asked []string) []answer) *peer {
	one := func(s *session, class, path string) {
		if argv := command(s, class); piped {
			s.run(ok, path, argv...)
		} else {
			s.run(ok, "", append(argv, path)...)
		}
	}
	return &peer{
		name: name, packages: []string{name}, programs: []string{name}, note: note,
		train: func(s *session, docs []harness.Document) {
			for _, class := range classes {
				for _, batch := range batches(harness.Paths(harness.Of(docs, class))) {
					s.run(ok, "", append(command(s, class), batch...)...)
				}
			}
		},
		classify: func(s *session, docs []harness.Document) (answers []answer) {
			for _, batch := range batches(harness.Paths(docs)) {
				out, _ := s.run(ok, "", append(command(s, ""), batch...)...)
				answers = append(answers, parse(out, batch)...)
			}
			return answers
		},
		classifyOne: func(s *session, d harness.Document) { one(s, "", d.Path) },
		learnOne:    func(s *session, d harness.Document) { one(s, d.Class, d.Path) },
	}
}

// eachOne classifies with one process or request per document.
func eachOne(one func(*session, harness.Document) answer) func(*session, []harness.Document) []answer {
	return func(s *session, docs []harness.Document) (answers []answer) {
		for _, d := range docs {
			answers = append(answers, one(s, d))
		}
		return answers
	}
}

// polyaPeer is polya with its default settings; filters keep only counts of a document,
// hence the ledger mode digest too. With a daemon, each message goes through polya filter.
func polyaPeer(name, program, ledger string, daemon bool) *peer {
	with := func(s *session, args ...string) []string {
		return append([]string{program, args[0], "--db", filepath.Join(s.dir, "mail.polya")}, args[1:]...)
	}
	p := simple(name, "ledger mode "+ledger, nil, func(s *session, class string) []string {
		if class == "" {
			return with(s, "classify", "--json")
		}
		return with(s, "train", "--quiet", class)
	}, false, parsePolya)
	p.packages, p.programs = nil, []string{program}
	p.train = func(s *session, _ []harness.Document) {
		s.run(nil, "", with(s, "train", "--quiet", "--ledger", ledger, "--folders", filepath.Join(s.root, "train"))...)
	}
	p.classifyOne = func(s *session, d harness.Document) { s.run(nil, "", with(s, "classify", d.Path)...) }
	if daemon {
		p.note += ", polya filter for one message, by the daemon"
		p.serve = func(s *session) *harness.Daemon {
			path := filepath.Join(s.dir, "mail.polya")
			return harness.Polya(s.ctx, program, s.home, path+".sock", fmt.Sprintf("[database]\npath = %q\n[[spamd]]\naddress = %q\n", path, filepath.Join(s.home, "spamd.sock")))
		}
		p.classifyOne = func(s *session, d harness.Document) {
			s.run(nil, d.Path, program, "--db", filepath.Join(s.dir, "mail.polya"), "filter")
		}
	}
	return p
}

// parsePolya reads the lines of classify --json. The log-odds are of the answered class,
// so that they change sign for ham.
func parsePolya(out string, asked []string) (answers []answer) {
	for line := range strings.Lines(out) {
		var said struct {
			Path    string   `json:"path"`
			Class   string   `json:"class"`
			LogOdds *float64 `json:"log_odds"`
			Unsure  bool     `json:"unsure"`
		}
		if err := json.Unmarshal([]byte(line), &said); err != nil || said.LogOdds == nil || len(answers) >= len(asked) || said.Path != asked[len(answers)] {
			unreadable(line)
		}
		a := answer{spam: said.Class == "spam" && !said.Unsure, score: *said.LogOdds}
		if said.Class == "ham" {
			a.score = -a.score
		}
		answers = append(answers, a)
	}
	return answers
}

func bogofilter() *peer {
	learn := map[string]string{"ham": "-n", "spam": "-s", "": "-TT"}
	ok := []int{0, 1, 2} // spam, ham, unsure
	command := func(s *session, class string) []string {
		return []string{"bogofilter", "-C", "-d", s.dir, learn[class]}
	}
	p := simple("bogofilter", "-C: spam from .99 on; Berkeley DB without transactions", ok, command, true, nil)
	p.packages = []string{"bogofilter-bdb"}
	p.train = func(s *session, docs []harness.Document) {
		for _, class := range classes {
			s.lines(nil, harness.Paths(harness.Of(docs, class)), append(command(s, class), "-b")...)
		}
	}
	p.classify = func(s *session, docs []harness.Document) []answer {
		return parseBogofilter(s.lines(ok, harness.Paths(docs), append(command(s, ""), "-b")...), harness.Paths(docs))
	}
	return p
}

// parseBogofilter reads the lines of -TT -b: the path, a blank, the spamicity. Its shipped
// spam_cutoff is .99.
func parseBogofilter(out string, asked []string) (answers []answer) {
	for line := range strings.Lines(out) {
		i := strings.LastIndexByte(line, ' ')
		if i < 0 || len(answers) >= len(asked) || line[:i] != asked[len(answers)] {
			unreadable(line)
		}
		score := number(line[i:], line)
		answers = append(answers, answer{score >= .99, score})
	}
	return answers
}

func spamprobe() *peer {
	verbs := map[string]string{"ham": "good", "spam": "spam", "": "score"}
	return simple("spamprobe", "-M, train everything, spam from .7 on; a message learned before is skipped", nil,
		func(s *session, class string) []string {
			return []string{"spamprobe", "-c", "-M", "-d", s.dir, verbs[class]}
		}, true, parseSpamprobe)
}

// parseSpamprobe reads lines as SPAM 0.9999990 MD5, in the order asked.
func parseSpamprobe(out string, _ []string) (answers []answer) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "SPAM" && fields[0] != "GOOD" {
			unreadable(line)
		}
		answers = append(answers, answer{fields[0] == "SPAM", number(fields[1], line)})
	}
	return answers
}

func sylfilter() *peer {
	flags := map[string]string{"ham": "-c", "spam": "-j", "": "-t"}
	return simple("sylfilter", "junk above .9", []int{0, 1, 2}, // junk, clean, uncertain
		func(s *session, class string) []string { return []string{"sylfilter", "-p", s.dir, flags[class]} }, false, parseSylfilter)
}

// parseSylfilter reads lines as "PATH: This is a junk mail (prob: 0.995369)".
func parseSylfilter(out string, asked []string) (answers []answer) {
	for line := range strings.Lines(out) {
		said, score, _ := strings.Cut(line, "(prob: ")
		if len(answers) >= len(asked) || !strings.HasPrefix(said, asked[len(answers)]+": ") {
			unreadable(line)
		}
		said = said[len(asked[len(answers)])+2:]
		answers = append(answers, answer{strings.HasPrefix(said, "This is a junk mail"), number(strings.TrimSuffix(strings.TrimSpace(score), ")"), line)})
	}
	return answers
}

func spamoracle() *peer {
	verbs := map[string][]string{"ham": {"add", "-good"}, "spam": {"add", "-spam"}, "": {"test"}}
	return simple("spamoracle", "spam from .8 on; scores of two decimals; rewrites its database at each learning", nil,
		func(s *session, class string) []string {
			return append([]string{"spamoracle", "-f", filepath.Join(s.dir, "db")}, verbs[class]...)
		}, false, parseSpamoracle)
}

// parseSpamoracle reads the paragraphs of spamoracle test. Each ends with the lines
// Score, Details and File; lines of the message come before them and may contain
// anything: the last Score before the File is spamoracle's.
func parseSpamoracle(out string, asked []string) (answers []answer) {
	score := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if text, found := strings.CutPrefix(line, "Score: "); found {
			score, _, _ = strings.Cut(text, " ")
		}
		if len(answers) < len(asked) && line == "File: "+asked[len(answers)] {
			x := number(score, line)
			answers, score = append(answers, answer{x >= .8, x}), ""
		}
	}
	return answers
}

func bmf() *peer {
	flags := map[string]string{"ham": "-n", "spam": "-s"}
	ok := []int{0, 1} // spam and not, whether asked or told
	one := func(s *session, d harness.Document) answer {
		out, exit := s.run(ok, d.Path, "bmf", "-d", s.dir, "-t")
		return parseBMF(out, exit)
	}
	return &peer{
		name: "bmf", packages: []string{"bmf"}, programs: []string{"bmf"},
		note: "spam from .9 on; trained by an mbox a class, classifies by a process a message",
		train: func(s *session, docs []harness.Document) {
			for _, class := range classes {
				mbox := filepath.Join(s.home, class+".mbox")
				harness.Write(mbox, mboxOf(harness.Of(docs, class)))
				s.run(ok, mbox, "bmf", "-d", s.dir, flags[class])
			}
		},
		classify:    eachOne(one),
		classifyOne: func(s *session, d harness.Document) { one(s, d) },
		learnOne:    func(s *session, d harness.Document) { s.run(ok, d.Path, "bmf", "-d", s.dir, flags[d.Class]) },
	}
}

// parseBMF reads "# Spamicity: 0.990000", the first line of bmf -t; the verdict is the exit code.
func parseBMF(out string, exit int) answer {
	line, _, _ := strings.Cut(out, "\n")
	return answer{exit == 0, number(strings.TrimPrefix(line, "# Spamicity: "), line)}
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

// crm114Method is the classifier that Debian's mailfilter.cf names, on runs of visible characters.
const crm114Method = "<osb unique microgroom>"

func crm114() *peer {
	file := func(s *session, class string) string { return filepath.Join(s.dir, class+".css") }
	learn := func(s *session, d harness.Document) {
		s.run(nil, d.Path, "crm", "-{ learn "+crm114Method+" ("+file(s, d.Class)+") /[[:graph:]]+/ }")
	}
	one := func(s *session, d harness.Document) answer {
		out, _ := s.run(nil, d.Path, "crm", "-{ isolate (:s:); { classify "+crm114Method+" ("+file(s, "ham")+" | "+file(s, "spam")+") (:s:) /[[:graph:]]+/ } output /:*:s:/ }")
		return parseCRM114(out)
	}
	return &peer{
		name: "crm114", packages: []string{"crm114"}, programs: []string{"crm"},
		note: crm114Method + ", train everything, spam where pR < 0 for ham; a process a message for all it does",
		train: func(s *session, docs []harness.Document) {
			for _, d := range docs {
				learn(s, d)
			}
		},
		classify:    eachOne(one),
		classifyOne: func(s *session, d harness.Document) { one(s, d) },
		learnOne:    learn,
	}
}

// parseCRM114 reads the first line of classify's output, for ham against spam: "CLASSIFY
// fails; success probability: 0.0000 pR: -39.2218".
func parseCRM114(out string) answer {
	line, _, _ := strings.Cut(out, "\n")
	verdict, rest, _ := strings.Cut(line, ";")
	_, pr, _ := strings.Cut(rest, "pR:")
	if verdict != "CLASSIFY fails" && verdict != "CLASSIFY succeeds" {
		unreadable(line)
	}
	return answer{verdict == "CLASSIFY fails", -number(pr, line)}
}

// scikitLearn learns what it is given as lines, and answers with the log-odds of spam.
func scikitLearn() *peer {
	program := func(s *session, lines []string, verb string) string {
		path := filepath.Join(s.home, "scikitlearn.py")
		harness.Write(path, harness.ScikitLearn)
		return s.lines(nil, lines, harness.Python, path, verb, filepath.Join(s.dir, "model.pickle"))
	}
	return &peer{
		name: "scikit-learn", packages: []string{"python3-sklearn"}, programs: []string{harness.Python}, module: "sklearn",
		note: "CountVectorizer and MultinomialNB with their defaults on the raw bytes as Latin-1, pickled; Python starts in each process; learns nothing after the first training",
		train: func(s *session, docs []harness.Document) {
			var lines []string
			for _, d := range docs {
				lines = append(lines, d.Class+"\t"+d.Path)
			}
			program(s, lines, "train")
		},
		classify: func(s *session, docs []harness.Document) []answer {
			return parseLogOdds(program(s, harness.Paths(docs), "odds"))
		},
		classifyOne: func(s *session, d harness.Document) { program(s, []string{d.Path}, "odds") },
	}
}

// parseLogOdds reads a line a document: the log-odds of spam, spam above 0.
func parseLogOdds(out string) (answers []answer) {
	for line := range strings.Lines(out) {
		score := number(line, line)
		answers = append(answers, answer{score > 0, score})
	}
	return answers
}

func fastText() *peer {
	model := func(s *session) string { return filepath.Join(s.dir, "model") }
	// A line a document: blanks for control characters, and first the class if it is learned.
	// A document of only blanks gets a word, because an empty line would have no answer.
	lines := func(s *session, docs []harness.Document, label string) string {
		var b strings.Builder
		for _, d := range docs {
			if label != "" {
				b.WriteString(label + d.Class + " ")
			}
			b.WriteString("document ")
			for _, c := range d.Raw {
				b.WriteByte(max(c, ' '))
			}
			b.WriteByte('\n')
		}
		path := filepath.Join(s.home, "lines")
		harness.Write(path, b.String())
		return path
	}
	ask := func(s *session, docs []harness.Document) []answer {
		out, _ := s.run(nil, "", "fasttext", "predict-prob", model(s)+".bin", lines(s, docs, ""), "2")
		return parseFastText(out)
	}
	return &peer{
		name: "fastText", packages: []string{"fasttext"}, programs: []string{"fasttext"},
		note: "-lr 1.0 -epoch 10 -thread 1, on the raw bytes as one line, which we write before its clock starts; learns nothing after the first training",
		train: func(s *session, docs []harness.Document) {
			s.run(nil, "", "fasttext", "supervised", "-input", lines(s, docs, "__label__"), "-output", model(s), "-lr", "1.0", "-epoch", "10", "-thread", "1")
			harness.Check(os.Remove(model(s) + ".vec")) // the same vectors again as text, which it always writes
		},
		classify:    ask,
		classifyOne: func(s *session, d harness.Document) { ask(s, []harness.Document{d}) },
	}
}

// parseFastText reads lines as "__label__spam 0.98 __label__ham 0.02". The score is the
// difference of both: each alone is rounded where it is near 1.
func parseFastText(out string) (answers []answer) {
	for line := range strings.Lines(out) {
		fields, p := strings.Fields(line), map[string]float64{}
		for i := 0; i+1 < len(fields); i += 2 {
			p[strings.TrimPrefix(fields[i], "__label__")] = number(fields[i+1], line)
		}
		if !slices.Equal(slices.Sorted(maps.Keys(p)), classes) {
			unreadable(line)
		}
		answers = append(answers, answer{p["spam"] > p["ham"], p["spam"] - p["ham"]})
	}
	return answers
}

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

// list writes the paths of documents to a file, a line each.
func (s *session) list(docs []harness.Document) string {
	path := filepath.Join(s.home, "list")
	harness.Write(path, strings.Join(harness.Paths(docs), "\n")+"\n")
	return path
}

// bogofilter is asked with its default cut-offs.
func bogofilter() *peer {
	run := func(s *session, stdin string, flags ...string) string {
		return s.run([]int{1, 2}, stdin, append([]string{"bogofilter", "-C", "-d", s.dir}, flags...)...) // codes 1 and 2 are answers
	}
	flag := map[string]string{"ham": "-n", "spam": "-s"}
	return &peer{
		name: "bogofilter", programs: []string{"bogofilter"},
		note: "-C: spam from .99 on, ham up to .45; Berkeley DB without transactions",
		train: func(s *session, docs []harness.Document) {
			for _, class := range classes {
				run(s, s.list(harness.Of(docs, class)), flag[class], "-b")
			}
		},
		classify: func(s *session, docs []harness.Document) []harness.Verdict {
			return parseBogofilter(run(s, s.list(docs), "-TT", "-b"), harness.Paths(docs))
		},
		classifyOne: func(s *session, d harness.Document) { run(s, d.Path, "-TT") },
		learnOne:    func(s *session, d harness.Document) { run(s, d.Path, flag[d.Class]) },
	}
}

var bogofilterAnswer = regexp.MustCompile(`(?m)^(?:(.*) )?(\S+)$`)

// parseBogofilter reads an answer for each message, in order.
func parseBogofilter(out string, asked []string) (verdicts []harness.Verdict) {
	found := bogofilterAnswer.FindAllStringSubmatch(out, -1)
	if len(found) != len(asked) {
		unreadable(out)
	}
	for i, m := range found {
		if m[1] != "" && m[1] != asked[i] { // one alone has no path
			unreadable(m[0])
		}
		score := number(m[2])
		verdicts = append(verdicts, harness.Verdict{Spam: score >= .99, Unsure: score > .45 && score < .99, Score: score})
	}
	return verdicts
}

// polyaPeer is polya with its default settings; filters keep only counts of a document,
// hence the ledger mode digest too.
func polyaPeer(name, program, ledger string) *peer {
	run := func(s *session, command string, rest ...string) string {
		return s.run(nil, "", append([]string{program, command, "--db", filepath.Join(s.dir, "mail.polya")}, rest...)...)
	}
	return &peer{
		name: name, programs: []string{program}, note: "ledger mode " + ledger,
		train: func(s *session, _ []harness.Document) {
			run(s, "train", "--quiet", "--ledger", ledger, "--folders", filepath.Join(s.root, "train"))
		},
		classify: func(s *session, docs []harness.Document) []harness.Verdict {
			return parsePolya(run(s, "classify", "--json", filepath.Join(s.root, "test")), harness.Paths(docs))
		},
		classifyOne: func(s *session, d harness.Document) { run(s, "classify", d.Path) },
		learnOne:    func(s *session, d harness.Document) { run(s, "train", "--quiet", d.Class, d.Path) },
	}
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

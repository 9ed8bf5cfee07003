// Package polya_test holds the tests that are about the whole module.
package polya_test

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/polya-classifier/polya/"

// arrows lists which packages of ours each package imports. An arrow that is not listed
// is a decision: it goes here together with the code that needs it.
var arrows = map[string]string{
	"internal/newfile":    "",
	"internal/background": "",
	"internal/bytesort":   "",
	"internal/dates":      "",
	"internal/settings":   "internal/spelling",
	"internal/spelling":   "",
	"internal/power":      "",
	"internal/raced":      "",
	"internal/numeric":    "",
	"internal/logistic":   "internal/numeric",
	"store": "internal/newfile store/count store/internal/attributes " +
		"store/internal/dump store/internal/encoded " +
		"store/internal/fault store/internal/file store/internal/layout store/internal/lock " +
		"store/internal/pages store/internal/rows store/internal/salvage " +
		"store/internal/stored store/internal/summed store/internal/table store/internal/totals " +
		"store/internal/wire",
	"store/count":            "",
	"store/internal/file":    "internal/newfile store/internal/fault store/internal/lock store/internal/pages",
	"store/internal/lock":    "",
	"store/internal/pages":   "",
	"store/internal/table":   "store/internal/wire",
	"store/internal/wire":    "store/count",
	"store/internal/encoded": "internal/bytesort store/count store/internal/wire",
	"store/internal/rows":    "store/count store/internal/encoded store/internal/table",
	"store/internal/fault":   "store/internal/lock",
	"store/internal/layout": "store/count store/internal/encoded store/internal/fault store/internal/rows store/internal/stored " +
		"store/internal/table store/internal/wire",
	"store/internal/stored": "store/count store/internal/encoded store/internal/fault " +
		"store/internal/table store/internal/wire",
	"store/internal/attributes": "store/count store/internal/fault store/internal/encoded store/internal/layout " +
		"store/internal/stored store/internal/totals store/internal/wire",
	"store/internal/summed": "store/count store/internal/attributes store/internal/rows store/internal/table store/internal/wire",
	"store/internal/salvage": "store/count store/internal/attributes store/internal/fault " +
		"store/internal/layout store/internal/pages store/internal/stored store/internal/table store/internal/wire",
	"store/internal/dump": "store/count store/internal/attributes store/internal/fault store/internal/encoded " +
		"store/internal/stored store/internal/summed store/internal/table",
	"store/internal/totals": "store/count store/internal/layout store/internal/rows store/internal/stored",
	"testdata":              "",

	"tokenize":                   "internal/bytesort tokenize/internal/ascii tokenize/internal/htmltext tokenize/internal/style tokenize/internal/window",
	"tokenize/internal/ascii":    "",
	"tokenize/internal/htmltext": "tokenize/internal/ascii",
	"tokenize/internal/style":    "tokenize/internal/ascii tokenize/internal/htmltext",
	"tokenize/internal/window":   "",
	"tokenize/mail":              "internal/dates tokenize tokenize/internal/ascii tokenize/internal/htmltext tokenize/internal/window",

	"classify/setting": "classify/decision store",
	"classify": "classify/calibration classify/decision classify/internal/fit " +
		"classify/internal/layer classify/internal/recent classify/internal/sum classify/internal/tagged classify/model classify/overlap classify/setting " +
		"internal/background internal/numeric store store/count tokenize",
	"classify/blend":                   "classify classify/internal/fit internal/numeric",
	"classify/corpus":                  "classify/corpus/internal/inflate internal/dates",
	"classify/corpus/internal/inflate": "",
	"classify/eval":                    "internal/numeric",
	"classify/internal/fit":            "internal/numeric",
	"classify/internal/recent":         "internal/numeric store/count",
	"classify/internal/sum":            "classify/model store/count",
	"classify/mail":                    "classify store/count tokenize tokenize/mail",
	"classify/internal/tagged":         "classify/calibration classify/internal/fit classify/internal/layer classify/model store store/count tokenize",
	"classify/tags":                    "classify classify/calibration classify/decision classify/internal/tagged classify/model internal/numeric store store/count",
	"classify/internal/layer":          "internal/logistic internal/numeric store/count",
	"classify/model":                   "classify/internal/layer internal/numeric store/count",
	"classify/overlap":                 "store store/count",
	"classify/term":                    "store/count",
	"classify/calibration":             "classify/internal/fit internal/numeric store/count",
	"classify/decision":                "classify/calibration internal/numeric store/count",

	"cmd/polya": "classify classify/calibration classify/corpus classify/decision classify/model classify/setting internal/newfile cmd/internal/evaluation " +
		"classify/tags classify/term cmd/internal/bogofilter cmd/internal/command " +
		"cmd/internal/explanation cmd/internal/incoming cmd/internal/learning cmd/internal/outfile " +
		"cmd/internal/reading cmd/internal/statistics cmd/internal/terminal " +
		"internal/numeric internal/spelling serve/api/client serve/backend serve/header store store/count testdata tokenize",
	"cmd/polyad": "classify classify/corpus classify/mail cmd/internal/asdaemon cmd/internal/command cmd/internal/outfile cmd/internal/terminal " +
		"cmd/polyad/internal/filing cmd/polyad/internal/imapbox cmd/polyad/internal/maildir cmd/polyad/internal/notmuch cmd/polyad/internal/watching " +
		"internal/settings serve/api/client serve/backend serve/config serve/daemon serve/engine store store/count testdata",
	"cmd/internal/command": "classify classify/corpus cmd/internal/outfile cmd/internal/reading cmd/internal/terminal internal/newfile internal/spelling " +
		"serve/api/client store",
	"cmd/internal/asdaemon":       "cmd/internal/command",
	"cmd/internal/cmdtest":        "cmd/internal/command internal/raced serve/api/client",
	"cmd/polyad/internal/filing":  "",
	"cmd/polyad/internal/imapbox": "cmd/polyad/internal/watching internal/settings serve/config",
	"cmd/polyad/internal/maildir": "cmd/internal/outfile cmd/polyad/internal/watching internal/newfile",
	"cmd/polyad/internal/notmuch": "cmd/polyad/internal/filing cmd/polyad/internal/watching store/count",
	"cmd/polyad/internal/watching": "classify classify/calibration classify/corpus classify/decision classify/mail classify/tags cmd/polyad/internal/filing " +
		"internal/settings serve/backend store store/count tokenize/mail",
	"cmd/polya-lab": "classify classify/calibration classify/corpus classify/decision classify/model classify/term cmd/internal/command " +
		"cmd/internal/evaluation cmd/internal/reading " +
		"cmd/internal/statistics cmd/internal/terminal cmd/polya-lab/internal/baseline " +
		"cmd/polya-lab/internal/numbergame cmd/polya-lab/internal/rule cmd/polya-lab/internal/similar " +
		"cmd/polya-lab/internal/smoothing internal/numeric store store/count",
	"cmd/polya-lab/internal/baseline":   "classify cmd/internal/evaluation internal/logistic internal/numeric store/count",
	"cmd/polya-lab/internal/concept":    "internal/numeric",
	"cmd/polya-lab/internal/numbergame": "cmd/polya-lab/internal/concept",
	"cmd/polya-lab/internal/rule":       "cmd/internal/terminal cmd/polya-lab/internal/concept serve/header store store/count tokenize tokenize/mail",
	"cmd/polya-lab/internal/smoothing":  "classify/model store/count",
	"cmd/polya-lab/internal/similar":    "classify/term internal/numeric store store/count",
	"cmd/internal/bogofilter":           "cmd/internal/incoming serve/backend serve/header store",
	"cmd/internal/evaluation": "classify classify/decision classify/eval classify/tags cmd/internal/outfile classify/corpus classify/model cmd/internal/reading cmd/internal/statistics " +
		"cmd/internal/terminal store/count tokenize",
	"cmd/internal/explanation": "classify cmd/internal/reading cmd/internal/terminal store store/count",
	"cmd/internal/statistics": "classify classify/calibration classify/setting classify/tags internal/spelling " +
		"cmd/internal/terminal store store/count",
	"cmd/internal/learning": "classify classify/calibration cmd/internal/reading cmd/internal/statistics " +
		"cmd/internal/terminal store store/count tokenize",
	"cmd/internal/incoming": "classify classify/setting cmd/internal/command cmd/internal/reading cmd/internal/statistics serve/api/client serve/backend serve/engine/answer serve/header store store/count",
	"cmd/internal/outfile":  "cmd/internal/reading internal/newfile",
	"cmd/internal/reading": "classify classify/corpus classify/decision classify/tags " +
		"cmd/internal/terminal internal/dates internal/spelling serve/header store store/count tokenize tokenize/mail",
	"cmd/internal/terminal": "",

	"serve/access":  "",
	"serve/api":     "classify serve/access serve/api/client serve/backend serve/engine serve/internal/gate serve/internal/web serve/page store store/count",
	"serve/backend": "",
	"serve/config":  "classify classify/decision internal/newfile internal/numeric internal/settings serve/api/client serve/decisions serve/engine serve/milter store/count tokenize",
	"serve/daemon": "classify serve/access serve/api serve/api/client serve/backend serve/config serve/engine serve/internal/gate serve/metrics serve/milter serve/page " +
		"serve/rspamd serve/script serve/spamd store store/count",
	"serve/metrics": "serve/backend",
	"serve/engine": "classify classify/setting classify/decision internal/background serve/backend serve/decisions serve/drift " +
		"serve/engine/answer serve/engine/learn serve/engine/users store store/count",
	"serve/engine/answer":      "classify classify/calibration classify/decision classify/mail classify/tags internal/numeric serve/backend store store/count tokenize tokenize/mail",
	"serve/engine/learn":       "classify classify/blend internal/background serve/backend serve/drift store store/count",
	"serve/engine/users":       "serve/backend serve/engine/learn",
	"serve/page":               "classify classify/corpus classify/eval classify/tags internal/numeric serve/access serve/backend serve/engine serve/engine/answer serve/internal/web store store/count tokenize/mail",
	"serve/drift":              "",
	"serve/decisions":          "classify internal/newfile serve/backend serve/header store/count tokenize tokenize/mail",
	"serve/header":             "",
	"serve/api/client":         "serve/backend",
	"serve/internal/gate":      "serve/access serve/backend",
	"serve/internal/points":    "serve/backend",
	"serve/internal/web":       "serve/access serve/backend serve/internal/gate",
	"serve/internal/servetest": "serve/backend",
	"serve/milter":             "serve/backend serve/internal/gate",
	"serve/script":             "internal/newfile serve/access serve/backend serve/internal/gate",
	"serve/rspamd":             "serve/access serve/backend serve/internal/gate serve/internal/points serve/internal/web",
	"serve/spamd":              "serve/access serve/backend serve/header serve/internal/gate serve/internal/points",

	"benchmarks": "benchmarks/accuracy benchmarks/bombs benchmarks/contention benchmarks/crash benchmarks/decisions " +
		"benchmarks/evasion benchmarks/harness benchmarks/load benchmarks/newsgroups benchmarks/peers benchmarks/rot benchmarks/tags benchmarks/trainings",
	"benchmarks/accuracy":   "benchmarks/harness benchmarks/peers",
	"benchmarks/bombs":      "benchmarks/harness classify/corpus store tokenize tokenize/mail",
	"benchmarks/contention": "benchmarks/harness",
	"benchmarks/crash":      "benchmarks/harness internal/power store store/count",
	"benchmarks/decisions":  "benchmarks/harness benchmarks/peers classify classify/decision classify/mail classify/corpus",
	"benchmarks/evasion":    "benchmarks/harness benchmarks/peers classify classify/decision classify/mail tokenize tokenize/mail",
	"benchmarks/harness":    "classify classify/decision testdata",
	"benchmarks/layers":     "",
	"benchmarks/load":       "benchmarks/harness",
	"benchmarks/newsgroups": "benchmarks/harness classify classify/mail tokenize tokenize/mail",
	"benchmarks/peers":      "benchmarks/harness classify/eval",
	"benchmarks/rot":        "benchmarks/harness store store/count",
	"benchmarks/tags":       "benchmarks/harness classify classify/eval classify/tags store/count tokenize tokenize/mail",
	"benchmarks/trainings":  "benchmarks/harness classify classify/mail",
}

// never lists what a package must not reach, directly or through others: the store knows
// no text and no probability, text knows no counts, and none of them knows a program. A
// protocol knows neither another nor what answers, which knows no protocol.
var never = map[string]string{
	"store":                "tokenize classify serve cmd benchmarks",
	"tokenize":             "store classify serve cmd benchmarks",
	"tokenize/mail":        "store classify serve cmd benchmarks",
	"classify":             "tokenize/mail classify/corpus classify/eval serve cmd benchmarks",
	"classify/corpus":      "store tokenize serve cmd benchmarks",
	"classify/eval":        "store tokenize serve cmd benchmarks",
	"classify/calibration": "tokenize cmd benchmarks",
	"classify/overlap":     "tokenize cmd benchmarks",
	"classify/term":        "tokenize cmd benchmarks",
	"classify/tags":        "tokenize/mail classify/corpus serve cmd benchmarks",
	"cmd/polya":            "benchmarks serve/daemon serve/page net/http gonum.org " + tables,
	"cmd/polyad":           "benchmarks gonum.org",
	"serve/engine":         "serve/config serve/daemon serve/internal cmd benchmarks " + protocols,
	"serve/api":            "serve/config serve/daemon cmd benchmarks " + others("serve/api"),
	"serve/page":           "serve/config serve/daemon cmd benchmarks " + protocols,
	"serve/milter":         answering + others("serve/milter"),
	"serve/script":         answering + others("serve/script"),
	"serve/rspamd":         answering + others("serve/rspamd"),
	"serve/spamd":          answering + others("serve/spamd"),
	"serve/header":         answering + protocols,
	// What every command starts with: to make these ready takes longer than to ask.
	"serve/api/client": answering + "serve/access serve/internal net/http log regexp crypto text/template",
}

// tables are packages that every process fills maps for, which one message does not need.
const tables = "golang.org/x/text/cases golang.org/x/text/language golang.org/x/text/encoding/htmlindex"

// protocols speak to the outside, and do not know one another.
const protocols = "serve/api serve/milter serve/rspamd serve/script serve/spamd"

// others are the protocols but one.
func others(protocol string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(protocols), func(p string) bool { return p == protocol }), " ")
}

// answering is what answers behind a protocol.
const answering = "serve/engine serve/decisions serve/drift serve/config serve/daemon store tokenize classify cmd benchmarks "

// outside lists the modules that a package may need beside the standard library, directly
// or through others, where that is to stay short.
var outside = map[string]string{
	"store":                 "go.etcd.io/bbolt golang.org/x/sys",
	"store/internal/pages":  "",
	"store/count":           "",
	"store/internal/table":  "",
	"store/internal/lock":   "golang.org/x/sys",
	"classify/corpus":       "golang.org/x/sys golang.org/x/text",
	"classify/eval":         "",
	"classify/internal/fit": "",
	"classify/model":        "",
	"internal/numeric":      "",
	"tokenize":              "github.com/blevesearch/segment github.com/blevesearch/snowballstem github.com/kljensen/snowball golang.org/x/text golang.org/x/net",
	"classify": "go.etcd.io/bbolt golang.org/x/sys github.com/blevesearch/segment github.com/blevesearch/snowballstem " +
		"github.com/kljensen/snowball golang.org/x/text golang.org/x/net",
}

func TestImports(t *testing.T) {
	look(t)
	listed := map[string]bool{}
	lines := list(t, ".", "./...", "./testdata")
	if !testing.Short() { // its module has needs of its own, which would be fetched
		lines += list(t, "benchmarks", "./...")
	}
	for line := range strings.Lines(lines) {
		fields := strings.Split(strings.TrimSpace(line)+"\t\t", "\t")
		pkg, imports, deps := strings.TrimPrefix(fields[0], module), strings.Fields(fields[1]), strings.Fields(fields[2])
		if pkg+"/" == module {
			continue
		}
		listed[pkg] = true
		checkArrows(t, pkg, imports)
		checkNever(t, pkg, deps)
		checkOutside(t, pkg, deps)
	}
	for pkg := range arrows {
		if !listed[pkg] && !(testing.Short() && within(pkg, "benchmarks")) {
			t.Errorf("there is no package %s: take it from the list", pkg)
		}
	}
}

func checkArrows(t *testing.T, pkg string, imports []string) {
	allowed, known := arrows[pkg]
	if !known {
		t.Errorf("package %s has no arrows: list it", pkg)
	}
	for _, path := range imports {
		ours, inside := strings.CutPrefix(path, module)
		if inside && !slices.Contains(strings.Fields(allowed), ours) {
			t.Errorf("%s imports %s", pkg, ours)
		}
	}
	for _, ours := range strings.Fields(allowed) {
		if !slices.Contains(imports, module+ours) {
			t.Errorf("%s does not import %s any more: take it from the list", pkg, ours)
		}
	}
}

func checkNever(t *testing.T, pkg string, deps []string) {
	for _, other := range strings.Fields(never[pkg]) {
		for _, path := range deps {
			if within(strings.TrimPrefix(path, module), other) {
				t.Errorf("%s reaches %s, which it must not know", pkg, path)
			}
		}
	}
}

// within reports whether a package is pkg or lies below it.
func within(path, pkg string) bool { return path == pkg || strings.HasPrefix(path, pkg+"/") }

func checkOutside(t *testing.T, pkg string, deps []string) {
	modules, short := outside[pkg]
	if !short {
		return
	}
	for _, path := range deps {
		first, _, _ := strings.Cut(path, "/")
		if !strings.Contains(first, ".") || strings.HasPrefix(path, module) || strings.HasPrefix(path, "vendor/") {
			continue // the standard library, what it keeps of x/… under vendor, or ours
		}
		if !slices.ContainsFunc(strings.Fields(modules), func(m string) bool { return within(path, m) }) {
			t.Errorf("%s needs %s", pkg, path)
		}
	}
}

// look opens all folders, so that go test does not keep a result that is older than what
// they hold.
func look(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != "." && strings.HasPrefix(d.Name(), ".") && d.IsDir() {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// list returns a line for each package of the module in a folder: its path, what it imports,
// and all that it needs.
func list(t *testing.T, folder string, patterns ...string) string {
	t.Helper()
	args := append([]string{"list", "-f", `{{.ImportPath}}{{"\t"}}{{join .Imports " "}}{{"\t"}}{{join .Deps " "}}`}, patterns...)
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = folder, append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %v in %s: %v", args, folder, err)
	}
	return string(out)
}

package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/tokenize"
)

// The topic has every model that ParseModel knows, which an error of that lists,
// and nothing in it is refused: defaults are what a name without them means.
func TestModelsHelp(t *testing.T) {
	t.Parallel()
	_, err := classify.ParseModel("tree")
	_, names, ok := strings.Cut(err.Error(), "want one of ")
	if !ok {
		t.Fatalf("no list of models in %q", err)
	}
	about, parameters, _ := strings.Cut(helpText("models"), "\nParameters")
	for _, name := range strings.Split(names, ", ") {
		if !strings.Contains(about, "\n    "+name+" ") {
			t.Errorf("no line for %s", name)
		}
	}
	model, defaults := "", map[string][]string{}
	for _, line := range regexp.MustCompile(`(?m)^ {4}([a-z]*) +([a-z]+(?:=[0-9.]+)?)(,| {2})`).FindAllStringSubmatch(parameters, -1) {
		if line[1] != "" {
			model = line[1]
		}
		name := model + ":" + line[2]
		m, err := classify.ParseModel(name)
		if err != nil {
			t.Error(err)
		} else if strings.Contains(name, "=") && m.Name() != model {
			t.Errorf("%s is %s, not the default", name, m.Name())
		}
		defaults[model] = append(defaults[model], line[2])
	}
	if len(defaults) != 7 || len(defaults["ratio"]) != 3 || len(defaults["bernoulli"]) != 2 {
		t.Errorf("parameters found: %v", defaults)
	}
	for _, other := range []string{
		"multinomial:alpha=1", "bernoulli:yes=1,no=1", "ratio:documents", "ratio:documents,alpha=0.1,bound=2", "attributes:jm=0.1",
	} {
		if _, err := classify.ParseModel(other); err != nil {
			t.Error(err)
		}
	}
}

// The topic has every setting of a spec, the default where it says so, and no value that
// is refused.
func TestAnalyzerHelp(t *testing.T) {
	if !strings.Contains(helpText("analyzer"), "\n    "+tokenize.DefaultSpec+"\n") {
		t.Error("the default spec is not shown")
	}
	_, err := tokenize.New(tokenize.DefaultSpec + " x=y")
	_, names, ok := strings.Cut(strings.TrimSuffix(err.Error(), ")"), "(")
	if !ok {
		t.Fatalf("no list of settings in %q", err)
	}
	version, _, _ := strings.Cut(tokenize.DefaultSpec, " ")
	key, values := "", map[string][]string{}
	for _, line := range regexp.MustCompile(`(?m)^ {4}([a-z]+)? +([A-Za-z0-9]+) {2,}(.*(?:\n {16,}.*)*)`).FindAllStringSubmatch(helpText("analyzer"), -1) {
		if line[1] != "" {
			key = line[1]
		}
		value := strings.NewReplacer("CODE", "de", "NAMES", "sender,size").Replace(line[2])
		language := ""
		if key == "stem" && value == "on" {
			language = " lang=de"
		}
		a, err := tokenize.New(version + " " + key + "=" + value + language)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := a.Spec() == tokenize.DefaultSpec; got != strings.Contains(line[3], "(default") {
			t.Errorf("%s=%s is the default: %v", key, value, got)
		}
		values[key] = append(values[key], value)
	}
	for _, name := range strings.Split(names, ", ") {
		if len(values[name]) == 0 {
			t.Errorf("no line for %s", name)
		}
	}
}

// helpText returns the text of a topic.
// The first page has every command and every topic, and fits on a screen.
func TestFirstPage(t *testing.T) {
	t.Parallel()
	text := helpText("polya")
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) > 24 {
		t.Errorf("%d lines", len(lines))
	}
	for line := range strings.Lines(text) {
		if len(line) > 100 {
			t.Errorf("%d bytes: %s", len(line), line)
		}
	}
	p := &program{command.New("polya", helpTexts)}
	for _, c := range p.root(nil).Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if !regexp.MustCompile(`[: ]` + c.Name() + `[ ,.]`).MatchString(text) {
			t.Errorf("nothing about %s", c.Name())
		}
	}
}

func helpText(name string) string { return (&command.Program{Texts: helpTexts}).Text(name) }

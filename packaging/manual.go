package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// page is a page of the manual: 'PROGRAM help' with these words.
type page struct {
	program string
	words   []string
	short   string
	text    string
}

func (p page) name() string { return strings.Join(append([]string{p.program}, p.words...), "-") }

// section returns 1 for commands and 7 for topics, which cannot be run.
func (p page) section() int {
	if len(p.words) > 0 && !strings.HasPrefix(p.text, "usage: ") {
		return 7
	}
	return 1
}

type manual struct{ program, short string }

var manuals = []manual{
	{"polya", "sort mail and other documents into classes learned from examples"},
	{"polyad", "answer mail servers, programs and people, and file mail"},
}

// write writes a page for each command and topic of the program's help into man, by section,
// and the completions into completions, both as the program, a file that runs, prints them.
func (m manual) write(r release, file, folder string) error {
	p := printer(file)
	pages, err := p.pages(m.program, nil, m.short)
	if err != nil {
		return err
	}
	others := ""
	for _, page := range pages[1:] {
		others += fmt.Sprintf(", %s(%d)", page.name(), page.section())
	}
	for i, page := range pages {
		see := m.program + "(1)"
		if i == 0 {
			see = strings.TrimPrefix(others, ", ")
			for _, other := range manuals {
				if other != m {
					see += ", " + other.program + "(1)"
				}
			}
		}
		if err := page.write(r, see, folder); err != nil {
			return err
		}
	}
	for shell, file := range map[string]string{"bash": m.program, "zsh": "_" + m.program, "fish": m.program + ".fish", "powershell": m.program + ".ps1"} {
		script, err := p.print("completion", shell)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(folder, "completions", shell, file), []byte(script)); err != nil {
			return err
		}
	}
	return nil
}

// tool writes the page of a program that has only one, from what its help prints.
func tool(r release, file, folder, name string) error {
	out, err := printer(file).print("--help")
	if err != nil {
		return err
	}
	return page{name, nil, tools[name], out}.write(r, "polya(1)", folder)
}

// tools are the programs in packages of their own.
var tools = map[string]string{
	"polya-fleet": "run polyad on several machines that learn together",
	"polya-count": "train polya with more documents than one machine should count",
}

func (p page) write(r release, see, folder string) error {
	return write(filepath.Join(folder, "man", fmt.Sprintf("man%d/%s.%d.gz", p.section(), p.name(), p.section())), zipped(p.roff(r, see)))
}

func zipped(text []byte) []byte {
	var packed bytes.Buffer // takes whatever is written
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, _ = w.Write(text)
	_ = w.Close()
	return packed.Bytes()
}

// printer is a program that prints its own help.
type printer string

// print returns what the program prints. The output does not depend on settings or the
// home folder of this machine.
func (p printer) print(args ...string) (string, error) {
	cmd := exec.Command(string(p), args...)
	cmd.Env = []string{"HOME=~"}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd.Args, err, &complaint)
	}
	return string(out), nil
}

// pages returns the pages of a command and of the commands and topics below it, whose
// names come from the program's completion.
func (p printer) pages(program string, words []string, short string) ([]page, error) {
	text, err := p.print(append([]string{"help"}, words...)...)
	if err != nil {
		return nil, err
	}
	all := []page{{program, words, short, text}}
	below, err := p.print(append(append([]string{"__complete", "help"}, words...), "")...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(below) {
		name, short, found := strings.Cut(strings.TrimSpace(line), "\t")
		if !found || name == "help" || strings.HasPrefix(name, "_") {
			continue
		}
		pages, err := p.pages(program, append(words[:len(words):len(words)], name), short)
		if err != nil {
			return nil, err
		}
		all = append(all, pages...)
	}
	return all, nil
}

// titles maps lines of a help that begin a section to the section's name.
var titles = map[string]string{"Flags:": "OPTIONS", "Flags of every command:": "OPTIONS", "Example:": "EXAMPLES"}

// roff returns the page for man, in which lines that help indents are as help prints them.
func (p page) roff(r release, see string) []byte {
	var b bytes.Buffer
	name := p.name()
	fmt.Fprintf(&b, ".TH %s %d %s \"polya %s\"\n.nh\n.ad l\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), p.section(), r.time.Format("2006-01-02"), r.version, escape(name), escape(p.short))
	usage, text, found := strings.Cut(p.text, "\n\n")
	usage, isUsage := strings.CutPrefix(usage, "usage: ")
	if !found || !isUsage {
		text = p.text
	} else {
		fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", escape(usage))
	}
	fmt.Fprintln(&b, ".SH DESCRIPTION")
	verbatim := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, " "); line != "" && indented != verbatim {
			verbatim = indented
			fmt.Fprintln(&b, map[bool]string{true: ".nf", false: ".fi"}[verbatim])
		}
		switch title := titles[line]; {
		case title != "":
			fmt.Fprintf(&b, ".SH %s\n", title)
		case line == "" && !verbatim:
			b.WriteString(".PP\n")
		default:
			fmt.Fprintln(&b, escape(line))
		}
	}
	b.WriteString(".fi\n")
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", escape(see))
	return b.Bytes()
}

var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// escape returns text in a form that roff prints literally.
func escape(text string) string {
	text = escapes.Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return strings.ReplaceAll(text, "\n.", "\n\\&.")
}

package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A manager installs, upgrades and removes packages in the root of a system that is not
// that of this machine.
type manager struct {
	needs            []string
	file             string                    // the pattern of the package's name
	install, upgrade func(pkg string) []string // commands
	verify, remove   []string
	prepare          []string // folders that the manager wants
	scripts          bool     // those of the package run
}

func debian(root string) manager {
	dpkg := []string{"dpkg", "--root=" + root, "--log=/dev/null", "--force-unsafe-io", "--force-script-chrootless", "--force-confold"}
	install := func(pkg string) []string { return append(dpkg[:len(dpkg):len(dpkg)], "--install", pkg) }
	return manager{[]string{"dpkg", "systemd-sysusers"}, "polya_*.deb", install, install, append(dpkg[:len(dpkg):len(dpkg)], "--verify", "polya"),
		append(dpkg[:len(dpkg):len(dpkg)], "--remove", "polya"), []string{"etc", "var/lib/dpkg/info", "var/lib/dpkg/updates"}, true}
}

func redHat(root string) manager {
	rpm := []string{"rpm", "--root=" + root}
	with := func(how string) func(string) []string {
		return func(pkg string) []string { return append(rpm[:2:2], how, "--nodeps", "--noscripts", pkg) }
	}
	return manager{[]string{"rpm"}, "polya-[0-9]*.rpm", with("--install"), with("--upgrade"), append(rpm[:2:2], "--verify", "polya"),
		append(rpm[:2:2], "--erase", "--noscripts", "polya"), nil, false}
}

func arch(root string) manager {
	pacman := []string{"pacman", "--root=" + root, "--dbpath=" + root + "/var/lib/pacman", "--cachedir=" + root + "/var/cache", "--logfile=/dev/null",
		"--gpgdir=" + root, "--hookdir=" + root, "--config=/dev/null", "--noconfirm"}
	install := func(pkg string) []string {
		return append(pacman[:len(pacman):len(pacman)], "--upgrade", "--noscriptlet", pkg)
	}
	return manager{[]string{"pacman"}, "polya-[0-9]*.pkg.tar.zst", install, install, append(pacman[:len(pacman):len(pacman)], "--query", "--check", "--check", "polya"),
		append(pacman[:len(pacman):len(pacman)], "--remove", "--noscriptlet", "polya"), []string{"var/lib/pacman", "var/cache"}, false}
}

// Each manager installs, verifies, upgrades and removes the package. It works meanwhile;
// what was learned and configured stays.
func TestInstall(t *testing.T) {
	for name, manager := range map[string]func(string) manager{"deb": debian, "rpm": redHat, "arch": arch} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			m := manager(root)
			needs(t, m.needs...)
			if os.Geteuid() != 0 {
				t.Skip("only root installs packages")
			}
			d := builds(t)
			for _, dir := range m.prepare {
				if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			must(t, m.install(one(t, d.here, m.file)))
			must(t, m.verify)
			same(t, apkFiles(t, one(t, d.here, "polya_*.apk")), installed(t, root))
			if m.scripts && !regexp.MustCompile(`(?m)^polya:.*:/var/lib/polya:`).Match(read(t, filepath.Join(root, "etc/passwd"))) {
				t.Error("the user of the daemon is not there")
			}
			polya := filepath.Join(root, "usr/bin/polya")
			answers, dump := use(t, root)

			settings := filepath.Join(root, "etc/polya/polya.toml")
			mine := bytes.Replace(read(t, settings), []byte("#level = \"info\""), []byte("level = \"warn\""), 1)
			if err := os.WriteFile(settings, mine, 0o644); err != nil {
				t.Fatal(err)
			}
			must(t, m.upgrade(one(t, d.later, m.file)))
			if said := run(t, root, nil, polya, "version"); !strings.HasPrefix(said, "polya "+laterVersion+" ") {
				t.Errorf("after the upgrade it is %s", said)
			}
			if string(read(t, settings)) != string(mine) {
				t.Error("the upgrade changed the configuration")
			}
			if a, d := use(t, root); a != answers || d != dump {
				t.Errorf("before the upgrade\n%s\nand after it\n%s", answers, a)
			}

			must(t, m.remove)
			left := installed(t, root)
			delete(left, "etc/polya/polya.toml") // as dpkg leaves it, and what belongs to it
			delete(left, "etc/polya/polya_header_checks")
			delete(left, "etc/polya/polya.toml.rpmsave")
			delete(left, "etc/polya/polya.toml.pacsave")
			if len(left) > 0 {
				t.Errorf("the removal left %v", slices.Sorted(maps.Keys(left)))
			}
			if _, err := os.Stat(filepath.Join(root, "var/lib/polya/mail.polya")); err != nil {
				t.Errorf("the removal took what was learned: %v", err)
			}
		})
	}
}

// use does what is done with a package that is installed. It returns answers, and what was
// learned.
func use(t *testing.T, root string) (answers, dump string) {
	t.Helper()
	polya := filepath.Join(root, "usr/bin/polya")
	env := []string{"POLYA_DB=" + filepath.Join(root, "var/lib/polya/mail.polya")}
	if err := os.MkdirAll(filepath.Join(root, "var/lib/polya"), 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, "../testdata/mail", env, polya, "train", "--folders", "train")
	answers = run(t, "../testdata/mail", env, polya, "classify", "held/spam/003.eml", "held/travel/001.eml")
	if !regexp.MustCompile(`^spam\t(0\.99|1\.00).*\ntravel\t(0\.99|1\.00).*\n$`).MatchString(answers) {
		t.Errorf("it answers %s", answers)
	}
	run(t, root, nil, polya+"d", "version")
	return answers, run(t, root, env, polya, "dump")
}

// Every page of the manual is set without a warning, and says what help says. The unit starts
// a program that the package has, and shells load the completions.
func TestManual(t *testing.T) {
	needs(t, "man", "bash")
	files := apkFiles(t, one(t, builds(t).here, "polya_*.apk"))
	root := t.TempDir()
	for path, f := range files {
		copied := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, f.content, f.mode); err != nil {
			t.Fatal(err)
		}
	}
	pages, _ := filepath.Glob(filepath.Join(root, "usr/share/man/man?/*.gz"))
	if len(pages) < 40 {
		t.Errorf("only the pages %q", pages)
	}
	for _, page := range pages {
		if warnings := run(t, root, []string{"MANWIDTH=80", "LC_ALL=C.UTF-8"}, "sh", "-c", "man --warnings=w -l "+page+" 2>&1 >/dev/null"); warnings != "" {
			t.Errorf("%s: %s", page, warnings)
		}
	}
	page := run(t, root, []string{"MANWIDTH=100", "LC_ALL=C.UTF-8"}, "man", "--manpath="+filepath.Join(root, "usr/share/man"), "polya-train")
	help := run(t, root, nil, filepath.Join(root, "usr/bin/polya"), "help", "train")
	flags := regexp.MustCompile(`(?m)^ {2,6}(?:-\w, )?(--[a-z-]+)`).FindAllStringSubmatch(help, -1)
	if len(flags) < 15 {
		t.Errorf("only the flags %q", flags)
	}
	for _, flag := range flags {
		if !strings.Contains(page, flag[1]) {
			t.Errorf("the page lacks %s", flag[1])
		}
	}
	for _, words := range []string{"polya-train - learn documents as a class", "polya train spam ~/Maildir/.Junk", "POLYA-TRAIN(1)"} {
		if !strings.Contains(page, words) {
			t.Errorf("the page lacks %q:\n%s", words, page)
		}
	}
	page = run(t, root, []string{"MANWIDTH=140", "LC_ALL=C.UTF-8"}, "man", "--manpath="+filepath.Join(root, "usr/share/man"), "polya-models")
	if words := "probabilities on learned documents"; !strings.Contains(page, words) { // which help has in two lines, behind a table
		t.Errorf("text behind a table is not filled:\n%s", page)
	}
	for _, m := range regexp.MustCompile(`(?m)^Exec\w+=(\S+)`).FindAllSubmatch(files["usr/lib/systemd/system/polya.service"].content, -1) {
		if _, found := files[strings.TrimPrefix(string(m[1]), "/")]; !found && string(m[1]) != "/bin/kill" {
			t.Errorf("the unit starts %s, which is not in the package", m[1])
		}
	}
	for _, program := range []string{"polya", "polyad"} {
		if said := run(t, root, nil, "bash", "-c", ". usr/share/bash-completion/completions/"+program+"; complete -p "+program); !strings.Contains(said, program) {
			t.Errorf("bash completes %q", said)
		}
	}
}

// linked matches a relative link of a page.
var linked = regexp.MustCompile(`\]\(([^)#:\s]+)[)#]`)

// The pages are in the package, and each link leads to a file of it or to the repository.
func TestPages(t *testing.T) {
	files := apkFiles(t, one(t, builds(t).here, "polya_*.apk"))
	links := 0
	for name, f := range files {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		if bytes.Contains(f.content, []byte("main/https")) {
			t.Errorf("%s has a link to another site that was changed", name)
		}
		for _, m := range linked.FindAllSubmatch(f.content, -1) {
			links++
			if _, found := files[path.Join(path.Dir(name), string(m[1]))]; !found {
				t.Errorf("%s leads to %s, which is not in the package", name, m[1])
			}
		}
	}
	pages, _ := filepath.Glob("../docs/*.md")
	for _, page := range pages {
		if _, found := files["usr/share/doc/polya/docs/"+filepath.Base(page)]; !found {
			t.Errorf("%s is not in the package", page)
		}
	}
	if links < 50 || len(pages) < 10 {
		t.Errorf("only %d links on %d pages", links, len(pages))
	}
}

// Debian's own check of packages finds no error, and the packages of single programs have these
// with a page of the manual, and the unit of a daemon.
func TestLintian(t *testing.T) {
	needs(t, "lintian", "dpkg-deb")
	debs, _ := filepath.Glob(filepath.Join(builds(t).here, "*.deb"))
	if len(debs) != 3 {
		t.Fatalf("the packages are %q", debs)
	}
	run(t, "..", nil, "lintian", append([]string{"--allow-root", "--fail-on=error"}, debs...)...)
	for name, want := range map[string]string{"polya-fleet": "./usr/lib/systemd/system/polya-fleet.service", "polya-count": "./usr/share/man/man1/polya-count.1.gz"} {
		if has := run(t, "..", nil, "dpkg-deb", "--contents", one(t, builds(t).here, name+"_*.deb")); !strings.Contains(has, " ./usr/bin/"+name+"\n") || !strings.Contains(has, want) {
			t.Errorf("%s has\n%s", name, has)
		}
	}
}

// file is one that a package has.
type file struct {
	mode    fs.FileMode
	content []byte
}

// apkFiles are the files of a package of Alpine: archives of which each is compressed by
// itself, and whose files with a dot in front are not to be installed.
func apkFiles(t *testing.T, path string) map[string]file {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]file{}
	archive := tar.NewReader(unzipped)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg && !strings.HasPrefix(h.Name, ".") {
			files[h.Name] = file{h.FileInfo().Mode(), content}
		}
	}
}

// installed returns the files of a root below usr and etc/polya, except package managers'
// data.
func installed(t *testing.T, root string) map[string]file {
	t.Helper()
	files := map[string]file{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || !strings.HasPrefix(name, "usr/") && !strings.HasPrefix(name, "etc/polya/") || strings.HasPrefix(name, "usr/lib/sysimage/") {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files[name] = file{info.Mode(), read(t, path)}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// same compares what two packages have. Debian's zsh has its completions elsewhere, its licences
// are in one place, and it wants a list of changes of its own.
func same(t *testing.T, a, b map[string]file) {
	t.Helper()
	lines := func(files map[string]file) (all []string) {
		for name, f := range files {
			if deb := regexp.MustCompile(`/(lintian/overrides/polya|changelog\.gz|doc/polya/copyright)$`); deb.MatchString(name) {
				continue
			}
			name = strings.Replace(name, "vendor-completions", "site-functions", 1)
			all = append(all, fmt.Sprintf("%s %v %x", name, f.mode, sha256.Sum256(f.content)))
		}
		slices.Sort(all)
		return all
	}
	x, y := lines(a), lines(b)
	if len(x) < 60 || !slices.Equal(x, y) {
		t.Errorf("one package has\n%s\nand another\n%s", strings.Join(x, "\n"), strings.Join(y, "\n"))
	}
}

// one is the file in a folder whose name is of that pattern.
func one(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s in %s: %q, %v", pattern, dir, files, err)
	}
	return files[0]
}

func must(t *testing.T, command []string) {
	t.Helper()
	run(t, "..", nil, command[0], command[1:]...)
}

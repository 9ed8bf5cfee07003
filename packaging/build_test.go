package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// dists are three builds for this machine: of this folder, of a copy of it in which
// everything that must not matter differs, and of a later version.
type dists struct{ here, copied, later string }

const laterVersion = "99.0.0"

var (
	once    sync.Once
	made    dists
	scratch string // is gone after the tests
)

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "packaging"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// builds makes the three builds once.
func builds(t *testing.T) dists {
	t.Helper()
	needs(t, "git", "tar", "sha256sum")
	once.Do(func() {
		commit := strings.TrimSpace(run(t, "..", nil, "git", "describe", "--always", "--abbrev=12", "--match=NONE", "--dirty"))
		seconds := strings.TrimSpace(run(t, "..", nil, "git", "log", "-1", "--format=%ct"))
		folder := filepath.Join(scratch, "elsewhere")
		for name := range strings.SplitSeq(strings.TrimSuffix(run(t, "..", nil, "git", "ls-files", "-z"), "\x00"), "\x00") {
			copyFile(t, filepath.Join("..", name), filepath.Join(folder, name))
		}
		d := dists{filepath.Join(scratch, "here"), filepath.Join(scratch, "copied"), filepath.Join(scratch, "later")}
		target := runtime.GOOS + "/" + runtime.GOARCH
		run(t, "..", []string{"DIST=" + d.here}, "bash", "packaging/build.sh", target)
		env := []string{"COMMIT=" + commit, "SOURCE_DATE_EPOCH=" + seconds, "TZ=Asia/Tokyo", "LC_ALL=C", "GOMAXPROCS=1"}
		env = append(env, "TOOLS=") // which take minutes
		run(t, folder, append(env, "DIST="+d.copied), "bash", "packaging/build.sh", target)
		if err := os.WriteFile(filepath.Join(folder, "VERSION"), []byte(laterVersion+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, folder, append(env, "DIST="+d.later), "bash", "packaging/build.sh", target)
		made = d
	})
	if made.later == "" {
		t.Fatal("the builds failed")
	}
	return made
}

// packed matches what is packed of polya and polyad.
var packed = regexp.MustCompile(`/polya[-_]\d[^/]*$`)

// The same commit gives the same bytes, wherever and whenever it is built.
func TestReproducible(t *testing.T) {
	needs(t, "rpm")
	d := builds(t)
	files, err := filepath.Glob(filepath.Join(d.here, "*"))
	if err != nil || len(files) != 15 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		if !packed.MatchString(file) {
			continue // of another program, or the sums of all
		}
		if !bytes.Equal(read(t, file), read(t, filepath.Join(d.copied, filepath.Base(file)))) {
			t.Errorf("%s differs from that of the other folder", filepath.Base(file))
		}
	}
	if host := run(t, d.here, nil, "rpm", "--query", "--queryformat=%{BUILDHOST}", "--package", one(t, d.here, "polya-[0-9]*.rpm")); host != "localhost" {
		t.Errorf("the rpm names the machine %s", host)
	}
	run(t, d.here, nil, "sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS")
}

// The list of components has what Go says is in the program, and each has its licence; so
// has the file of licences.
func TestComponents(t *testing.T) {
	folder := unpacked(t)
	var bom struct {
		Metadata struct {
			Component struct {
				Components []struct {
					Name   string
					Hashes []struct{ Content string }
				}
			}
		}
		Components []struct {
			Name, Version string
			Licenses      []struct{ License struct{ ID string } }
		}
	}
	if err := json.Unmarshal(read(t, filepath.Join(folder, "polya.cdx.json")), &bom); err != nil {
		t.Fatal(err)
	}
	listed := bom.Metadata.Component.Components
	if len(listed) != 2 || listed[0].Name != "polya" || listed[1].Name != "polyad" {
		t.Fatalf("the list is of %v", listed)
	}
	for _, program := range listed {
		if sum, _, _ := strings.Cut(run(t, folder, nil, "sha256sum", program.Name), " "); len(program.Hashes) != 1 || program.Hashes[0].Content != sum {
			t.Errorf("the list is of %v, %s is %s", program.Hashes, program.Name, sum)
		}
	}
	licence := map[string]string{}
	for _, c := range bom.Components {
		licence[c.Name+" "+c.Version] = c.Licenses[0].License.ID
	}
	copyright := string(read(t, filepath.Join(folder, "copyright")))
	modules := map[string]bool{}
	for line := range strings.Lines(run(t, folder, nil, "go", "version", "-m", "polya", "polyad")) {
		if f := strings.Fields(line); f[0] == "dep" {
			modules[f[1]] = true
			if licence[f[1]+" "+f[2]] == "" || !strings.Contains(copyright, "\nFiles: "+f[1]+"@"+f[2]+"\n") {
				t.Errorf("no licence of %s %s", f[1], f[2])
			}
		}
	}
	if len(modules) < 10 || len(modules)+1 != len(licence) {
		t.Errorf("%d modules, %d components", len(modules), len(licence))
	}
	for c, want := range licence {
		for name, id := range map[string]string{"std ": "BSD-3-Clause", "go.etcd.io/bbolt ": "MIT", "github.com/spf13/cobra ": "Apache-2.0"} {
			if strings.HasPrefix(c, name) && want != id {
				t.Errorf("%s is said to be %s, and is %s", c, want, id)
			}
		}
	}
	for _, words := range []string{"Copyright: Copyright (c) 2013 Ben Johnson\n", "Copyright 2009 The Go Authors", "Neither the name of the Snowball project"} {
		if !strings.Contains(copyright, words) {
			t.Errorf("copyright lacks %q", words)
		}
	}
}

// What the version says of itself, in the program and in the list of changes, is the same.
func TestVersion(t *testing.T) {
	folder := unpacked(t)
	version := strings.TrimSpace(string(read(t, "../VERSION")))
	commit := strings.TrimSpace(run(t, "..", nil, "git", "describe", "--always", "--abbrev=12", "--match=NONE", "--dirty"))
	said := run(t, folder, nil, "./polya", "version")
	if !strings.HasPrefix(said, "polya "+version+" "+commit+", file format ") {
		t.Errorf("version says %q", said)
	}
	if other := run(t, folder, nil, "./polyad", "version"); strings.Replace(other, "polyad", "polya", 1) != said {
		t.Errorf("version says %q, and of polyad %q", said, other)
	}
	_, said, _ = strings.Cut(said, "file format ")
	format, _, _ := strings.Cut(said, ",")
	changes := string(read(t, "../CHANGELOG.md"))
	_, latest, found := strings.Cut(changes, "\n## ")
	if !found || !strings.HasPrefix(latest, version+" ") {
		t.Errorf("the first version of CHANGELOG.md is not %s", version)
	}
	if row := "\n| " + version + " | " + format + " | "; !strings.Contains(changes, row) {
		t.Errorf("CHANGELOG.md lacks the row %q of what the version reads and writes", row)
	}
}

// unpacked is the folder of the program for this machine, as it is downloaded.
func unpacked(t *testing.T) string {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(builds(t).here, "*.tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("%q, %v", archives, err)
	}
	dir := t.TempDir()
	run(t, dir, nil, "tar", "-xzf", archives[0])
	return filepath.Join(dir, strings.TrimSuffix(filepath.Base(archives[0]), ".tar.gz"))
}

// needs skips the test if a program is missing, and fails it in CI.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// run returns what a program prints. Standard error is none of it, unless it fails.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, &complaint)
	}
	return string(out)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// copyFile copies a file into a folder that nobody else reads.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, read(t, from), 0o600); err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/parquet-go/parquet-go"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/command"
)

// TestMain is polya-count itself, or a runner, for the tests that call them.
func TestMain(m *testing.M) {
	switch os.Getenv("POLYA_COUNT") {
	case "runner":
		serveJobs()
	case "":
		flag.Parse()
		beam.Init()
		os.Exit(m.Run())
	}
	beam.RegisterRunner("two", runOnTwo)
	if n, err := strconv.ParseInt(os.Getenv("POLYA_WORKER"), 10, 64); err == nil {
		metricIDs.last = n << 32
	}
	main()
}

// polya is built once, from the module beside this one.
func polya(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "polya")
	build := exec.Command("go", "build", "-o", path, "./cmd/polya")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// runCount runs polya-count and returns what it prints on both streams.
func runCount(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := called(t.Context(), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func called(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), "POLYA_COUNT=1")
	return cmd
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func message(n int, class string) string {
	return fmt.Sprintf("Message-ID: <%d@example.org>\nSubject: %s%d\n\n%s word%d and word%d\n", n, class, n%7, class, n%11, n%5)
}

// dumpOf is what polya train dumps, without the times of learning, and what it says.
func dumpOf(t *testing.T, program string, args ...string) (dump, said string) {
	t.Helper()
	database := filepath.Join(t.TempDir(), "polya.db")
	train := exec.Command(program, slices.Concat([]string{"--db", database, "train", "--no-calibrate"}, args)...)
	var complained bytes.Buffer
	train.Stderr = &complained
	_ = train.Run()
	text, err := exec.Command(program, "--db", database, "dump", "--ledger").Output()
	if err != nil {
		t.Fatal(err, complained.String())
	}
	return timeless(string(text)), complained.String()
}

var learnedAt = regexp.MustCompile(`(?m)^((?:document|digest)\t[^\t]*\t[^\t]*\t)\d+|^end\t.*`)

func timeless(dump string) string { return learnedAt.ReplaceAllString(dump, "$1") }

// merged is the dump of the databases with that prefix, merged by a program.
func merged(t *testing.T, program, prefix string) string {
	t.Helper()
	shards, err := expand(t.Context(), prefix+"-*-of-*.polya")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	target := filepath.Join(dir, "all")
	merge := exec.Command(program, "--db", target, "merge", "--no-calibrate")
	for i, name := range append(shards, prefix+".polya") {
		r, err := openFile(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		if i == len(shards) {
			write(t, target, string(data))
			break
		}
		copied := filepath.Join(dir, filepath.Base(name))
		write(t, copied, string(data))
		merge.Args = append(merge.Args, copied)
	}
	if text, err := merge.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	dump, err := exec.Command(program, "--db", target, "dump", "--ledger").Output()
	if err != nil {
		t.Fatal(err)
	}
	return timeless(string(dump))
}

// What a pipeline counts is, merged, what polya train counts, to the byte.
func TestEqualDumps(t *testing.T) {
	program, dir := polya(t), t.TempDir()
	for n := range 40 {
		write(t, filepath.Join(dir, "folders", []string{"ham", "spam"}[n%2], fmt.Sprint(n, ".eml")), message(n, "x"))
		box := ""
		for m := range 9 {
			box += "From a@example.org Mon Jan  5 10:00:00 2026\n" + fmt.Sprintf("X-Copy: copy%d\n", n%3) + message(n*5+m, "y") + "\n"
		}
		write(t, filepath.Join(dir, "boxes", fmt.Sprint(n, ".mbox")), box) // four of nine come again in the next
	}
	for part := range 3 {
		write(t, filepath.Join(dir, "lines", fmt.Sprint(part, ".jsonl")), lines(part))
	}
	write(t, filepath.Join(dir, "lines", "broken.jsonl"), "no json\n")
	boxes, _ := filepath.Glob(filepath.Join(dir, "boxes", "*.mbox"))
	lines, _ := filepath.Glob(filepath.Join(dir, "lines", "*.jsonl"))
	if len(boxes) != 40 || len(lines) != 4 {
		t.Fatal(boxes, lines)
	}
	for name, test := range map[string]struct {
		train []string
		count []string
		code  int
	}{
		"folders": {[]string{"--folders", filepath.Join(dir, "folders")}, []string{"--folders", filepath.Join(dir, "folders")}, 0},
		"mboxes":  {slices.Concat([]string{"ham"}, boxes), []string{"--class", "ham", "--shards", "3", filepath.Join(dir, "boxes", "*.mbox")}, 0},
		"mboxes, digests": {slices.Concat([]string{"--ledger", "digest", "ham"}, boxes),
			[]string{"--ledger", "digest", "--class", "ham", "--shards", "1", filepath.Join(dir, "boxes", "*.mbox")}, 0},
		"mboxes, no ledger": {slices.Concat([]string{"--ledger", "none", "ham"}, boxes),
			[]string{"--ledger", "none", "--class", "ham", filepath.Join(dir, "boxes", "*.mbox")}, 0},
		"JSON lines": {slices.Concat([]string{"--labelled"}, lines), []string{"--labelled", filepath.Join(dir, "lines", "*.jsonl")}, command.Trouble},
		"a path that is not there": {[]string{"--attr", "n=1", "ham", boxes[0], filepath.Join(dir, "absent")},
			[]string{"--attr", "n=1", "--class", "ham", boxes[0], filepath.Join(dir, "absent")}, command.Trouble},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out := filepath.Join(dir, "out", "all")
			want, said := dumpOf(t, program, test.train...)
			_, stderr, code := runCount(t, append([]string{"--out", out}, test.count...)...)
			if code != test.code || strings.ReplaceAll(stderr, "polya-count: ", "polya: ") != ofIDs.ReplaceAllString(said, "") {
				t.Fatalf("exit code %d, want %d; it prints\n%s\npolya train prints\n%s", code, test.code, stderr, said)
			}
			if got := merged(t, program, out); got != want {
				t.Errorf("train has\n%.2000s\nhere is\n%.2000s", want, got)
			}
			names, _ := filepath.Glob(out + "*.polya")
			if others, _ := filepath.Glob(filepath.Join(dir, "out", "*")); len(others) != len(names)+1 {
				t.Errorf("it leaves %v", others)
			}
			if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Error(info.Mode(), err)
			}
		})
	}
}

func lines(part int) (text string) {
	for n := range 50 {
		text += fmt.Sprintf(`{"id":"%d","class":"c%d","text":"word%d other%d part%d","attributes":{"n":%d}}`+"\n", part*25+n, (n+part)%3, n%7, n%5, part, n)
	}
	return text
}

// Files of Beam's file system in memory, plain, compressed and tables, are counted like files on
// the disk; bad lines and rows are named, and the others are counted.
func TestMemory(t *testing.T) {
	program, dir := polya(t), t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	bad := `{"class":"c1"` + "\n" + `{"class":"a\nb","text":"x"}` + "\n" + `{"text":"of no class"}` + "\n"
	memfs.Write("memfs://in/0.jsonl", []byte(lines(0)+bad))
	write(t, filepath.Join(dir, "0.jsonl"), lines(0)+bad)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte(lines(1)))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	memfs.Write("memfs://in/1.jsonl.gz", zipped.Bytes())
	write(t, filepath.Join(dir, "1.jsonl"), lines(1))
	memfs.Write("memfs://in/2.parquet", table(t, lines(2)+`{"id":"900","text":"a row of no class"}`+"\n"))
	write(t, filepath.Join(dir, "2.jsonl"), lines(2)+`{"id":"900","text":"a row of no class"}`+"\n")
	memfs.Write("memfs://in/3.parquet", []byte("PAR1 no table PAR1"))
	want, said := dumpOf(t, program, "--labelled", filepath.Join(dir, "0.jsonl"), filepath.Join(dir, "1.jsonl"), filepath.Join(dir, "2.jsonl"))

	c := newCommand()
	c.Labelled, c.Out = true, "memfs://out/all"
	if err := c.run(t.Context(), []string{"memfs://in/*"}); err != nil {
		t.Fatal(err)
	}
	if got := merged(t, program, c.Out); got != want {
		t.Errorf("train has\n%.2000s\nhere is\n%.2000s", want, got)
	}
	said = strings.NewReplacer(dir+"/2.jsonl", "memfs://in/2.parquet", dir, "memfs://in", "polya: ", "").Replace(said)
	for _, failed := range c.failed {
		if !strings.Contains(said, failed+"\n") && !strings.HasPrefix(failed, "memfs://in/3.parquet:") {
			t.Errorf("it complains %q, polya train:\n%s", failed, said)
		}
	}
	if len(c.failed) != 5 {
		t.Errorf("it complains of %d documents: %q", len(c.failed), c.failed)
	}
	if err := c.run(t.Context(), []string{"memfs://in/*"}); !errors.Is(err, os.ErrExist) {
		t.Errorf("the database is there: %v", err)
	}
}

// Rows that are no document are named as lines, and tables that cannot be read are refused.
func TestRows(t *testing.T) {
	type row struct {
		Class, Text string
		N           float64
		Last        *string `parquet:",optional"`
	}
	type listed struct {
		Text string
		List []string
	}
	last := "a\nb"
	for name, test := range map[string]struct {
		file     func(io.Writer) error
		training training
		want     string
		err      string
	}{
		"rows": {
			func(w io.Writer) error {
				return parquet.Write(w, []row{{"c", "one", math.Inf(1), nil}, {"d", "two", 2, &last}})
			},
			training{Options: corpus.Options{ClassColumn: "Class", TextColumns: []string{"Text"}}},
			"+Inf\n" + `{"Class":"d","Text":"two","attributes":{"Last":"a\nb","N":2}}` + "\n", "",
		},
		"no column": {func(w io.Writer) error { return parquet.Write(w, []row{{}}) }, training{Options: corpus.Options{ClassColumn: "Klass"}}, "", `no column "Klass"`},
		"a list":    {func(w io.Writer) error { return parquet.Write(w, []listed{{"a", []string{"b"}}}) }, training{}, "", `column "List" does not`},
		"no table":  {func(w io.Writer) error { _, err := io.WriteString(w, "PAR1"); return err }, training{}, "", "not a Parquet file"},
	} {
		var file bytes.Buffer
		if err := test.file(&file); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a.parquet")
		write(t, path, file.String())
		r, err := open(t.Context(), &test.training, path)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(got) != test.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, test.want)
		}
	}
}

// Damaged tables give errors, and no more.
func FuzzRows(f *testing.F) {
	var file bytes.Buffer
	if err := parquet.Write(&file, []struct{ Class, Text string }{{"a", "b"}}); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.parquet")
		write(t, path, string(data))
		r, err := open(t.Context(), new(training), path)
		if err == nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
			r.Close()
		}
	})
}

// A bucket of S3 is read and written.
func TestS3(t *testing.T) {
	program, dir := polya(t), t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	backend := s3mem.New()
	server := httptest.NewServer(gofakes3.New(backend).Server())
	defer server.Close()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_REGION": "us-east-1",
	} {
		t.Setenv(name, value)
	}
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	for part := range 3 {
		name, text := fmt.Sprint(part, ".jsonl"), []byte(lines(part))
		write(t, filepath.Join(dir, name), string(text))
		if part == 2 {
			name, text = "2.parquet", table(t, string(text))
		}
		if err := create(t.Context(), "s3://bucket/in/"+name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := dumpOf(t, program, "--labelled", filepath.Join(dir, "0.jsonl"), filepath.Join(dir, "1.jsonl"), filepath.Join(dir, "2.jsonl"))
	c := newCommand()
	c.Labelled, c.Out = true, "s3://bucket/out/all"
	if err := c.run(t.Context(), []string{"s3://bucket/in/*"}); err != nil {
		t.Fatal(err)
	}
	if got := merged(t, program, c.Out); got != want {
		t.Errorf("train has\n%.2000s\nhere is\n%.2000s", want, got)
	}
	if err := create(t.Context(), "s3://bucket/half", func(w io.Writer) error { _, _ = w.Write([]byte("a")); return io.ErrUnexpectedEOF }); err == nil {
		t.Error("no error")
	}
	if _, err := openFile(t.Context(), "s3://bucket/half"); err == nil {
		t.Error("half a file is there")
	}
}

// table is a Parquet file with these JSON lines as rows.
func table(t *testing.T, lines string) []byte {
	t.Helper()
	type row struct {
		ID    string   `parquet:"id"`
		Class *string  `parquet:"class,optional"`
		Text  string   `parquet:"text,zstd"`
		N     *float64 `parquet:"n,optional"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	for line := range strings.Lines(lines) {
		var d struct {
			ID, Text   string
			Class      *string
			Attributes struct{ N *float64 }
		}
		err := json.Unmarshal([]byte(line), &d)
		if err == nil {
			_, err = w.Write([]row{{d.ID, d.Class, d.Text, d.Attributes.N}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Where nothing can be counted there is no database to merge into.
func TestNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty, folder, there, a, b := filepath.Join(dir, "empty"), filepath.Join(dir, "folder"), filepath.Join(dir, "there"), filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	write(t, empty, "")
	write(t, there+".polya", "a database")
	write(t, there+".parquet", "no table")
	write(t, filepath.Join(folder, "readme"), "a text")
	write(t, a, `{"class":"x","attributes":{"zip":"a1"}}`)
	write(t, b, `{"class":"x","attributes":{"zip":1}}`)
	const out = "the databases"
	for want, args := range map[string][]string{
		"empty, and nothing to learn from": {"--out", out, "--class", "a", empty},
		"no documents were learned":        {"--out", out, "--labelled", empty},
		"no class folders":                 {"--out", out, "--folders", folder},
		"check the path":                   {"--out", out, "--class", "a", filepath.Join(dir, "absent*")},
		`attribute "zip" is category`:      {"--out", out, "--labelled", a, b},
		"file already exists":              {"--out", there, "--class", "a", folder},
		"names the databases":              {"--class", "a", folder},
		"want one of":                      {"--out", out, folder},
		"want a path":                      {"--out", out, "--class", "a"},
		"reads no classes":                 {"--out", out, "--labelled", "--class-column", "", folder},
		"standard input":                   {"--out", out, "--class", "a", "-"},
		"--shards 0":                       {"--out", out, "--shards", "0", "--class", "a", folder},
		"--async needs":                    {"--out", out, "--async", "--class", "a", folder},
		"for \"--ledger\"":                 {"--out", out, "--ledger", "some", "--class", "a", folder},
		"unknown flag: --none":             {"--none"},
		"not registered":                   {"--out", out, "--class", "a", "ftp://host/file"},
		"no such file":                     {"--out", out, "--class", "a", "memfs://absent"},
		"not a Parquet file":               {"--out", out, "--labelled", there + ".parquet"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			place := t.TempDir()
			for i := range args {
				args[i] = strings.Replace(args[i], out, filepath.Join(place, "all"), 1)
			}
			stdout, stderr, code := runCount(t, args...)
			if code != command.Trouble || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("exit code %d, %s%s", code, stdout, stderr)
			}
			if names, _ := filepath.Glob(filepath.Join(place, "all.polya")); len(names) > 0 {
				t.Errorf("it leaves %v", names)
			}
			if !strings.HasPrefix(want, "attribute") {
				return
			}
			if _, stderr, code := runCount(t, append([]string{"--kind", "zip=category"}, args...)...); code != 0 {
				t.Errorf("again, as it advises: exit code %d, %s", code, stderr)
			}
		})
	}
}

// A run that is killed or interrupted leaves nothing that could be merged into.
func TestKilled(t *testing.T) {
	for _, signal := range []os.Signal{os.Kill, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pipe, out := filepath.Join(dir, "pipe"), filepath.Join(dir, "out", "all")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := called(t.Context(), "--out", out, "--class", "a", "--format", "text", pipe)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// It is reading when it has opened the pipe, which waits for that.
			writer, err := os.OpenFile(pipe, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
			if err := errors.Join(cmd.Process.Signal(signal)); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err = <-ended:
			case <-time.After(time.Minute):
				t.Fatal("it goes on")
			}
			if err == nil {
				t.Error("it has not failed")
			}
			names, _ := filepath.Glob(out + "*")
			if len(names) > 0 || signal == syscall.SIGTERM && !strings.Contains(stderr.String(), "interrupted: the databases are not complete") {
				t.Errorf("it leaves %v and says %s", names, stderr.String())
			}
		})
	}
}

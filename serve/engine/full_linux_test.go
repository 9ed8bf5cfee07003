package engine

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
)

// TestFull holds that a file that cannot grow is an error of each training, that answers
// go on, and that learning does once there is room.
func TestFull(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullChild$", "-test.v")
	cmd.Env = append(os.Environ(), "POLYA_ENGINE_FULL=yes")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestFullChild")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestFullChild is a process of its own, since the limit is of the whole process.
func TestFullChild(t *testing.T) {
	if os.Getenv("POLYA_ENGINE_FULL") == "" {
		t.Skip("run by TestFull")
	}
	signal.Ignore(syscall.SIGXFSZ)
	e := newEngine(t, Options{})
	for i := range 20 {
		teach(t, e, "ham", request("ham", i), backend.Learned)
		teach(t, e, "spam", request("spam", i), backend.Learned)
	}
	info, err := os.Stat(e.options.Path)
	if err != nil {
		t.Fatal(err)
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limit := old
	limit.Cur = uint64(info.Size())
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	refused, learned := 0, 40
	for i := 100; refused < 5 && i < 10_000; i++ {
		if _, err := e.Learn(context.Background(), request("ham", i), "ham"); err != nil {
			refused++
		} else {
			learned++
		}
		if a := ask(t, e, request("spam", 99)); a.Class != "spam" {
			t.Fatalf("%+v", a)
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	teach(t, e, "ham", request("ham", 20_000), backend.Learned)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if docs := documents(t, e.options.Path); docs != learned+1 {
		t.Errorf("%d documents, want %d", docs, learned+1)
	}
}

package power

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv("POLYA_POWER_FOLDER"); folder != "" {
		if err := programs[os.Getenv("POLYA_POWER_PROGRAM")](folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// programs are those that are recorded.
var programs = map[string]func(folder string) error{
	"all": func(folder string) error {
		f, err := os.Create(filepath.Join(folder, "a"))
		if err != nil {
			return err
		}
		dir, err := os.Open(folder)
		if err != nil {
			return err
		}
		elsewhere, err := os.CreateTemp("", "")
		if err != nil {
			return err
		}
		defer os.Remove(elsewhere.Name())
		write := func(f *os.File, s string) error { _, err := f.WriteString(s); return err }
		writeAt := func(f *os.File, s string, at int64) error { _, err := f.WriteAt([]byte(s), at); return err }
		return errors.Join(
			write(f, "one"), write(f, "two"), writeAt(f, "three", 10), write(elsewhere, "no"),
			syscall.Fdatasync(int(f.Fd())), f.Truncate(7), f.Sync(),
			os.Link(f.Name(), filepath.Join(folder, "b")), os.Rename(f.Name(), filepath.Join(folder, "c")), dir.Sync(),
			write(os.Stdout, "done\n"), os.Remove(filepath.Join(folder, "b")), f.Close(), elsewhere.Close(),
		)
	},
	"threads": func(folder string) error {
		var all sync.WaitGroup
		for k := range 4 {
			all.Go(func() {
				f, err := os.Create(filepath.Join(folder, fmt.Sprint(k)))
				for i := range 50 {
					if err == nil {
						_, err = fmt.Fprintf(f, "%d %d\n", k, i)
					}
					if err == nil {
						err = f.Sync()
					}
					fmt.Println(k, i, err)
				}
			})
		}
		all.Wait()
		return nil
	},
	"endless": func(string) error {
		for i := 0; ; i++ {
			fmt.Println(i)
		}
	},
	"fails": func(string) error { return errors.New("of a test") },
	"mapped": func(folder string) error {
		f, err := os.Create(filepath.Join(folder, "a"))
		if err == nil {
			err = f.Truncate(4096)
		}
		if err == nil {
			var data []byte
			if data, err = syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err == nil {
				data[7] = 1
			}
		}
		return err
	},
}

// count returns the number of events of a kind.
func count(r *Recording, k Kind) (n int) {
	for i := range r.Events {
		if r.Events[i].Kind == k {
			n++
		}
	}
	return n
}

func record(t *testing.T, program string, maxAcks int) (*Recording, string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "POLYA_POWER_FOLDER="+folder, "POLYA_POWER_PROGRAM="+program)
	r, err := Record(cmd, folder, maxAcks)
	if errors.Is(err, ErrNotPermitted) && os.Getenv("CI") == "" {
		t.Skipf("nothing can be recorded here: %v", err)
	}
	return r, folder, err
}

func (e Event) String() string {
	return fmt.Sprint([]string{"", "write", "truncate", "sync", "create", "link", "rename", "remove", "sync folder", "ack"}[e.Kind],
		" ", e.File, " ", e.From, ">", e.Name, " ", e.Offset, " ", e.Size, " ", string(e.Data), " ", e.Began)
}

// Every call that changes a file of the folder is recorded, in order.
func TestRecord(t *testing.T) {
	raced.Skip(t)
	r, folder, err := record(t, "all", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{
		{Kind: Create, Name: "a"}, write(0, 0, "one"), write(0, 3, "two"), write(0, 10, "three"), {Kind: Sync, Began: 4},
		{Kind: Truncate, Size: 7}, {Kind: Sync, Began: 6}, {Kind: Link, From: "a", Name: "b"}, {Kind: Rename, From: "a", Name: "c"},
		{Kind: SyncFolder, Began: 9}, {Kind: Ack, Data: []byte("done\n")}, {Kind: Remove, Name: "b"},
	}
	if got, want := fmt.Sprint(r.Events), fmt.Sprint(want); got != want {
		t.Errorf("recorded\n%s\nwant\n%s", got, want)
	}
	mustBeFolder(t, r, folder)
}

// Threads are followed from their first call on.
func TestRecordThreads(t *testing.T) {
	raced.Skip(t)
	r, folder, err := record(t, "threads", 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(r, Write); n != 200 || count(r, Sync) != 200 || count(r, Ack) != 200 {
		t.Errorf("%d writes, %d syncs, %d acknowledgements", n, count(r, Sync), count(r, Ack))
	}
	mustBeFolder(t, r, folder)
}

// mustBeFolder replays the recording: the last prefix is what is in the folder.
func mustBeFolder(t *testing.T, r *Recording, folder string) {
	t.Helper()
	want := files{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		want[e.Name()] = string(data)
	}
	d := NewDisk(r)
	for d.Next() != nil {
	}
	mustLeave(t, "a whole recording", d, All, want)
}

func TestRecordEnds(t *testing.T) {
	raced.Skip(t)
	r, _, err := record(t, "endless", 20)
	if err != nil || count(r, Ack) != 20 {
		t.Errorf("an endless program: %+v, %v", r, err)
	}
	for program, want := range map[string]string{"fails": "of a test", "mapped": "not recorded"} {
		if _, _, err := record(t, program, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", program, err, want)
		}
	}
	defer func(was time.Duration) { timeout = was }(timeout)
	timeout = 1
	if _, _, err := record(t, "endless", 0); err == nil || !strings.Contains(err.Error(), "timed out") {
		t.Errorf("a timeout: %v", err)
	}
}

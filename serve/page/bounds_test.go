package page

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/web"
)

// An archive whose list of files, or a sparse file in it, takes no end ends the import.
func TestHostileArchives(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	entry := append([]byte("PK\x01\x02\x14\x00\x14\x00"), make([]byte, 39)...) // of a list, with a name of one letter
	entry[28], entry[46] = 1, 'a'
	entries := maxList/len(entry) + 1
	list := bytes.Repeat(entry, entries)
	size := len(list)
	for _, v := range []any{ // the end of a list in the form for large archives
		uint32(0x06064b50), uint64(44), uint32(45<<16 | 45), [2]uint32{}, [2]uint64{uint64(entries), uint64(entries)}, uint64(size), uint64(0),
		uint32(0x07064b50), uint32(0), uint64(size), uint32(1), []byte("PK\x05\x06\x00\x00\x00\x00"), bytes.Repeat([]byte{0xff}, 12), uint16(0),
	} {
		list, _ = binary.Append(list, binary.LittleEndian, v)
	}
	var sparse bytes.Buffer
	w := tar.NewWriter(&sparse)
	_ = w.WriteHeader(&tar.Header{Name: "Work/x.jpg", Typeflag: tar.TypeReg, Size: 512, Format: tar.FormatPAX, PAXRecords: map[string]string{
		"GNV.sparse.major": "1", "GNV.sparse.minor": "0", "GNV.sparse.name": "Work/x.jpg", "GNV.sparse.realsize": strconv.Itoa(1 << 30),
	}})
	_, _ = w.Write(append([]byte("0\n"), make([]byte, 510)...))
	_ = w.Close()
	archive := bytes.ReplaceAll(sparse.Bytes(), []byte("GNV."), []byte("GNU."))
	for name, test := range map[string]struct {
		archive []byte
		want    error
	}{"a.zip": {list, errList}, "a.tar": {archive, errInflated}} {
		m := &importing{admin: new(Admin), class: "work", room: 1000, made: map[string]bool{"work": true}, size: 1}
		if err := m.file(t.Context(), upload{name, io.NewSectionReader(bytes.NewReader(test.archive), 0, int64(len(test.archive)))}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// dripping is a connection over which so many bytes come every half a minute.
type dripping struct {
	http.ResponseWriter
	bytes    int
	deadline time.Time
}

func (d *dripping) SetReadDeadline(t time.Time) error { d.deadline = t; return nil }
func (d *dripping) SetWriteDeadline(time.Time) error  { return nil }
func (d *dripping) Close() error                      { return nil }

func (d *dripping) Read(to []byte) (int, error) {
	if time.Sleep(time.Minute / 2); time.Now().After(d.deadline) {
		return 0, os.ErrDeadlineExceeded
	}
	return min(d.bytes, len(to)), nil
}

// An upload goes on while it is not too slow, and one that drips does not keep others waiting.
func TestPatient(t *testing.T) {
	t.Parallel()
	for n, longest := range map[int]time.Duration{1: 2 * time.Minute, 500 << 10: time.Hour, 600 << 10: 0} {
		synctest.Test(t, func(t *testing.T) {
			d := &dripping{bytes: n}
			start := time.Now()
			body := &patient{ReadCloser: d, control: http.NewResponseController(d), start: start}
			for time.Since(start) < 2*time.Hour {
				if _, err := body.Read(make([]byte, 1<<20)); err != nil {
					if took := time.Since(start); longest == 0 || took > longest {
						t.Errorf("%d bytes every half a minute: %v after %v", n, err, took)
					}
					return
				}
			}
			if longest > 0 {
				t.Errorf("%d bytes every half a minute may go on for ever", n)
			}
		})
	}
}

// Few copies are made at a time, and who comes then is told so; a full disk is told, and where it is.
func TestBackups(t *testing.T) {
	c, err := classify.OpenMemory(nil, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	e, err := engine.New(engine.Options{Path: filepath.Join(dir, "mail.polya")})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p := &page{Server: web.New(gate.Options{}), Admin: New(e)}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/backup", nil)
	v := &visit{Context: t.Context(), reply: w}
	for _, full := range []string{"/dev/full", dir} { // a disk that is full from the start, where the system has one, or is a little later
		err := error(syscall.ENOSPC)
		if file, failed := os.OpenFile(full, os.O_WRONLY, 0); failed == nil {
			_, err = c.Store().Backup(t.Context(), file)
			file.Close()
		}
		w = httptest.NewRecorder()
		if p.fail(w, r, noRoom(err)); w.Code != http.StatusInsufficientStorage || !strings.Contains(w.Body.String(), dir) {
			t.Errorf("a full disk: %v, %d", err, w.Code)
		}
	}
	p.Admin.sending.Store(1) // one that goes slowly
	if err = p.backup(v); errors.Is(err, errBackup) {
		t.Errorf("a second one: %v", err)
	}
	p.Admin.sending.Store(mostBackups)
	w = httptest.NewRecorder()
	if err = p.backup(v); !errors.Is(err, errBackup) || p.Admin.sending.Load() != mostBackups {
		t.Errorf("one too many: %v", err)
	}
	if p.fail(w, r, err); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one too many: %d, %v", w.Code, w.Header())
	}
}

// A session ends, and nobody without the token can put off its end.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	p := &page{Server: web.New(gate.Options{Token: "secret"})}
	soon, past := strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10), strconv.FormatInt(time.Now().Add(-time.Second).Unix(), 10)
	for value, want := range map[string]bool{
		soon + "." + p.code(soon): true, past + "." + p.code(past): false, soon + "." + p.code(past): false, soon + ".": false, "": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(&http.Cookie{Name: cookie, Value: value})
		if got := p.signedIn(r); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}

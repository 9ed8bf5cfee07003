package inflate

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const text = "From: a@example.org\nSubject: hello\n\nbody\n"

// samples are the text as 'gzip -n9' and 'bzip2 -9' write it.
var samples = map[string]string{
	"gzip":  "H4sIAAAAAAACA3Mrys+1Ukh0SK1IzC3ISdXLL0rnCi5NykpNLrFSyEjNycnn4krKT6nkAgAVygYyKQAAAA==",
	"bzip2": "QlpoOTFBWSZTWcSle8AAAAVfgAAQQAEAEEEACAA+1tZgIAAxQaNGgyA0KAGhoBp6mhd0VX2hwUQDpVREyKdBTI2wlzMe+9QfF3JFOFCQxKV7wA==",
}

func sample(t testing.TB, kind string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(samples[kind])
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func inflated(raw []byte) (string, error) {
	r, err := NewReader(bufio.NewReader(bytes.NewReader(raw)))
	if r == nil || err != nil {
		return "", cmp.Or(err, errors.New("not compressed"))
	}
	out, err := io.ReadAll(r)
	return string(out), err
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for kind := range samples {
		raw := sample(t, kind)
		if got, err := inflated(raw); got != text || err != nil {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
		if got, err := inflated(append(bytes.Clone(raw), raw...)); got != text+text || err != nil {
			t.Errorf("two streams of %s: %q, %v", kind, got, err)
		}
		if _, err := inflated(raw[:len(raw)-9]); err == nil {
			t.Errorf("%s: cut short without an error", kind)
		}
		bad := bytes.Clone(raw)
		bad[len(bad)/2] ^= 0x55
		if _, err := inflated(bad); err == nil {
			t.Errorf("%s: damaged without an error", kind)
		}
	}
	for _, plain := range []string{"", "BZh9 is how it begins", "From: a\n", "\x1f", "BZh"} {
		if r, err := NewReader(bufio.NewReader(strings.NewReader(plain))); r != nil || err != nil {
			t.Errorf("%q is inflated: %v", plain, err)
		}
	}
}

// The tools themselves, where they are installed, at all levels.
func TestTools(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The minutes of the meeting, number after number. ", 5000)
	for _, tool := range []string{"gzip", "bzip2", "pigz", "pbzip2"} {
		for _, level := range []string{"-1", "-9"} {
			cmd := exec.Command(tool, "-c", level)
			cmd.Stdin = strings.NewReader(long)
			raw, err := cmd.Output()
			if err != nil {
				continue // not here
			}
			if got, err := inflated(raw); got != long || err != nil {
				t.Errorf("%s %s: %d bytes, %v", tool, level, len(got), err)
			}
		}
	}
}

// What becomes far too much is given up before it does.
func TestBomb(t *testing.T) {
	t.Parallel()
	var raw bytes.Buffer
	w, _ := gzip.NewWriterLevel(&raw, 9)
	zeros := make([]byte, 1<<20)
	for range 3 * free / len(zeros) {
		w.Write(zeros)
	}
	w.Close()
	r, err := NewReader(bufio.NewReader(&raw))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if !errors.Is(err, ErrTooMuch) || n > 2*free {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// FuzzInflate asks that no bytes crash a reader or get more out of it than is allowed.
func FuzzInflate(f *testing.F) {
	for kind := range samples {
		f.Add(sample(f, kind))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := NewReader(bufio.NewReader(bytes.NewReader(raw)))
		if r == nil || err != nil {
			return
		}
		b := r.(*bounded)
		b.free = 1 << 16
		n, _ := io.Copy(io.Discard, r)
		if most := b.free + b.ratio*int64(len(raw)) + 1<<20; n > most {
			t.Fatalf("%d bytes of %d became %d", len(raw), most, n)
		}
	})
}

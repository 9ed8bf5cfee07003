// Package inflate reads files compressed by gzip or bzip2. It bounds the output
// relative to the input, so that a small file cannot cause endless work.
package inflate

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Bounds of the output. Mail and text shrink to a third or a tenth, and a repetitive
// archive to a fiftieth; gzip reaches 1,000 on zeros alone, and bzip2 far more.
const (
	maxRatio = 200      // bytes out for each byte in …
	free     = 64 << 20 // … beyond these, which any file may expand to
)

// ErrTooMuch says that a file expands to more than maxRatio times its size.
var ErrTooMuch = errors.New("the compressed file becomes more than " + strconv.Itoa(maxRatio) + " times as large, which no text does")

// isBzip2 requires the magic number of the first block, or of the end, after the three
// letters: text may begin with these letters.
func isBzip2(head []byte) bool {
	if len(head) < 10 || !bytes.HasPrefix(head, []byte("BZh")) || head[3] < '1' || head[3] > '9' {
		return false
	}
	return string(head[4:10]) == "\x31\x41\x59\x26\x53\x59" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90"
}

// NewReader returns a reader of the inflated content of r, all of its streams one after the
// other, and nil if r is not compressed, judging by its beginning. It reads ahead of its output.
func NewReader(r *bufio.Reader) (io.Reader, error) {
	b := &bounded{in: &counter{r: r}, ratio: maxRatio, free: free}
	head, _ := r.Peek(10) // the error comes again on the next read
	var err error
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b\x08")):
		b.out, err = gzip.NewReader(b.in)
	case isBzip2(head):
		b.out = bzip2.NewReader(b.in)
	default:
		return nil, nil
	}
	return b, plain(err)
}

// bounded passes on the output of out, which reads from in, while their ratio is within bounds.
type bounded struct {
	in          *counter
	out         io.Reader
	given       int64
	ratio, free int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.given > b.free+b.ratio*b.in.n {
		return 0, ErrTooMuch
	}
	n, err := b.out.Read(p)
	b.given += int64(n)
	return n, plain(err)
}

// plain rewords errors about compressed files.
func plain(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the compressed file is cut short: %w", err)
	case errors.As(err, new(bzip2.StructuralError)), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("the compressed file is damaged: %w", err)
	}
	return err
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

package decisions

import (
	"encoding/binary"
	"errors"
	"io"
	"mime"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// file is one of the two files of a Ring.
type file struct {
	*os.File
	list []place // of its decisions, the oldest first
	size int64   // where its last sound record ends
}

// place is where the record of a decision is.
type place struct {
	backend.Decision
	in *file
	at int64
}

// openFile opens a file, and drops so many bytes behind its last sound record.
func openFile(path string, create bool) (f *file, dropped int64, err error) {
	opened, err := newfile.OpenOwn(path, create)
	if err != nil {
		return nil, 0, err
	}
	f = &file{File: opened}
	if err := f.scan(); err != nil {
		f.Close()
		return nil, 0, err
	}
	end, err := f.Seek(0, io.SeekEnd)
	dropped = end - f.size
	if err = errors.Join(err, f.Chmod(0o600), f.rewind()); err == nil && f.size == 0 {
		_, err = f.WriteString(magic)
		f.size = int64(len(magic))
	}
	if err != nil {
		f.Close()
		return nil, dropped, err
	}
	return f, dropped, nil
}

// scan finds the sound records that the file begins with. An error of the disk is not taken for their
// end, since what is behind it would be dropped.
func (f *file) scan() error {
	begin := make([]byte, len(magic))
	_, err := f.ReadAt(begin, 0)
	if err == nil && string(begin) == magic {
		f.size = int64(len(magic))
		err = f.scanRecords()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errDamaged) {
		return nil
	}
	return err
}

func (f *file) scanRecords() error {
	for {
		body, err := f.record(f.size)
		if err != nil {
			return err
		}
		if m, _, err := decodeMeta(body); err == nil {
			f.list = append(f.list, place{m.Decision, f, f.size})
		}
		f.size += int64(head + len(body))
	}
}

// rewind drops what is behind the last sound record.
func (f *file) rewind() error {
	_, err := f.Seek(f.size, io.SeekStart)
	return errors.Join(err, f.Truncate(f.size))
}

// record returns the body of the record at a place.
func (f *file) record(at int64) ([]byte, error) {
	var h [head]byte
	if _, err := f.ReadAt(h[:], at); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(h[:])
	if n > maxRecord {
		return nil, errDamaged
	}
	body := make([]byte, n)
	if _, err := f.ReadAt(body, at+head); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(h[4:]) != checksum(body) {
		return nil, errDamaged
	}
	return body, nil
}

// repeats reports whether d is the answer to a question that was asked twice in the time that programs
// wait for an answer, as Dovecot's script does, which cannot tell a no from a failure.
func (f *file) repeats(d backend.Decision) bool {
	return slices.ContainsFunc(f.list[max(0, len(f.list)-askedBetween):], func(p place) bool {
		age := d.Time.Sub(p.Time)
		p.Time = d.Time
		return age.Abs() < askedAgain && p.Decision == d
	})
}

const (
	askedAgain   = 5 * time.Second // Dovecot's script waits no longer
	askedBetween = 64              // decisions that are looked at: in a flood all of 5 seconds would cost more than to write one
)

func (f *file) add(d backend.Decision, record []byte) error {
	if _, err := f.Write(record); err != nil {
		return errors.Join(err, f.rewind())
	}
	f.list = append(f.list, place{d, f, f.size})
	f.size += int64(len(record))
	return nil
}

// maxField and maxHeader are the bytes kept of a header field, and read of a header.
const (
	maxField  = 200
	maxHeader = 64 << 10
)

var words = mime.WordDecoder{CharsetReader: mail.CharsetReader}

// Fields returns the From and the Subject of a message, as far as they can be read, each on one line.
func Fields(message []byte) (sender, subject string) {
	header.Each(message[:min(len(message), maxHeader)], func(name string, value []byte) bool {
		switch {
		case name == "from" && sender == "":
			sender = text(value)
		case name == "subject" && subject == "":
			subject = text(value)
		}
		return sender == "" || subject == ""
	})
	return sender, subject
}

// text returns a value decoded, on one printable line of at most maxField bytes.
func text(value []byte) string {
	value = value[:min(len(value), 10*maxField)]
	s := string(value)
	if decoded, err := words.DecodeHeader(s); err == nil {
		s = decoded
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxField {
		s = strings.ToValidUTF8(s[:maxField], "") + "…"
	}
	return s
}

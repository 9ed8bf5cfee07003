package page

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"context"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/corpus"
)

// is reports whether a file has one of some extensions.
func is(name string, extensions ...string) bool {
	return slices.ContainsFunc(extensions, func(ext string) bool { return strings.HasSuffix(strings.ToLower(name), ext) })
}

// single reports whether a file is one message, whose class nothing says.
func single(f upload) bool {
	begin := make([]byte, len("From "))
	_, _ = f.ReadAt(begin, 0)
	return is(f.Name, ".eml") || !is(f.Name, ".zip", ".tar", ".tar.gz", ".tgz") && string(begin) != "From " && corpus.Named(f.Name) != corpus.Mbox
}

// counted counts what is read of a file.
type counted struct {
	io.ReaderAt
	m    *importing
	left int64 // bytes that may be read
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	if c.left -= int64(len(b)); c.left < 0 {
		return 0, errList
	}
	n, err := c.ReaderAt.ReadAt(b, at)
	c.m.update(func(i *imported) { i.Read += float64(n) / c.m.size })
	return n, err
}

func (m *importing) file(ctx context.Context, f upload) error {
	all := &counted{f, m, math.MaxInt64}
	c := io.NewSectionReader(all, 0, f.Size())
	switch {
	case is(f.Name, ".zip"):
		all.left = maxList
		z, err := zip.NewReader(c, f.Size())
		if err != nil {
			return unread(err)
		}
		all.left = math.MaxInt64
		indexed := map[string]bool{}
		for _, entry := range z.File {
			if name, is := strings.CutSuffix(entry.Name, ".msf"); is {
				indexed[name] = true
			}
		}
		for _, entry := range z.File {
			if !entry.Mode().IsRegular() {
				continue
			}
			r, err := entry.Open()
			if err != nil {
				return unread(err)
			}
			if err := m.entry(ctx, entry.Name, indexed[entry.Name], r); err != nil {
				return err
			}
			r.Close()
		}
		return nil
	case is(f.Name, ".tar", ".tar.gz", ".tgz"):
		return m.tar(ctx, f.Name, c)
	}
	name := path.Base(f.Name)
	return m.learn(ctx, name, cmp.Or(m.class, corpus.MailboxName(name)), c)
}

func (m *importing) tar(ctx context.Context, name string, r io.Reader) error {
	if !is(name, ".tar") {
		z, err := gzip.NewReader(r)
		if err != nil {
			return unread(err)
		}
		r = io.LimitReader(z, maxInflated)
	}
	for t := tar.NewReader(r); ; {
		switch h, err := t.Next(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return unread(err)
		case h.Typeflag == tar.TypeReg:
			if err := m.entry(ctx, h.Name, false, t); err != nil {
				return err
			}
		}
	}
}

// entry learns the messages of a file of an archive, as the class of its folder. What is in no
// folder or hidden is left out, and what a Maildir does not have yet. A mailbox of Thunderbird has no
// suffix, and an index (.msf) beside it; one of Apple Mail is a folder with a suffix.
func (m *importing) entry(ctx context.Context, name string, indexed bool, r io.Reader) error {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	folder, file := path.Dir(name), path.Base(name)
	class := m.class
	mailbox, _, within := strings.Cut(folder+"/", ".mbox/")
	switch in := path.Base(folder); {
	case in == "tmp", strings.HasPrefix(file, "."), is(file, ".msf"):
		return nil
	case in == "cur" || in == "new":
		in = path.Base(path.Dir(folder))
		if class == "" && (in == "/" || strings.EqualFold(in, "maildir")) {
			class = corpus.Inbox
		}
		class = cmp.Or(class, corpus.FolderName(in))
		file += ".eml"
	case within:
		class = cmp.Or(class, path.Base(mailbox))
	case indexed || corpus.Named(file) == corpus.Mbox:
		class = cmp.Or(class, corpus.MailboxName(file))
	case in != "/":
		class = cmp.Or(class, corpus.FolderName(in))
	}
	if class == "" {
		m.leave(name[1:])
		return nil
	}
	return m.learn(ctx, file, class, r)
}

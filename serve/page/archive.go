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
	return is(f.Name, ".eml") || !is(f.Name, ".zip", ".tar", ".tar.gz", ".tgz", ".msf") && string(begin) != "From " && corpus.Named(f.Name) != corpus.Mbox
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
	indexed := map[string]bool{} // mailboxes of Thunderbird, whose index may come after them
	index := func(name string, _ io.Reader) error {
		if of, is := strings.CutSuffix(name, ".msf"); is && len(of) < 1<<12 && len(indexed) < 10*maxFolders {
			indexed[of] = true
		}
		return nil
	}
	switch {
	case is(f.Name, ".zip"):
		all.left = maxList
		z, err := zip.NewReader(c, f.Size())
		if err != nil {
			return unread(err)
		}
		all.left = math.MaxInt64
		for _, entry := range z.File {
			_ = index(entry.Name, nil)
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
		if err := eachInTar(f.Name, io.NewSectionReader(f, 0, f.Size()), index); err != nil {
			return err
		}
		return eachInTar(f.Name, c, func(name string, r io.Reader) error { return m.entry(ctx, name, indexed[name], r) })
	}
	return m.entry(ctx, strings.TrimSuffix(path.Base(f.Name), ".txt"), true, c)
}

// eachInTar calls fn for each regular file of an archive.
func eachInTar(name string, r io.Reader, fn func(name string, r io.Reader) error) error {
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
			if err := fn(h.Name, t); err != nil {
				return err
			}
		}
	}
}

// entry learns the messages of a file of an archive, or a mailbox, as the corpus.FileClass. What is in no folder or
// hidden is left out, and so are folders for sent and deleted mail and the like unless a person named the class.
func (m *importing) entry(ctx context.Context, name string, indexed bool, r io.Reader) error {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	folder, file := path.Base(path.Dir(name)), path.Base(name)
	if folder == "tmp" || strings.HasPrefix(file, ".") || is(file, ".msf") {
		return nil
	}
	class := cmp.Or(m.class, corpus.FileClass(name, indexed))
	if class == "" || m.class == "" && corpus.IsSpecial(class) {
		m.leave(name[1:])
		return nil
	}
	if folder == "cur" || folder == "new" {
		file += ".eml"
	}
	return m.learn(ctx, file, class, r)
}

package corpus

import (
	"context"
	"os"
)

// Size counts the files at path that Walk would read with the same options, and their
// bytes: a cheap estimate for a progress bar. It opens no file, so an mbox counts as one.
// For "-" it returns 0 and 0: the size of a stream is unknown.
func Size(path string, o Options) (files int, bytes int64, err error) {
	if path == "-" {
		return 0, 0, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, readError(err)
	}
	if !info.IsDir() {
		return 1, info.Size(), nil
	}
	var failed failures
	o.Remark = nil
	l := newLister(context.Background(), &o)
	l.fail = failed.add
	l.visit = func(path string, _ bool) error {
		if info, err := os.Stat(path); err == nil {
			files++
			bytes += info.Size()
		}
		return nil
	}
	err = l.folder(path)
	if err == nil {
		err = failed.join()
	}
	return files, bytes, err
}

package corpus

import (
	"context"
	"os"
)

// Size returns the bytes of the files at path that Walk would read with the same options: a
// cheap estimate for a progress bar, which opens no file. What cannot be read, and "-", count 0.
func Size(path string, o Options) (bytes int64) {
	info, err := os.Stat(path)
	switch {
	case path == "-" || err != nil:
		return 0
	case !info.IsDir():
		return info.Size()
	}
	o.Remark = nil
	w := newWalker(context.Background(), o, nil)
	w.visit = func(path string, _ bool) error {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
		return nil
	}
	_ = w.list(path)
	return bytes
}

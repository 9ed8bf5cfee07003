//go:build !unix || solaris || aix || android

package file

import (
	"os"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Hold opens the file and keeps others from writing it. It has bbolt lock it,
// for reading, since that looks at no page but the first two. unlock, which may be
// called twice, closes it.
func Hold(path string, timeout time.Duration) (file *os.File, unlock func(), err error) {
	b, err := bolt.Open(path, 0, &bolt.Options{Timeout: timeout, ReadOnly: true})
	if err != nil {
		return nil, nil, Bolt(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Close()
		return nil, nil, Bolt(err)
	}
	return f, sync.OnceFunc(func() { f.Close(); b.Close() }), nil
}

package snapshot

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An archive of a few hundred bytes cannot fill the disk: tar has files with holes (GNU format 1.0).
func TestSparse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "snapshot")
	if err := os.WriteFile(path, sparse(t), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Each(path, func(_, file string) error {
		info, err := os.Stat(file)
		t.Errorf("a file was written: %v %v", info.Size(), err)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "snapshot has a file of") {
		t.Error(err)
	}
}

// sparse is an archive of one file of 64 MiB without data.
func sparse(t *testing.T) (archive []byte) {
	t.Helper()
	block := func(kind byte, content string) {
		header := make([]byte, 512)
		copy(header, "database:")
		copy(header[100:], "0000600\x000000000\x000000000\x00")
		copy(header[124:], fmt.Sprintf("%011o\x0000000000000\x00        ", len(content)))
		header[156] = kind
		copy(header[257:], "ustar\x0000")
		sum := 0
		for _, b := range header {
			sum += int(b)
		}
		copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
		archive = append(append(archive, header...), content...)
		archive = append(archive, make([]byte, (512-len(content)%512)%512)...)
	}
	block('x', "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n29 GNU.sparse.name=database:\n32 GNU.sparse.realsize=67108864\n")
	block('0', "1\n67108864\n0\n"+strings.Repeat("\x00", 512-13))
	return append(archive, make([]byte, 1024)...)
}

package daemon

import (
	"net"
	"os"
	"slices"

	"github.com/coreos/go-systemd/v22/activation"
	systemd "github.com/coreos/go-systemd/v22/daemon"
)

// inherited takes the sockets that systemd has opened for this process, by name, out of the environment.
func inherited() map[string][]*os.File {
	files := map[string][]*os.File{}
	for _, f := range activation.Files(true) {
		files[f.Name()] = append(files[f.Name()], f)
	}
	return files
}

func allUnix(files []*os.File) bool {
	return !slices.ContainsFunc(files, func(f *os.File) bool {
		l, err := net.FileListener(f)
		if err != nil {
			return true
		}
		defer l.Close()
		return l.Addr().Network() != "unix"
	})
}

// notify tells systemd, if it is there, the state of the daemon, such as "READY=1"; see sd_notify(3).
func notify(state string) { _, _ = systemd.SdNotify(false, state) }

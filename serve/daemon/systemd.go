package daemon

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
)

// firstFD is the first descriptor that systemd hands over; see sd_listen_fds(3).
const firstFD = 3

// inherited takes the sockets that systemd has opened for this process, by name, out of the environment.
func inherited() map[string][]*os.File {
	pid, _ := strconv.Atoi(os.Getenv("LISTEN_PID"))
	n, _ := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	names := strings.Split(os.Getenv("LISTEN_FDNAMES"), ":")
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name)
	}
	if pid != os.Getpid() {
		return nil
	}
	files := map[string][]*os.File{}
	for i := range n {
		name := "unknown"
		if i < len(names) && names[i] != "" {
			name = names[i]
		}
		files[name] = append(files[name], os.NewFile(uintptr(firstFD+i), name))
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
		u, ok := l.(*net.UnixListener)
		if ok {
			u.SetUnlinkOnClose(false)
		}
		return !ok
	})
}

// notify tells systemd, if it is there, the state of the daemon, such as "READY=1"; see sd_notify(3).
func notify(state string) {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = c.Write([]byte(state))
}

package harness

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Patience is how long a daemon may take for one request, or to begin to listen.
const Patience = time.Minute

// Daemon is a server with a process group of its own.
type Daemon struct {
	Address string  // a TCP address, or the path of a socket
	Behind  *Daemon // the one that it stores in, if any

	process *exec.Cmd
	ended   chan struct{} // closed when it has ended
}

// Start starts a daemon, whose output goes to a file in dir, and waits until it listens.
func Start(ctx context.Context, dir, address string, cmd *exec.Cmd) *Daemon {
	out := Must(os.Create(filepath.Join(dir, filepath.Base(cmd.Path)+".out")))
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	Check(cmd.Start())
	d := &Daemon{Address: address, process: cmd, ended: make(chan struct{})}
	go func() { cmd.Wait(); close(d.ended) }()
	for limit := time.Now().Add(Patience); time.Now().Before(limit) && ctx.Err() == nil && !d.over(); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial(network(address), address); err == nil {
			c.Close()
			return d
		}
	}
	d.Stop()
	said, _ := os.ReadFile(out.Name())
	Check(ctx.Err())
	Failf("%s does not answer at %s: %s", cmd.Path, address, bytes.TrimSpace(said))
	return nil
}

// DaemonCommand is the command that Polya starts.
const DaemonCommand = "cmd/polyad"

// Polya starts the daemon of polya by a configuration that is written to dir.
func Polya(ctx context.Context, program, dir, address, configuration string) *Daemon {
	path := filepath.Join(dir, "polya.toml")
	Check(os.WriteFile(path, []byte(configuration), 0o600))
	return Start(ctx, dir, address, exec.Command(program, "serve", path))
}

func (d *Daemon) over() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

// PID is the number of its process.
func (d *Daemon) PID() int { return d.process.Process.Pid }

// PIDs are those of the daemon and of the ones behind it.
func (d *Daemon) PIDs() (list []int) {
	for ; d != nil; d = d.Behind {
		list = append(list, d.PID())
	}
	return list
}

// Stop ends the daemon, its children, and the daemon behind it.
func (d *Daemon) Stop() {
	syscall.Kill(-d.PID(), syscall.SIGTERM)
	impatient := time.AfterFunc(30*time.Second, func() { syscall.Kill(-d.PID(), syscall.SIGKILL) })
	<-d.ended
	impatient.Stop()
	if d.Behind != nil {
		d.Behind.Stop()
	}
}

func network(address string) string {
	if filepath.IsAbs(address) {
		return "unix"
	}
	return "tcp"
}

// Dial opens a connection to an address as a Daemon has it.
func Dial(address string) (net.Conn, error) {
	return net.DialTimeout(network(address), address, Patience)
}

// Ask makes one request on a connection of its own and returns the reply. With half our
// side of the connection ends before the reply, as spamc does it.
func Ask(address string, request []byte, half bool) ([]byte, error) {
	c, err := Dial(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(Patience))
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	if closer, ok := c.(interface{ CloseWrite() error }); ok && half {
		closer.CloseWrite()
	}
	return io.ReadAll(c)
}

// Request returns a request with a message, of which head is all but the length.
func Request(head string, raw []byte) []byte {
	return append([]byte(head+"Content-length: "+strconv.Itoa(len(raw))+"\r\n\r\n"), raw...)
}

// FreeAddress returns an address of the loopback interface that nobody listens at.
func FreeAddress() string {
	l := Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	return l.Addr().String()
}

// Write writes a file and the folders above it.
func Write(path, text string) {
	Check(os.MkdirAll(filepath.Dir(path), 0o755))
	Check(os.WriteFile(path, []byte(text), 0o644))
}

// GiveTo changes the owner of a folder and its content.
func GiveTo(dir, name string) {
	uid := Must(strconv.Atoi(Must(user.Lookup(name)).Uid))
	Check(filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, uid, -1)
		}
		return err
	}))
}

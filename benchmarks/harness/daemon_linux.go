package harness

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Patience is how long a daemon may take for one request, or to begin to listen.
const Patience = time.Minute

// Daemon is a server with a process group of its own.
type Daemon struct {
	Address string // a TCP address, or the path of a socket

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

// Stop ends the daemon and its children.
func (d *Daemon) Stop() {
	syscall.Kill(-d.PID(), syscall.SIGTERM)
	impatient := time.AfterFunc(30*time.Second, func() { syscall.Kill(-d.PID(), syscall.SIGKILL) })
	<-d.ended
	impatient.Stop()
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

// Ask makes one request by spamd's protocol, on a connection of its own, and returns the reply. Our
// side of the connection ends before the reply, as spamc does it.
func Ask(address string, request []byte) ([]byte, error) {
	c, err := Dial(address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(Patience))
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	if closer, ok := c.(interface{ CloseWrite() error }); ok {
		closer.CloseWrite()
	}
	reply, err := io.ReadAll(c)
	if err == nil && !bytes.HasPrefix(reply, []byte("SPAMD/1.1 0 EX_OK")) {
		err = fmt.Errorf("the answer is %.80q", reply)
	}
	return reply, err
}

// TellRequest is a request to learn a message.
func TellRequest(d Document) []byte {
	return request("TELL SPAMC/1.5\r\nMessage-class: "+d.Class+"\r\nSet: local\r\n", d.Raw)
}

// CheckRequest is a request to classify a message.
func CheckRequest(d Document) []byte { return request("CHECK SPAMC/1.5\r\n", d.Raw) }

func request(head string, raw []byte) []byte {
	return fmt.Appendf(nil, "%sContent-length: %d\r\n\r\n%s", head, len(raw), raw)
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

//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/polya-classifier/polya/benchmarks/bayesonly"
)

// A peer is another server that can be asked about the same messages.
type peer struct {
	name     string
	programs []string
	start    func(ctx context.Context, dir string, c *corpus) (*server, []int, error)
	request  func([]message) [][]byte
	spam     string // in the answer for spam
	sample   int    // how many times options.sample messages are a round
}

var peers = []peer{
	{"spamd", []string{"spamd", "sa-learn"}, startSpamd, checks, "Spam: True", 1},
	{"rspamd", []string{"rspamd", "redis-server"}, startRspamd, posts, `"BAYES_SPAM"`, 4},
}

// missing returns why a peer cannot be measured, "" if it can.
func (p *peer) missing() string {
	for _, program := range p.programs {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not installed"
		}
	}
	return ""
}

// startSpamd runs sa-learn and starts spamd, with two children and no rule but Bayes.
func startSpamd(ctx context.Context, dir string, c *corpus) (*server, []int, error) {
	litter := ""
	if u, err := user.Current(); err == nil { // it makes a folder there and leaves it empty
		if _, err := os.Stat(filepath.Join(u.HomeDir, ".spamassassin")); errors.Is(err, os.ErrNotExist) {
			litter = filepath.Join(u.HomeDir, ".spamassassin")
		}
	}
	files, err := bayesonly.SpamAssassin(filepath.Join(dir, "db", "bayes"))
	if err != nil {
		return nil, nil, err
	}
	files["db/empty"] = ""
	files["site/local.cf"] += "required_score 1\n" // BAYES_80 has 2, so that Bayes alone can call something spam
	for name, text := range files {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return nil, nil, err
		}
	}
	settings := []string{"-L", "-C", filepath.Join(dir, "rules"), "--siteconfigpath", filepath.Join(dir, "site")}
	for _, class := range []string{"ham", "spam"} {
		var list strings.Builder
		for _, m := range c.learned {
			if m.class == class {
				absolute, err := filepath.Abs(m.path)
				if err != nil {
					return nil, nil, err
				}
				fmt.Fprintln(&list, absolute)
			}
		}
		path := filepath.Join(dir, class+".list")
		if err := write(path, list.String()); err != nil {
			return nil, nil, err
		}
		learn := exec.CommandContext(ctx, "sa-learn", append(settings, "-p", filepath.Join(dir, "prefs"), "--"+class, "-f", path)...)
		learn.Env = append(os.Environ(), "HOME="+dir)
		if out, err := learn.CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("sa-learn: %w: %s", err, out)
		}
	}
	if litter != "" {
		os.Remove(litter)
	}
	address, err := freeAddress()
	if err != nil {
		return nil, nil, err
	}
	host, port, _ := net.SplitHostPort(address)
	argv := append(settings, "-x", "-i", host, "-p", port, "-m", "2", "-s", "stderr")
	if os.Geteuid() == 0 { // its children refuse to be root
		if err := give(dir, "nobody"); err != nil {
			return nil, nil, err
		}
		argv = append(argv, "-u", "nobody")
	}
	s := &server{dir: dir, target: target{"tcp", address, []byte("SPAMD/1.1 0 EX_OK"), false}}
	cmd := exec.Command("spamd", argv...)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if err := s.run(ctx, cmd); err != nil {
		return nil, nil, err
	}
	return s, []int{s.pid()}, nil
}

// startRspamd starts redis and rspamd, with no rule but Bayes, and makes it learn.
func startRspamd(ctx context.Context, dir string, c *corpus) (*server, []int, error) {
	ask, err := freeAddress()
	if err != nil {
		return nil, nil, err
	}
	tell, err := freeAddress()
	if err != nil {
		return nil, nil, err
	}
	conf, socket := filepath.Join(dir, "rspamd.conf"), filepath.Join(dir, "redis.sock")
	if err := write(conf, bayesonly.Rspamd(dir, ask, tell)); err != nil {
		return nil, nil, err
	}
	redis := &server{dir: dir, target: target{network: "unix", address: socket}}
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--appendonly", "no")
	if err := redis.run(ctx, cmd); err != nil {
		return nil, nil, err
	}
	argv := []string{"-f", "-c", conf}
	if os.Geteuid() == 0 {
		argv = append(argv, "-i") // it needs permission to run as root
	}
	s := &server{dir: dir, target: target{"tcp", ask, []byte("HTTP/1.1 200"), true}, cleanup: []func(){redis.stop}}
	if err := s.run(ctx, exec.Command("rspamd", argv...)); err != nil {
		redis.stop()
		return nil, nil, err
	}
	teach := target{"tcp", tell, []byte("HTTP/1.1 20"), true} // 204 is too short to learn, 208 known
	if _, err := teach.flood(ctx, learns(c.learned), 1); err != nil {
		s.stop()
		return nil, nil, err
	}
	return s, []int{s.pid(), redis.pid()}, nil
}

func posts(messages []message) [][]byte {
	return requests(messages, func(m message) []byte {
		return m.request("POST /checkv2 HTTP/1.1\r\nHost: rspamd\r\nConnection: close\r\n")
	})
}

// learns returns requests to learn. Without bulk rspamd refuses what it knows already.
func learns(messages []message) [][]byte {
	return requests(messages, func(m message) []byte {
		return m.request("POST /learn" + m.class + " HTTP/1.1\r\nHost: rspamd\r\nConnection: close\r\nPassword: q1\r\nLearn-Type: bulk\r\n")
	})
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// give changes the owner of a folder and its content to a user.
func give(dir, name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syscall.Lchown(path, uid, -1)
	})
}

// freeAddress returns an address of the loopback interface that nobody listens at.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/benchmarks/bayesonly"
)

// spamassassinPeer returns SpamAssassin with no rule but Bayes: its probability is put
// into a header, and above .5 is spam.
func spamassassinPeer() *peer {
	with := func(s *session, program string, args ...string) []string {
		flags := []string{"-L", "-C", filepath.Join(s.home, "rules"), "--siteconfigpath", filepath.Join(s.home, "site"), "-p", filepath.Join(s.home, "prefs")}
		return append(append([]string{program}, flags...), args...)
	}
	return &peer{
		name: "spamassassin", packages: []string{"spamassassin", "spamd"}, programs: []string{"sa-learn", "spamassassin", "spamd"},
		note: "Bayes only, spam above .5; sa-learn learns, spamd with one child classifies; single messages by sa-learn and spamassassin, and by sockets to spamd",
		train: func(s *session, documents []document) error {
			if err := configureSpamassassin(s); err != nil {
				return err
			}
			for _, class := range classes {
				list := filepath.Join(s.home, class+".list")
				if err := os.WriteFile(list, []byte(strings.Join(paths(of(documents, class)), "\n")+"\n"), 0o644); err != nil {
					return err
				}
				if _, _, err := s.run(command{argv: with(s, "sa-learn", "--"+class, "-f", list)}); err != nil {
					return err
				}
			}
			return nil
		},
		serve: startSpamd,
		classify: func(s *session, documents []document) ([]answer, error) {
			before := s.running.cost()
			answers, err := eachOne(askSpamd)(s, documents)
			s.spent.add(s.running.cost().since(before))
			return answers, err
		},
		ask: ignoring(askSpamd),
		tell: func(s *session, d document) error {
			_, err := spamd(s, "TELL", "Message-class: "+d.class()+"\r\nSet: local\r\n", d)
			return err
		},
		classifyOne: func(s *session, d document) error {
			_, _, err := s.run(command{argv: with(s, "spamassassin"), stdin: d.path})
			return err
		},
		learnOne: func(s *session, d document) error {
			_, _, err := s.run(command{argv: with(s, "sa-learn", "--"+d.class(), d.path)})
			return err
		},
	}
}

// configureSpamassassin writes the settings: two plugins, no network, no learning by itself.
func configureSpamassassin(s *session) error {
	// It makes ~/.spamassassin, by the user's entry in passwd and not by $HOME, and leaves
	// it empty.
	if u, err := user.Current(); err == nil {
		state := filepath.Join(u.HomeDir, ".spamassassin")
		if _, err := os.Lstat(state); errors.Is(err, os.ErrNotExist) {
			s.litter = state
		}
	}
	files, err := bayesonly.SpamAssassin(filepath.Join(s.dir, "bayes"))
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(s.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// startSpamd starts spamd as nobody if we are root, because its children refuse to run as root.
func startSpamd(s *session) (*daemon, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	argv := []string{"spamd", "-L", "-x", "--allow-tell", "-i", host, "-p", port, "-m", "1", "-s", "stderr",
		"-C", filepath.Join(s.home, "rules"), "--siteconfigpath", filepath.Join(s.home, "site")}
	if os.Geteuid() == 0 {
		if err := s.giveTo("nobody"); err != nil {
			return nil, err
		}
		argv = append(argv, "-u", "nobody")
	}
	return s.start(address, argv...)
}

func askSpamd(s *session, d document) (answer, error) {
	said, err := spamd(s, "HEADERS", "", d)
	if err != nil {
		return answer{}, err
	}
	return parseSpamd(said)
}

// spamd makes one request of the protocol SPAMC/1.5 and returns the response.
func spamd(s *session, verb, headers string, d document) ([]byte, error) {
	message, err := os.ReadFile(d.path)
	if err != nil {
		return nil, err
	}
	connection, err := net.Dial("tcp", s.running.address)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(requestTimeout))
	request := fmt.Appendf(nil, "%s SPAMC/1.5\r\n%sContent-length: %d\r\n\r\n", verb, headers, len(message))
	if _, err := connection.Write(append(request, message...)); err != nil {
		return nil, err
	}
	if half, ok := connection.(*net.TCPConn); ok {
		if err := half.CloseWrite(); err != nil {
			return nil, err
		}
	}
	said, err := io.ReadAll(connection)
	if err != nil {
		return nil, err
	}
	status, _, _ := bytes.Cut(said, []byte("\r\n"))
	if !bytes.HasSuffix(status, []byte(" 0 EX_OK")) {
		return nil, errors.New("spamd says " + strconv.Quote(string(status)))
	}
	return said, nil
}

// parseSpamd reads the header X-Spam-Bayes, the first one: spamd puts its own in front
// and removes what the message came with.
func parseSpamd(said []byte) (answer, error) {
	_, rest, found := bytes.Cut(said, []byte("\nX-Spam-Bayes: "))
	if !found {
		return answer{}, unreadable(string(said))
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	score, err := strconv.ParseFloat(strings.TrimSpace(string(line)), 64)
	if err != nil {
		return answer{}, unreadable(string(line))
	}
	return answer{spam: score > .5, score: score}, nil
}

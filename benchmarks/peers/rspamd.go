//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/benchmarks/bayesonly"
)

// The weights by which rspamd multiplies its certainty.
const bayesSpam, bayesHam = 5., 3.

func rspamdPeer() *peer {
	return &peer{
		name: "rspamd", packages: []string{"rspamd", "redis-server", "redis-tools"}, programs: []string{"rspamd", "redis-server", "redis-cli"},
		note: "with redis, whose time and memory count; no rule but Bayes, spam where that is its symbol; by HTTP only, learns in bulk mode; the database is redis's dump",
		train: func(s *session, documents []document) (err error) {
			if s.running, err = startRspamd(s); err != nil {
				return err
			}
			before := s.running.cost()
			for _, d := range documents {
				if err := tellRspamd(s, d); err != nil {
					return err
				}
			}
			s.spent.add(s.running.cost().since(before))
			spent := s.take()
			_, _, err = s.run(command{argv: []string{"redis-cli", "-s", filepath.Join(s.home, "redis.sock"), "save"}})
			s.spent = spent // saving is not part of learning: redis saves from time to time
			return err
		},
		serve: startRspamd,
		classify: func(s *session, documents []document) ([]answer, error) {
			before := s.running.cost()
			answers, err := eachOne(askRspamd)(s, documents)
			s.spent.add(s.running.cost().since(before))
			return answers, err
		},
		ask:  ignoring(askRspamd),
		tell: tellRspamd,
	}
}

// startRspamd starts redis, and rspamd on it.
func startRspamd(s *session) (*daemon, error) {
	ask, err := freeAddress()
	if err != nil {
		return nil, err
	}
	tell, err := freeAddress()
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(s.home, "rspamd.conf")
	text := bayesonly.Rspamd(s.home, ask, tell)
	if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
		return nil, err
	}
	socket := filepath.Join(s.home, "redis.sock")
	redis, err := s.start(socket, "redis-server", "--port", "0", "--unixsocket", socket, "--dir", s.dir, "--save", "", "--appendonly", "no")
	if err != nil {
		return nil, err
	}
	argv := []string{"rspamd", "-f", "-c", conf}
	if os.Geteuid() == 0 {
		argv = append(argv, "-i") // it needs permission to run as root
	}
	rspamd, err := s.start(ask, argv...)
	if err != nil {
		redis.stop()
		return nil, err
	}
	rspamd.behind, rspamd.teaching = redis, tell
	return rspamd, nil
}

func askRspamd(s *session, d document) (answer, error) {
	said, err := post("http://"+s.running.address+"/checkv2", d, nil)
	if err != nil {
		return answer{}, err
	}
	return parseRspamd(said)
}

func tellRspamd(s *session, d document) error {
	// Without bulk it refuses messages that it would classify correctly.
	_, err := post("http://"+s.running.teaching+"/learn"+d.class(), d, map[string]string{"Password": "q1", "Learn-Type": "bulk"})
	return err
}

// post sends a document. Codes 204 and 208 say that it was too short to learn, or learned
// before; they are not failures.
func post(url string, d document, headers map[string]string) ([]byte, error) {
	message, err := os.ReadFile(d.path)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	client := http.Client{Timeout: requestTimeout, Transport: &http.Transport{DisableKeepAlives: true, DialContext: (&net.Dialer{}).DialContext}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, lastLine(string(said)))
	}
	return said, err
}

// parseRspamd reads the symbols of /checkv2. The score of a symbol is its weight times
// rspamd's certainty; without any rspamd abstains.
func parseRspamd(said []byte) (answer, error) {
	type symbol struct {
		Score float64 `json:"score"`
	}
	var result struct {
		Symbols *struct {
			Spam *symbol `json:"BAYES_SPAM"`
			Ham  *symbol `json:"BAYES_HAM"`
		} `json:"symbols"`
	}
	if err := json.Unmarshal(said, &result); err != nil || result.Symbols == nil {
		return answer{}, unreadable(string(said))
	}
	switch found := result.Symbols; {
	case found.Spam != nil:
		return answer{spam: true, score: found.Spam.Score / bayesSpam}, nil
	case found.Ham != nil:
		return answer{score: found.Ham.Score / bayesHam}, nil
	}
	return answer{}, nil
}

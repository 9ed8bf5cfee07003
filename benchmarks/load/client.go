//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long a client waits for an answer.
const patience = time.Minute

// A target takes requests, one a connection.
type target struct {
	network, address string
	ok               []byte // the beginning of a good reply
	http             bool   // the client does not end its half first
}

// check is a request to classify the message for a user, "" for nobody.
func (m message) check(user string) []byte { return m.request("CHECK SPAMC/1.5\r\n" + of(user)) }

// tell is a request to learn the message, or with the verb Remove to forget it.
func (m message) tell(user, verb string) []byte {
	class := ""
	if verb == "Set" {
		class = "Message-class: " + m.class + "\r\n"
	}
	return m.request("TELL SPAMC/1.5\r\n" + of(user) + class + verb + ": local\r\n")
}

func of(user string) string {
	if user == "" {
		return ""
	}
	return "User: " + user + "\r\n"
}

func (m message) request(head string) []byte {
	return append([]byte(head+"Content-length: "+strconv.Itoa(len(m.raw))+"\r\n\r\n"), m.raw...)
}

// requests makes a request of each message.
func requests(messages []message, request func(message) []byte) [][]byte {
	list := make([][]byte, len(messages))
	for i, m := range messages {
		list[i] = request(m)
	}
	return list
}

func checks(messages []message) [][]byte {
	return requests(messages, func(m message) []byte { return m.check("") })
}

// send makes one request.
func (t *target) send(request []byte) error {
	_, err := t.ask(request)
	return err
}

// ask makes one request and returns the beginning of the reply.
func (t *target) ask(request []byte) ([]byte, error) {
	c, err := net.DialTimeout(t.network, t.address, patience)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	if half, ok := c.(interface{ CloseWrite() error }); ok && !t.http {
		half.CloseWrite()
	}
	reply, n := make([]byte, 4096), 0
	for err == nil && n < len(reply) {
		var more int
		more, err = c.Read(reply[n:])
		n += more
	}
	if err == nil { // a long one
		_, err = io.Copy(io.Discard, c)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.HasPrefix(reply[:n], t.ok) {
		return nil, fmt.Errorf("the answer is %.80q", reply[:n])
	}
	return reply[:n], nil
}

// wrong asks about messages and returns the share of wrong replies: spam for ham, or not
// spam for spam.
func (t *target) wrong(ctx context.Context, messages []message, requests [][]byte, spam string) (float64, error) {
	wrong := 0
	for i, r := range requests {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		reply, err := t.ask(r)
		if err != nil {
			return 0, err
		}
		if bytes.Contains(reply, []byte(spam)) != (messages[i].class == "spam") {
			wrong++
		}
	}
	return float64(wrong) / float64(len(requests)), nil
}

// flood makes all requests, connections at a time, and returns the time taken.
func (t *target) flood(ctx context.Context, requests [][]byte, connections int) (time.Duration, error) {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	start := time.Now()
	for range connections {
		all.Go(func() {
			for failed.Load() == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(requests) {
					return
				}
				if err := t.send(requests[i]); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return time.Since(start), ctx.Err()
}

// times holds the durations of requests, and the number of failures.
type times struct {
	mu     sync.Mutex
	taken  []time.Duration
	failed int
	first  error
}

func (t *times) add(took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		if t.failed++; t.first == nil {
			t.first = err
		}
		return
	}
	t.taken = append(t.taken, took)
}

// at returns a quantile in milliseconds.
func (t *times) at(share float64) float64 {
	if len(t.taken) == 0 {
		return math.NaN()
	}
	slices.Sort(t.taken)
	return float64(t.taken[min(int(share*float64(len(t.taken))), len(t.taken)-1)]) / float64(time.Millisecond)
}

// pace makes a request at a fixed rate until ctx is done, whether the one before has its
// answer or not. Their time runs from their scheduled start.
func (t *target) pace(ctx context.Context, rate float64, request func(i int) []byte) *times {
	result := &times{}
	var all sync.WaitGroup
	start := time.Now()
	for i := 0; ctx.Err() == nil; i++ {
		due := start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		if wait := time.Until(due); wait > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
			if ctx.Err() != nil {
				break
			}
		}
		r := request(i)
		if r == nil {
			break
		}
		all.Go(func() {
			err := t.send(r)
			result.add(time.Since(due), err)
		})
	}
	all.Wait()
	return result
}

//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// patience bounds the time for classifying, or learning, single messages in one round: a
// peer that takes seconds per message gets a smaller sample.
const patience = 15 * time.Second

// A result holds the measurements of a peer over all rounds.
type result struct {
	peer            *peer
	rounds          int
	train, classify []float64 // CPU seconds of each round
	memory          int64     // bytes, greatest of all rounds
	size            int64     // bytes, after the training of the last round
	accuracy        accuracy  // of the last round: the same in all, except for random peers
	ask, learn      latency   // by a process each
	served, told    latency   // by the daemon
	failed          error
}

// A bench is the corpus and how it is measured.
type bench struct {
	corpus  *corpus
	sample  int
	timeout time.Duration
}

// round measures a peer once, in a separate home that is removed.
func (b *bench) round(ctx context.Context, r *result) (err error) {
	home, err := os.MkdirTemp("", "peers-home-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	s := &session{ctx: ctx, corpus: b.corpus, home: home, dir: filepath.Join(home, "database"), timeout: b.timeout}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		return err
	}
	defer func() {
		if s.running != nil {
			s.running.stop()
		}
		if s.litter != "" {
			os.Remove(s.litter) // which fails if something is in it
		}
	}()
	if err := b.bulk(s, r); err != nil {
		return err
	}
	asked, others := turns(sampled(b.corpus.test, 2*b.sample))
	if err := b.single(s, &r.ask, r.peer.classifyOne, asked); err != nil {
		return fmt.Errorf("classifying one message: %w", err)
	}
	if err := b.single(s, &r.learn, r.peer.learnOne, asked); err != nil {
		return fmt.Errorf("learning one message: %w", err)
	}
	if s.running != nil {
		if err := b.requests(s, &r.served, r.peer.ask, others); err != nil {
			return fmt.Errorf("asking the daemon: %w", err)
		}
		if err := b.requests(s, &r.told, r.peer.tell, others); err != nil {
			return fmt.Errorf("telling the daemon: %w", err)
		}
	}
	r.rounds++
	return nil
}

// turns splits documents in two: a daemon learns others than the processes, because some
// peers skip documents that they have learned.
func turns(documents []document) (first, second []document) {
	for i, d := range documents {
		if i%2 == 0 {
			first = append(first, d)
		} else {
			second = append(second, d)
		}
	}
	return first, second
}

// bulk trains on one half and asks about the other.
func (b *bench) bulk(s *session, r *result) (err error) {
	s.take()
	if err := r.peer.train(s, b.corpus.train); err != nil {
		return fmt.Errorf("training: %w", err)
	}
	trained := s.take()
	if r.size, err = s.databaseSize(); err != nil {
		return err
	}
	if r.peer.serve != nil && s.running == nil {
		if s.running, err = r.peer.serve(s); err != nil {
			return err
		}
	}
	answers, err := r.peer.classify(s, b.corpus.test)
	if err == nil {
		err = expect(answers, b.corpus.test)
	}
	if err != nil {
		return fmt.Errorf("classifying: %w", err)
	}
	classified := s.take()
	r.train = append(r.train, trained.cpu.Seconds())
	r.classify = append(r.classify, classified.cpu.Seconds())
	r.memory = max(r.memory, trained.memory, classified.memory)
	r.accuracy = accuracyOf(answers, b.corpus.test)
	return nil
}

// single measures one document at a time.
func (b *bench) single(s *session, l *latency, one func(*session, document) error, documents []document) error {
	if one == nil {
		return nil
	}
	for start, i := time.Now(), 0; i < len(documents) && time.Since(start) < patience; i++ {
		s.take()
		if err := one(s, documents[i]); err != nil {
			return err
		}
		l.add(s.take())
	}
	return nil
}

// requests measures requests to the daemon. Its CPU time is known only in hundredths of a
// second, so the total is divided by the number of requests.
func (b *bench) requests(s *session, l *latency, one func(*session, document) error, documents []document) error {
	before := s.running.cost()
	begin, n := time.Now(), 0
	for ; n < len(documents) && time.Since(begin) < patience; n++ {
		start := time.Now()
		if err := one(s, documents[n]); err != nil {
			return err
		}
		l.wall = append(l.wall, milliseconds(time.Since(start)))
	}
	if n > 0 {
		l.cpu = append(l.cpu, milliseconds(s.running.cost().since(before).cpu)/float64(n))
	}
	return nil
}

// floor measures a process that does nothing, the lower bound for one process per message.
func (b *bench) floor(ctx context.Context, l *latency) error {
	s := &session{ctx: ctx, home: b.corpus.root, timeout: b.timeout}
	return b.single(s, l, func(s *session, _ document) error {
		_, _, err := s.run(command{argv: []string{"true"}})
		return err
	}, sampled(b.corpus.test, b.sample))
}

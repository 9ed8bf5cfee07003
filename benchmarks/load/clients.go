//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// crowd holds connections that are idle or send slowly.
type crowd struct {
	open    atomic.Int64 // of both kinds
	again   atomic.Int64 // reopened because the daemon had closed them
	refused atomic.Int64
}

// gather opens connections until ctx is done: some idle, and some that send a byte of
// their request every 100 ms, alternately of the head and of the message.
func (c *crowd) gather(ctx context.Context, t *target, idle, drips int) {
	var all sync.WaitGroup
	for i := range idle + drips {
		text := ""
		if i >= idle {
			text = "CHECK SPAMC/1.5\r\nUser: " + strings.Repeat("x", 1000) + "\r\n"
			if i%2 == 0 {
				text = "CHECK SPAMC/1.5\r\nContent-length: 5000\r\n\r\n" + strings.Repeat("slow\r\n", 1000)
			}
		}
		all.Go(func() {
			for ctx.Err() == nil {
				c.linger(ctx, t, text)
				pause(ctx, 10*time.Millisecond)
			}
		})
	}
	all.Wait()
}

// linger opens one connection and keeps it until the daemon closes it or ctx is done.
func (c *crowd) linger(ctx context.Context, t *target, text string) {
	conn, err := net.DialTimeout(t.network, t.address, patience)
	if err != nil {
		c.refused.Add(1)
		pause(ctx, 100*time.Millisecond)
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()
	c.open.Add(1)
	defer c.open.Add(-1)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		conn.Read(make([]byte, 1)) // nothing, or a refusal
	}()
	for i := range len(text) {
		if _, err := conn.Write([]byte(text[i : i+1])); err != nil {
			break
		}
		select {
		case <-gone:
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
			continue
		}
		break
	}
	<-gone
	if ctx.Err() == nil {
		c.again.Add(1)
	}
}

// clients measures answers beside a crowd.
func clients(ctx context.Context, b *bench) error {
	rate, err := b.half(ctx)
	if err != nil {
		return err
	}
	asked := checks(b.corpus.asked)
	fmt.Printf("Half load is %.0f messages a second.\n\n%s", rate, latencies)
	if _, err := b.steady(ctx, "alone", rate, asked, nil); err != nil {
		return err
	}
	var c crowd
	end := background(ctx, func(ctx context.Context) { c.gather(ctx, &b.server.target, b.idle, b.drips) })
	defer end()
	for limit := time.Now().Add(patience); int(c.open.Load()) < b.idle+b.drips && time.Now().Before(limit) && ctx.Err() == nil; {
		pause(ctx, 50*time.Millisecond)
	}
	_, err = b.steady(ctx, fmt.Sprintf("beside %d idle and %d slow", b.idle, b.drips), rate, asked, nil)
	open := c.open.Load()
	s, stateErr := stateOf(b.server.pid())
	end()
	if err != nil {
		return err
	}
	fmt.Printf("\nAt the end %d of them were open, %d descriptors, %.0f MB; %d were opened again after the daemon had closed them, %d refused. Load average %s\n",
		open, s.descriptors, s.memory, c.again.Load(), c.refused.Load(), loadAverage())
	return stateErr
}

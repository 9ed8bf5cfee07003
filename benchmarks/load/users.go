//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// users measures answers from users' databases, more than can be open at a time.
func users(ctx context.Context, b *bench) error {
	rate, err := b.half(ctx)
	if err != nil {
		return err
	}
	ham, spam := b.corpus.asked[0], b.corpus.asked[0]
	for _, m := range b.corpus.asked {
		if m.class == "ham" {
			ham = m
		} else {
			spam = m
		}
	}
	var teach [][]byte
	for i := range b.users {
		teach = append(teach, ham.tell(name(i), "Set"), spam.tell(name(i), "Set"))
	}
	s := watch(b.server.pid())
	if _, err := b.server.teacher.flood(ctx, teach, b.connections); err != nil {
		return err
	}
	s.end()
	made, err := stateOf(b.server.pid())
	if err != nil {
		return err
	}
	fmt.Printf("%d users' databases were made and taught 2 messages each in %.1f s, %.1f CPU s; %d descriptors, %.0f MB then.\n\n",
		b.users, s.wall.Seconds(), s.spent.Seconds(), made.descriptors, made.memory)
	if err := b.settle(ctx); err != nil {
		return err
	}
	fmt.Print(latencies)
	r := rand.New(rand.NewPCG(3, 4))
	for _, mix := range []struct {
		name string
		user func() int
	}{
		{fmt.Sprintf("%d users, all of them open", min(b.users, openDatabases)), func() int { return r.IntN(min(b.users, openDatabases)) }},
		{fmt.Sprintf("%d users by Zipf's law", b.users), func() int { return int(math.Pow(float64(b.users), r.Float64())) - 1 }},
		{fmt.Sprintf("%d users, all alike", b.users), func() int { return r.IntN(b.users) }},
	} {
		var asked [][]byte
		for _, m := range b.corpus.asked {
			asked = append(asked, m.check(name(mix.user())))
		}
		if _, err := b.server.flood(ctx, asked[:min(len(asked), 200)], b.connections); err != nil {
			return err
		}
		s := watch(b.server.pid())
		took, err := b.server.flood(ctx, asked, b.connections)
		if err != nil {
			return err
		}
		s.end()
		most := float64(len(asked)) / took.Seconds()
		at := min(rate, most/2)
		if _, err := b.steady(ctx, fmt.Sprintf("%s: at most %.0f a second, %.0f a CPU second", mix.name, most, float64(len(asked))/s.spent.Seconds()), at, asked, nil); err != nil {
			return err
		}
	}
	at, err := stateOf(b.server.pid())
	if err != nil {
		return err
	}
	fmt.Printf("\n%d descriptors, %.0f MB now, %.0f MB at most. Load average %s\n", at.descriptors, at.memory, at.peak, loadAverage())
	return nil
}

func name(i int) string { return fmt.Sprintf("user%d", i) }

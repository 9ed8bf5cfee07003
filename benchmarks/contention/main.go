// Contention runs many processes of polya on one database at the same time: some ask,
// some train, as a mail server's deliveries and corrections do. It prints how many were
// refused and how long the others took.
//
//	go build -o /tmp/polya ./cmd/polya
//	go run ./benchmarks/contention -polya /tmp/polya -ask 20 -train 20 -for 1m
//
// The messages are in a folder with a folder for each class. Each training is of a
// message that the database does not know yet.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	var l load
	flag.StringVar(&l.polya, "polya", "polya", "program to run")
	flag.StringVar(&l.mail, "mail", "testdata/mail/train", "folder with a folder of messages for each class")
	flag.IntVar(&l.ask, "ask", 20, "processes that ask at the same time")
	flag.IntVar(&l.train, "train", 20, "processes that train at the same time")
	flag.StringVar(&l.beside, "beside", "", "command of polya to run over and over beside them, such as calibrate")
	flag.DurationVar(&l.time, "for", time.Minute, "how long")
	flag.Parse()
	if err := l.print(); err != nil {
		fmt.Fprintln(os.Stderr, "contention:", err)
		os.Exit(1)
	}
}

func (l *load) print() error {
	dir, err := os.MkdirTemp("", "contention-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	results, err := l.run(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%-10s %6s %8s %9s %9s %9s\n", "", "done", "refused", "median ms", "p99 ms", "max ms")
	for _, r := range results {
		fmt.Printf("%-10s %6d %8d %9.0f %9.0f %9.0f\n", r.name, len(r.times), r.refused, r.quantile(.5), r.quantile(.99), r.quantile(1))
		if r.refused > 0 {
			fmt.Printf("  the first: %s\n", r.first)
		}
	}
	return nil
}

// Rules measures 'polya rule' on a person's mail folders: from a few random messages
// of a folder, does the most probable header rule find the others of that folder, and
// only these?
//
//	go run ./benchmarks/accuracy/rules CORPORA/enron-folders-kaminski-v/all
//
// Every folder below the path that has at least -least messages is asked -times
// times, each time with -positives other messages of it, drawn by a generator with a
// fixed seed. All messages are counted, as one class, so that nothing tells the rules
// which folder a message is in. A rule's precision is the share of the messages it
// matches, other than those given, that are of the folder; its recall is the share
// of the folder's others that it matches. A rule that matches no other has no
// precision and counts as not precise.
//
// The baselines are the header value that the most given messages have, among the values
// that rules are made of: of equals the first in the order list, address and domain of
// From, recipient, word of the subject, and then of the alphabet; or the rarest. The
// upper bound is the row "best rule, in hindsight": of the rules that the given messages
// meet, the precise one with the greatest recall.
//
// The prior of the rules was chosen on the folders at odd places in the alphabet, counted
// among all folders; the program reports these and the others separately.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	least := flag.Int("least", 20, "ask folders of at least `N` messages")
	times := flag.Int("times", 10, "ask each folder `N` times")
	positives := flag.Int("positives", 3, "give `N` messages")
	seed := flag.Uint64("seed", 1, "of the generator that draws them")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: rules [flags] FOLDER")
		os.Exit(2)
	}
	e := experiment{least: *least, times: *times, positives: *positives, seed: *seed}
	if err := e.run(context.Background(), flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

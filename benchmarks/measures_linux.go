package main

import (
	"github.com/polya-classifier/polya/benchmarks/accuracy"
	"github.com/polya-classifier/polya/benchmarks/fleet"
	"github.com/polya-classifier/polya/benchmarks/load"
	"github.com/polya-classifier/polya/benchmarks/newsgroups"
	"github.com/polya-classifier/polya/benchmarks/peers"
	"github.com/polya-classifier/polya/benchmarks/trainings"
)

func init() {
	measures = append([]measure{
		{"peers", "processes and bulk beside the filters that Debian packages", peers.Run},
		{"accuracy", "accuracy beside scikit-learn and bogofilter", accuracy.Run},
		{"newsgroups", "answers in memory beside scikit-learn", newsgroups.Run},
		{"trainings", "single trainings, each on disk", trainings.Run},
		{"load", "a daemon under load, beside spamd and rspamd", load.Run},
		{"fleet", "three nodes of polya-fleet while faults happen", fleet.Run},
	}, measures...)
}

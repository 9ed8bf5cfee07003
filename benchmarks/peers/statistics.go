//go:build linux

package main

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// quantile returns the q-quantile of x, 0 ≤ q ≤ 1, by linear interpolation between the
// order statistics: with h = (n-1)q it is x₍⌊h⌋₎ + (h-⌊h⌋)(x₍⌊h⌋₊₁₎ - x₍⌊h⌋₎), counted
// from 0 (type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", 1996).
// It is NaN if x is empty.
func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	h := float64(len(sorted)-1) * q
	low := int(h)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (h-float64(low))*(sorted[low+1]-sorted[low])
}

func median(x []float64) float64 {
	return quantile(x, .5)
}

// A latency holds the times of single messages in milliseconds.
type latency struct {
	cpu, wall []float64
}

func (l *latency) add(c cost) {
	l.cpu = append(l.cpu, milliseconds(c.cpu))
	l.wall = append(l.wall, milliseconds(c.wall))
}

func milliseconds(d time.Duration) float64 {
	return float64(d) / float64(time.Millisecond)
}

// An accuracy holds the error rates of a peer in percent.
type accuracy struct {
	err            float64 // of all documents
	falsePositives float64 // ham called spam, of ham
	falseNegatives float64 // spam not called spam, of spam
	above          float64 // area above the ROC curve
}

// accuracyOf compares answers with the truth.
func accuracyOf(answers []answer, documents []document) accuracy {
	var ham, spam, falsePositives, falseNegatives float64
	for i, d := range documents {
		switch {
		case d.spam:
			spam++
			if !answers[i].spam {
				falseNegatives++
			}
		default:
			ham++
			if answers[i].spam {
				falsePositives++
			}
		}
	}
	return accuracy{
		err:            100 * (falsePositives + falseNegatives) / (ham + spam),
		falsePositives: 100 * falsePositives / ham,
		falseNegatives: 100 * falseNegatives / spam,
		above:          100 * aboveROC(answers, documents),
	}
}

// aboveROC returns the area above the ROC curve, the share of pairs of a ham and a spam
// that the scores put in the wrong order, ties by half: 1 - U/(n₁n₀) of Mann and Whitney.
func aboveROC(answers []answer, documents []document) float64 {
	order := make([]int, len(documents))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(answers[a].score, answers[b].score) })
	var wrong, spamBelow, ham, spam float64
	for start := 0; start < len(order); {
		end, tiedHam, tiedSpam := start, 0.0, 0.0
		for ; end < len(order) && answers[order[end]].score == answers[order[start]].score; end++ {
			if documents[order[end]].spam {
				tiedSpam++
			} else {
				tiedHam++
			}
		}
		wrong += tiedHam * (spamBelow + tiedSpam/2)
		spamBelow += tiedSpam
		ham, spam = ham+tiedHam, spam+tiedSpam
		start = end
	}
	return wrong / (ham * spam)
}

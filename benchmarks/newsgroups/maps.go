//go:build unix

package main

import (
	"math"
	"time"
)

// inMaps is multinomial naive Bayes as most Go programs implement it: words are runs of
// letters and digits of the raw bytes in lower case, counts are in a map from words to
// counts by class, with add-one smoothing and precomputed logarithms. It is faster than
// libraries that have a map for each class: one look-up per word.
type inMaps struct {
	classes []string
	words   map[string][]float64 // log probability by class
	prior   []float64
}

func (m *inMaps) name() string { return "naive Bayes in Go maps" }
func (m *inMaps) close() error { return nil }

func (m *inMaps) learn(docs []document) error {
	index := make(map[string]int)
	for i := range docs {
		if _, known := index[docs[i].class]; !known {
			index[docs[i].class] = len(m.classes)
			m.classes = append(m.classes, docs[i].class)
		}
	}
	n := len(m.classes)
	m.words = make(map[string][]float64)
	totals, learned := make([]float64, n), make([]float64, n)
	for i := range docs {
		c := index[docs[i].class]
		learned[c]++
		eachWord(docs[i].text, func(word []byte) {
			counts := m.words[string(word)]
			if counts == nil {
				counts = make([]float64, n)
				m.words[string(word)] = counts
			}
			counts[c]++
			totals[c]++
		})
	}
	for _, counts := range m.words {
		for c := range counts {
			counts[c] = math.Log((counts[c] + 1) / (totals[c] + float64(len(m.words))))
		}
	}
	m.prior = make([]float64, n)
	for c := range m.prior {
		m.prior[c] = math.Log(learned[c] / float64(len(docs)))
	}
	return nil
}

func (m *inMaps) answer(docs []document) ([]string, time.Duration, error) {
	answers := make([]string, len(docs))
	scores := make([]float64, len(m.classes))
	begun := cpu()
	for i := range docs {
		copy(scores, m.prior)
		eachWord(docs[i].text, func(word []byte) {
			for c, p := range m.words[string(word)] {
				scores[c] += p
			}
		})
		best := 0
		for c := range scores {
			if scores[c] > scores[best] {
				best = c
			}
		}
		answers[i] = m.classes[best]
	}
	return answers, cpu() - begun, nil
}

// eachWord calls f with each run of letters and digits, in lower case; bytes from 0xC0
// are the letters of Latin-1.
func eachWord(text []byte, f func([]byte)) {
	var word []byte
	for _, b := range text {
		switch {
		case 'A' <= b && b <= 'Z':
			word = append(word, b+'a'-'A')
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b >= 0xC0:
			word = append(word, b)
		case len(word) > 0:
			f(word)
			word = word[:0]
		}
	}
	if len(word) > 0 {
		f(word)
	}
}

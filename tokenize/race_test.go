//go:build race

package tokenize

func init() { raceDetector = true }

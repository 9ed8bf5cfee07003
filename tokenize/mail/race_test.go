//go:build race

package mail

func init() { raceDetector = true }

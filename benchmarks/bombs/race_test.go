//go:build race

package bombs

func init() { raceDetector = true }

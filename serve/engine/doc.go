// Package engine is what stands behind the listeners of a daemon: databases that answer
// while they learn.
//
// An answer comes from the last committed counts and the last finished calibration. What
// is to be learned waits in a queue of bounded length; one goroutine for each database
// takes what has gathered there and commits it in one transaction, and another, one for
// all databases, fits and calibrates when trainings have come to rest or their share of
// the time allows it. Nothing that is asked waits for either.
//
// A database that is missing is made by the first training. Until something was learned
// every answer is unsure.
package engine

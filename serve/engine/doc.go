// Package engine serves the listeners of a daemon from databases that answer while they
// learn.
//
// An answer comes from the last committed counts and the last finished calibration.
// Trainings wait in a queue of bounded length. One goroutine for each database takes the
// trainings in its queue and commits them in one transaction; one goroutine for all
// databases fits and calibrates when trainings have paused or fitting's share of the time
// allows it. No question waits for either.
//
// The first training creates a missing database. Until something was learned every answer
// is unsure.
package engine

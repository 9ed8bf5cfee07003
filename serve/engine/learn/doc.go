// Package learn holds databases that answer while they learn. One goroutine for each database
// takes the trainings in its queue and commits them in one transaction; one goroutine for all
// databases fits and calibrates when trainings have paused or fitting's share of the time
// allows it. No question waits for either.
package learn

//go:build windows || plan9

package bogofilter

// toSyslog does nothing where there is no system log.
func toSyslog(string) {}

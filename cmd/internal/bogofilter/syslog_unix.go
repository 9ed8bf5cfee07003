//go:build !windows && !plan9

package bogofilter

import "log/syslog"

// toSyslog writes a line to the system log, if there is one.
func toSyslog(line string) {
	w, err := syslog.New(syslog.LOG_MAIL|syslog.LOG_INFO, "bogofilter")
	if err != nil {
		return
	}
	_ = w.Info(line)
	w.Close()
}

//go:build unix

// Package asdaemon checks a configuration with the rights of the daemon that it is for.
package asdaemon

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/polya-classifier/polya/cmd/internal/command"
)

// Check runs this program again, as "VERB --check PATH", with the rights that the daemon of a
// configuration at path will have, if this process is root's: under the restrictions of the unit
// that serves it, or else as the user to whom folder, that of the database, belongs. done is false if
// there is neither; otherwise err is the exit code of that process, or why it did not run.
func Check(p *command.Program, unit, verb, path, folder string) (done bool, err error) {
	if os.Geteuid() != 0 {
		return false, nil
	}
	program, err := os.Executable()
	if err != nil {
		return false, nil
	}
	run := func(rights *syscall.SysProcAttr, words ...string) error {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = p.Stdout, p.Stderr, rights
		return cmd.Run()
	}
	check := []string{program, verb, "--check", path}
	_, booted := os.Stat("/run/systemd/system") // as sd_booted(3)
	if unit, err := exec.Command("systemctl", "cat", unit).Output(); booted == nil && err == nil {
		if asUnit := underUnit(string(unit), verb, path); asUnit != nil {
			if code, ended := exitCode(run(nil, append(asUnit, check...)...)); ended && (code == command.Yes || code == command.Trouble) {
				return true, code
			} // systemd does not run, or cannot
		}
	}
	owner := ownerOf(folder)
	if owner == nil || owner.Uid == 0 {
		return false, nil
	}
	err = run(&syscall.SysProcAttr{Credential: owner}, check...)
	if code, ended := exitCode(err); ended {
		return true, code
	}
	return !errors.Is(err, fs.ErrPermission), err // this program may lie where only root looks
}

// unrestricting matches the settings of a unit's service that say how it is started and stopped,
// rather than what it may do.
var unrestricting = regexp.MustCompile(`^(Exec|Restart|Timeout|Type|Notify|Watchdog|Sockets|RuntimeDirectoryPreserve)`)

// underUnit returns the command that runs another one under the restrictions of a unit, nil if the
// unit does not serve the configuration.
func underUnit(unit, verb, path string) []string {
	path, err := filepath.Abs(path)
	if err != nil || !strings.Contains(unit, " "+verb+" "+path+"\n") {
		return nil
	}
	run := []string{"systemd-run", "--pipe", "--wait", "--quiet", "--collect", "-pRuntimeDirectoryPreserve=yes"}
	section := ""
	for line := range strings.Lines(unit) {
		line = strings.TrimSpace(line)
		switch name, _, found := strings.Cut(line, "="); {
		case strings.HasPrefix(line, "["):
			section = line
		case found && section == "[Service]" && !strings.ContainsAny(name, "#; ") && !unrestricting.MatchString(name):
			run = append(run, "-p"+line)
		}
	}
	return run
}

// exitCode returns the code with which a process ended, and whether it ran to its end.
func exitCode(err error) (code command.AnswerCode, ended bool) {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return command.AnswerCode(exit.ExitCode()), true
	}
	return command.Yes, err == nil
}

// ownerOf returns the user to whom a file belongs, with all groups, or nil if that is unknown.
func ownerOf(path string) *syscall.Credential {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	c := &syscall.Credential{Uid: s.Uid, Gid: s.Gid}
	u, err := user.LookupId(strconv.Itoa(int(s.Uid)))
	if err != nil {
		return c
	}
	if gid, err := strconv.Atoi(u.Gid); err == nil {
		c.Gid = uint32(gid)
	}
	groups, _ := u.GroupIds()
	for _, group := range groups {
		if gid, err := strconv.Atoi(group); err == nil {
			c.Groups = append(c.Groups, uint32(gid))
		}
	}
	return c
}

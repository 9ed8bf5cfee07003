//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/serve/config"
)

// checkAsOwner has a process of the daemon's user check the configuration, if this is root's and
// the folder of the database belongs to somebody else. done is false if it is not.
func (p *program) checkAsOwner(path string) (done bool, err error) {
	if os.Geteuid() != 0 {
		return false, nil
	}
	c, err := config.Load(path)
	if err != nil {
		return false, nil // which is said by who asks
	}
	owner := ownerOf(filepath.Dir(c.Database.Path))
	if owner == nil || owner.Uid == 0 {
		return false, nil
	}
	program, err := os.Executable()
	if err != nil {
		return false, nil
	}
	cmd := exec.Command(program, "serve", "--check", path)
	cmd.Stdout, cmd.Stderr = p.Stdout, p.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	err = cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return true, command.AnswerCode(command.Trouble)
	}
	return !errors.Is(err, fs.ErrPermission), err // this program may lie where only root looks
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

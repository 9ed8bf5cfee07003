package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// bogofilter is bogofilter with its default settings, a process for each message.
type bogofilter struct{ program, dir string }

func newBogofilter(ctx context.Context, dir, program string, c *corpus) (*bogofilter, error) {
	b := &bogofilter{program, dir}
	for class, messages := range c.classes {
		flag := "-n"
		if class == c.spam {
			flag = "-s"
		}
		var box bytes.Buffer
		for _, raw := range messages {
			m := parse(raw)
			box.WriteString("From a@example.org Thu Jan  1 00:00:00 2004\n")
			box.Write(m.whole(strings.ReplaceAll(string(m.body), "\nFrom ", "\n>From ")))
			box.WriteString("\n\n")
		}
		cmd := exec.CommandContext(ctx, program, "-d", dir, "-M", flag)
		cmd.Stdin = &box
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s %s: %w: %.200s", filepath.Base(program), flag, err, out)
		}
	}
	return b, nil
}

func (b *bogofilter) name() string { return "bogofilter" }

func (b *bogofilter) ask(ctx context.Context, messages [][]byte) ([]answer, error) {
	answers := make([]answer, len(messages))
	for i, raw := range messages {
		cmd := exec.CommandContext(ctx, b.program, "-d", b.dir, "-T")
		cmd.Stdin = bytes.NewReader(raw)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() < 3) {
			return nil, fmt.Errorf("%s: %w", b.program, err)
		}
		verdict, score, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
		if !ok {
			return nil, fmt.Errorf("%s: cannot read %.80q", b.program, out)
		}
		a := answer{spam: verdict == "S", unsure: verdict == "U"}
		if a.score, err = strconv.ParseFloat(score, 64); err != nil {
			return nil, fmt.Errorf("%s: cannot read %.80q", b.program, out)
		}
		answers[i] = a
	}
	return answers, nil
}

package notmuch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// program is a notmuch program, which finds its own configuration.
type program string

// longest is how long notmuch may take: to change tags it waits until it has indexed new mail.
var longest = 10 * time.Minute

// run calls notmuch and returns what it prints. Where notmuch is a script it may leave a program behind, which is not
// waited for.
func (p program) run(ctx context.Context, stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, string(p), args...)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(stdin), time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s %s: %w", string(p), args[0], ctx.Err())
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s: no such program", string(p))
	}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		line, _, _ := bytes.Cut(bytes.TrimSpace(failed.Stderr), []byte("\n"))
		err = fmt.Errorf("%s %s: %w: %s", string(p), args[0], err, line)
	}
	return string(out), err
}

// A revision is the state of a notmuch database; a new one has another UUID.
type revision struct {
	messages int
	uuid     string
	number   uint64
}

func (p program) revision(ctx context.Context) (r revision, err error) {
	line, err := p.run(ctx, "", "count", "--exclude=false", "--lastmod", "*")
	if err != nil {
		return r, err
	}
	if n, err := fmt.Sscanf(line, "%d\t%s\t%d", &r.messages, &r.uuid, &r.number); n != 3 || err != nil {
		return r, fmt.Errorf("%s count --lastmod: cannot read %.100q", string(p), line)
	}
	return r, nil
}

// all returns a query for the messages that every query finds; "*" finds all.
func all(queries ...string) string {
	queries = slices.DeleteFunc(queries, func(q string) bool { return q == "*" })
	if len(queries) == 0 {
		return "*"
	}
	return "(" + strings.Join(queries, ") and (") + ")"
}

// search returns what a query finds: with "messages" their ids, with "files" their paths, of
// messages that notmuch hides from searches too, and always in the same order.
func (p program) search(ctx context.Context, what, query string, options ...string) (list []string, err error) {
	args := append([]string{"search", "--format=json", "--exclude=false", "--sort=oldest-first", "--output=" + what}, options...)
	found, err := p.run(ctx, "", append(args, "--", query)...)
	if err == nil {
		err = json.Unmarshal([]byte(found), &list)
	}
	return list, err
}

// paths adds the path of one file of each message that a query finds, unless something has changed since a revision.
func (p program) paths(ctx context.Context, query string, since revision, to map[string]string) error {
	ids, err := p.search(ctx, "messages", query)
	if err != nil {
		return err
	}
	files, err := p.search(ctx, "files", query, "--duplicate=1")
	if err != nil || len(files) != len(ids) {
		return err
	}
	if now, err := p.revision(ctx); err != nil || now != since {
		return err // one may have come and another gone
	}
	for i, id := range ids {
		to[id] = files[i]
	}
	return nil
}

// tags calls f with the tags of each message that a query finds, read at one moment.
func (p program) tags(ctx context.Context, query string, f func(id string, tags []string)) error {
	dump, err := p.run(ctx, "", "dump", "--include=tags", "--", query)
	for line := range strings.Lines(dump) {
		if id, tags, ok := parseLine(strings.TrimSuffix(line, "\n")); ok {
			f(id, tags)
		}
	}
	return err
}

// parseLine reads a line of a dump, "+tag +tag -- id:…", as notmuch-dump(1) describes it. Ids
// are quoted where they must be, with quotation marks doubled.
func parseLine(line string) (id string, tags []string, ok bool) {
	before, id, ok := strings.Cut(line, "-- id:")
	if !ok || strings.HasPrefix(line, "#") {
		return "", nil, false
	}
	if quoted, is := strings.CutPrefix(id, `"`); is {
		id = strings.ReplaceAll(strings.TrimSuffix(quoted, `"`), `""`, `"`)
	}
	for word := range strings.FieldsSeq(before) {
		tag, err := url.PathUnescape(strings.TrimPrefix(word, "+")) // %xx
		if err != nil {
			return "", nil, false
		}
		tags = append(tags, tag)
	}
	return id, tags, id != ""
}

// tag adds and removes tags of the messages that a query, in one line, finds.
func (p program) tag(ctx context.Context, add, remove []string, query string) error {
	var b strings.Builder
	for _, tag := range add {
		b.WriteString("+" + url.PathEscape(tag) + " ")
	}
	for _, tag := range remove {
		b.WriteString("-" + url.PathEscape(tag) + " ")
	}
	_, err := p.run(ctx, b.String()+"-- "+query+"\n", "tag", "--batch")
	return err
}

func quoted(prefix, value string) string {
	return prefix + `:"` + strings.ReplaceAll(value, `"`, `""`) + `"`
}

// Tags returns all tags, with the number of messages that have each.
func Tags(ctx context.Context) (messages map[string]int, err error) {
	messages = map[string]int{}
	err = program("notmuch").tags(ctx, "*", func(_ string, tags []string) {
		for _, tag := range tags {
			messages[tag]++
		}
	})
	return messages, err
}

// MarksUnread reports whether notmuch gives new mail the tag unread.
func MarksUnread(ctx context.Context) (bool, error) {
	tags, err := program("notmuch").run(ctx, "", "config", "get", "new.tags")
	return slices.Contains(strings.Split(tags, "\n"), "unread"), err
}

// Hook returns the path of the program that notmuch calls after indexing new mail.
func Hook(ctx context.Context) (string, error) {
	folder, err := program("notmuch").run(ctx, "", "config", "get", "database.hook_dir")
	return filepath.Join(strings.TrimSuffix(folder, "\n"), "post-new"), err
}

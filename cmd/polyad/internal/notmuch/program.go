// Package notmuch teaches a database of tags from a notmuch mail store, and tags its new
// messages. It calls the notmuch program and reads the files of messages; it changes only
// tags that the configuration names.
package notmuch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// program is a notmuch program, which finds its own configuration.
type program string

// run calls notmuch with arguments, and gives its standard output to read.
func (p program) run(ctx context.Context, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	cmd := exec.CommandContext(ctx, string(p), args...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("%s: no such program", string(p))
		}
		return err
	}
	failed := read(out)
	if failed != nil {
		_, _ = io.Copy(io.Discard, out)
	}
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return fmt.Errorf("%s %s: %w: %s", string(p), args[0], err, line)
	}
	return failed
}

// output returns what notmuch prints, without the last newline.
func (p program) output(ctx context.Context, stdin io.Reader, args ...string) (text string, err error) {
	err = p.run(ctx, stdin, func(r io.Reader) error {
		all, err := io.ReadAll(r)
		text = strings.TrimSuffix(string(all), "\n")
		return err
	}, args...)
	return text, err
}

// A revision is the state of a notmuch database. A new database counts from 0 again, with
// another UUID.
type revision struct {
	UUID   string `json:"uuid"`
	Number uint64 `json:"revision"`
}

// revision returns the revision of the last change.
func (p program) revision(ctx context.Context) (r revision, err error) {
	line, err := p.output(ctx, nil, "count", "--exclude=false", "--lastmod", "*")
	if err != nil {
		return r, err
	}
	fields := strings.Split(line, "\t")
	if len(fields) == 3 {
		r.UUID = fields[1]
		r.Number, err = strconv.ParseUint(fields[2], 10, 64)
	}
	if len(fields) != 3 || err != nil {
		return r, fmt.Errorf("%s count --lastmod: cannot read %.100q", string(p), line)
	}
	return r, nil
}

// messages returns the messages that a query finds, including messages that notmuch hides
// from searches, in the order of their ids. It reads them all before anything is changed,
// since a search fails if the database changes under it.
func (p program) messages(ctx context.Context, query string) (all []message, err error) {
	err = p.run(ctx, nil, func(r io.Reader) error {
		return parse(bufio.NewReader(r), func(m message) { all = append(all, m) })
	}, "show", "--format=json", "--body=false", "--entire-thread=false", "--exclude=false", "--", query)
	slices.SortFunc(all, func(a, b message) int { return strings.Compare(a.ID, b.ID) })
	return all, err
}

// A change is a change of the tags of a message.
type change struct {
	id          string
	add, remove []string
}

// line returns the change as a line for notmuch tag --batch: tags are encoded, quotation
// marks of the id are doubled.
func (c *change) line() string {
	var b strings.Builder
	for _, tag := range c.add {
		b.WriteString("+" + encode(tag) + " ")
	}
	for _, tag := range c.remove {
		b.WriteString("-" + encode(tag) + " ")
	}
	return b.String() + "-- " + idQuery(c.id) + "\n"
}

// idQuery returns a query for the message with this id.
func idQuery(id string) string { return `id:"` + strings.ReplaceAll(id, `"`, `""`) + `"` }

// encode writes all but letters, digits and some marks of a tag in hexadecimal.
func encode(tag string) string {
	var b strings.Builder
	for i := range len(tag) {
		c := tag[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.:/@=,", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// tag makes changes; each is atomic.
func (p program) tag(ctx context.Context, changes []change) error {
	if len(changes) == 0 {
		return nil
	}
	var b strings.Builder
	for i := range changes {
		b.WriteString(changes[i].line())
	}
	_, err := p.output(ctx, strings.NewReader(b.String()), "tag", "--batch")
	return err
}

// tags returns all tags, with the number of messages of each.
func (p program) tags(ctx context.Context) (names []string, messages []string, err error) {
	list, err := p.output(ctx, nil, "search", "--output=tags", "--exclude=false", "*")
	if err != nil || list == "" {
		return nil, nil, err
	}
	names = strings.Split(list, "\n")
	var queries strings.Builder
	for _, tag := range names {
		fmt.Fprintf(&queries, "tag:\"%s\"\n", strings.ReplaceAll(tag, `"`, `""`))
	}
	counts, err := p.output(ctx, strings.NewReader(queries.String()), "count", "--exclude=false", "--batch")
	if messages = strings.Split(counts, "\n"); err == nil && len(messages) != len(names) {
		err = fmt.Errorf("%s count --batch: %d counts of %d tags", string(p), len(messages), len(names))
	}
	return names, messages, err
}

// hooks returns the folder of notmuch's hooks.
func (p program) hooks(ctx context.Context) (string, error) {
	return p.output(ctx, nil, "config", "get", "database.hook_dir")
}

// since returns a query for the messages that have changed after a revision.
func since(r revision) string { return "lastmod:" + strconv.FormatUint(r.Number+1, 10) + ".." }

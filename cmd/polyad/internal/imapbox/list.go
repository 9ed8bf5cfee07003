package imapbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
)

// folder is the last listing of a folder.
type folder struct {
	status imap.StatusData
	list   []watching.Copy
	marked []imap.UID // messages with suggestions, unless it is the inbox
	marks  []imap.Flag
	dates  map[imap.UID]time.Time
}

// maxMessages is how many messages the listed folders may have together: of so many, which a server can make up in a
// line, the list takes a gigabyte.
const maxMessages = 4_000_000

// maxRanges is how many ranges of messages a command names: servers take lines of a certain length, Dovecot of 64 KiB.
const maxRanges = 500

// Folders returns the watched folders that the server has.
func (b *Box) Folders(ctx context.Context) (names []string, err error) {
	err = b.do(ctx, func(c *imapclient.Client) error {
		var o *imap.ListOptions
		if c.Caps().Has(imap.CapSpecialUse) && c.Caps().Has(imap.CapListExtended) {
			o = &imap.ListOptions{ReturnSpecialUse: true}
		}
		all, err := c.List("", "*", o).Collect()
		for _, f := range all {
			b.uses[f.Mailbox] = f.Attrs
		}
		for _, f := range all {
			name := f.Mailbox
			if strings.EqualFold(name, "INBOX") && b.inbox != "" && strings.EqualFold(b.inbox, name) {
				name = b.inbox
			}
			if !slices.Contains(f.Attrs, imap.MailboxAttrNoSelect) && (b.watched == nil || slices.Contains(b.watched, name) || b.settings.Others == nil && b.other(name)) {
				names = append(names, name)
			}
		}
		return err
	})
	b.there = names
	return names, err
}

// others are the uses of folders that are watched without a rule, if the settings name none, and
// the name of one where the server says of no folder that it is for that.
var others = map[imap.MailboxAttr]string{imap.MailboxAttrTrash: "Trash", imap.MailboxAttrArchive: "Archive"}

// other reports whether a folder has one of these uses.
func (b *Box) other(name string) bool {
	for use, usual := range others {
		has := func(uses []imap.MailboxAttr) bool { return slices.Contains(uses, use) }
		if has(b.uses[name]) || name == usual && !slices.ContainsFunc(slices.Collect(maps.Values(b.uses)), has) {
			return true
		}
	}
	return false
}

// uses are what folders are for that says nothing of what a message is about (RFC 6154).
var uses = []imap.MailboxAttr{imap.MailboxAttrAll, imap.MailboxAttrArchive, imap.MailboxAttrDrafts, imap.MailboxAttrFlagged,
	imap.MailboxAttrSent, imap.MailboxAttrTrash, imap.MailboxAttrImportant}

// Use reports whether the server says that a folder is for junk, or for another use that says
// nothing of what a message is about. Folders must have been called.
func (b *Box) Use(folder string) (junk, special bool) {
	return slices.Contains(b.uses[folder], imap.MailboxAttrJunk),
		slices.ContainsFunc(uses, func(use imap.MailboxAttr) bool { return slices.Contains(b.uses[folder], use) })
}

// List lists a folder, and fetches only changes since the last time.
func (b *Box) List(ctx context.Context, name string) (list []watching.Copy, err error) {
	if b.there != nil && !slices.Contains(b.there, name) {
		delete(b.folders, name)
		return nil, nil
	}
	err = b.do(ctx, func(c *imapclient.Client) error {
		now, err := c.Status(name, &imap.StatusOptions{
			NumMessages: true, UIDNext: true, UIDValidity: true, NumUnseen: true, HighestModSeq: c.Caps().Has(imap.CapCondStore),
		}).Wait()
		if err != nil {
			return err
		}
		old := b.folders[name]
		if old != nil && now.HighestModSeq != 0 && reflect.DeepEqual(&old.status, now) { // with CONDSTORE
			list = old.list
			return nil
		}
		if old == nil || old.status.UIDValidity != now.UIDValidity {
			old = &folder{dates: map[imap.UID]time.Time{}}
		}
		f, err := b.read(c, name, old)
		if err != nil {
			return err
		}
		f.status, b.folders[name] = *now, f
		list = f.list
		return nil
	})
	if _, no := errors.AsType[*imap.Error](err); no && b.client != nil { // else it refused the login
		err = fmt.Errorf("%w: %w", watching.ErrFolder, err)
	}
	return list, err
}

func (b *Box) read(c *imapclient.Client, name string, old *folder) (*folder, error) {
	b.selected = "" // its data may be out of date
	if err := b.open(c, name); err != nil {
		return nil, err
	}
	most := maxMessages
	for of, f := range b.folders {
		if of != name {
			most -= len(f.list)
		}
	}
	ignored := []imap.Flag{imap.FlagDeleted, imap.FlagDraft}
	all, failed := search(c, most, &imap.SearchCriteria{NotFlag: ignored})
	untouched, err := search(c, most, &imap.SearchCriteria{NotFlag: append(ignored, imap.FlagSeen, imap.FlagAnswered, imap.FlagFlagged)})
	if err = cmp.Or(failed, err); err != nil {
		return nil, err
	}
	unread := make(map[imap.UID]bool, len(untouched))
	for _, uid := range untouched {
		unread[uid] = true
	}
	f := &folder{dates: make(map[imap.UID]time.Time, len(all))}
	var unknown imap.UIDSet
	for _, uid := range all {
		if date, known := old.dates[uid]; known {
			f.dates[uid] = date
		} else if unread[uid] { // dates of read messages are not needed
			unknown.AddNum(uid)
		}
	}
	for part := range slices.Chunk(unknown, maxRanges) {
		dated, err := c.Fetch(part, &imap.FetchOptions{UID: true, InternalDate: true}).Collect()
		if err != nil {
			return nil, err
		}
		for _, m := range dated {
			f.dates[m.UID] = m.InternalDate
		}
	}
	for _, uid := range all {
		f.list = append(f.list, watching.Copy{Key: key(b.data.UIDValidity, uid), Read: !unread[uid], Delivered: f.dates[uid]})
	}
	for _, flag := range b.data.Flags {
		if name != b.inbox && strings.HasPrefix(strings.ToLower(string(flag)), strings.ToLower(suggestion)) {
			f.marks = append(f.marks, flag)
		}
	}
	if len(f.marks) > 0 {
		f.marked, err = search(c, most, &imap.SearchCriteria{Not: []imap.SearchCriteria{{NotFlag: f.marks}}})
	}
	return f, err
}

func search(c *imapclient.Client, most int, criteria *imap.SearchCriteria) (uids []imap.UID, err error) {
	var o *imap.SearchOptions
	if c.Caps().Has(imap.CapESearch) || c.Caps().Has(imap.CapIMAP4rev2) {
		o = &imap.SearchOptions{ReturnAll: true}
	}
	data, err := c.UIDSearch(criteria, o).Wait()
	if err != nil {
		return nil, err
	}
	set, _ := data.All.(imap.UIDSet)
	for _, r := range set {
		if r.Start == 0 || r.Stop < r.Start || len(uids)+int(r.Stop-r.Start) >= most {
			return nil, fmt.Errorf("the server lists more than %d messages, or %v", maxMessages, r)
		}
		for uid := r.Start; ; uid++ {
			if uids = append(uids, uid); uid == r.Stop {
				break
			}
		}
	}
	return uids, nil
}

// Wait waits until something has changed in the inbox, at most for this long.
func (b *Box) Wait(ctx context.Context, most time.Duration) error {
	var idle *imapclient.IdleCommand
	err := b.do(ctx, func(c *imapclient.Client) error {
		select {
		case <-b.events: // of before
		default:
		}
		b.selected = ""
		if err := b.open(c, b.inbox); err != nil || !c.Caps().Has(imap.CapIdle) {
			return err
		}
		if f := b.folders[b.inbox]; f == nil || f.status.UIDNext != b.data.UIDNext || f.status.NumMessages == nil || *f.status.NumMessages != b.data.NumMessages {
			b.event() // since it was looked at
		}
		var err error
		idle, err = c.Idle()
		return err
	})
	if err != nil {
		return err
	}
	client := b.client
	select {
	case <-b.events:
		time.Sleep(quiet)
	case <-time.After(most):
	case <-client.Closed():
	case <-ctx.Done():
	}
	if idle == nil {
		return ctx.Err()
	}
	return b.do(ctx, func(c *imapclient.Client) error {
		if c != client {
			return nil // the connection was lost meanwhile
		}
		if err := idle.Close(); err != nil {
			return err
		}
		return idle.Wait()
	})
}

// quiet is how long to wait for more changes.
const quiet = 100 * time.Millisecond

func (b *Box) event() {
	select {
	case b.events <- struct{}{}:
	default:
	}
}

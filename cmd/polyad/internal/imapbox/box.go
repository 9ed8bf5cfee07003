// Package imapbox is a mailbox on an IMAP server, reached over one connection: it watches the inbox
// by IDLE and the other folders by STATUS.
package imapbox

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
)

// A Box is a mailbox. It is a watching.Box for one goroutine. The next call replaces a connection
// that has failed.
type Box struct {
	settings *Settings
	inbox    string
	watched  []string           // folders to list; nil: all
	there    []string           // of these, when Folders was called last
	client   *imapclient.Client // nil without a connection
	answers  *answers           // of client
	selected string             // folder; "" for none
	data     *imap.SelectData   // of the selected folder
	folders  map[string]*folder
	uses     map[string][]imap.MailboxAttr
	events   chan struct{} // something has changed in the selected folder
}

// New returns a mailbox without a connection, of the watched folders and Settings.Others, or of all if that is nil.
func New(s *Settings, inbox string, watched []string) *Box {
	if watched != nil {
		watched = slices.Concat(watched, s.Others)
	}
	return &Box{settings: s, inbox: inbox, watched: watched, folders: map[string]*folder{}, uses: map[string][]imap.MailboxAttr{}, events: make(chan struct{}, 1)}
}

// commandTimeout is how long a server may take for one call.
const commandTimeout = 2 * time.Minute

// do calls f with a connection, which is closed if it fails, or if it takes too long. Errors are cut: a server
// may have written them.
func (b *Box) do(ctx context.Context, f func(*imapclient.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	err := b.connect(ctx)
	if err == nil {
		c, no := b.client, (*imap.Error)(nil)
		_ = b.answers.expect(0)
		defer context.AfterFunc(ctx, func() { c.Close() })()
		switch err = f(c); {
		case err == nil, errors.As(err, &no), errors.Is(err, watching.ErrGone), errors.Is(err, watching.ErrUnusable):
			return shown(err)
		}
	}
	b.Close()
	if _, is := errors.AsType[x509.UnknownAuthorityError](err); is {
		err = fmt.Errorf("%w; certificate-authority names the file of an authority that only you trust", err)
	}
	return fmt.Errorf("%s: %w", b.settings.address(), shown(cmp.Or(ctx.Err(), b.answers.expect(0), err)))
}

// shown wraps an error, and cuts its text.
func shown(err error) error {
	if err == nil || utf8.RuneCountInString(err.Error()) <= 300 {
		return err
	}
	return fmt.Errorf("%.300w …", err)
}

// Close closes the connection.
func (b *Box) Close() error {
	if b.client != nil {
		b.client.Close()
		b.client, b.selected = nil, ""
	}
	return nil
}

// open selects a folder, unless it is selected.
func (b *Box) open(c *imapclient.Client, name string) error {
	if b.selected == name {
		return nil
	}
	b.selected = ""
	data, err := c.Select(name, nil).Wait()
	if err == nil {
		b.selected, b.data = name, data
	}
	return err
}

// key returns the key of a message: the validity of its folder's UIDs, and its UID.
func key(validity uint32, uid imap.UID) string {
	return fmt.Sprintf("%d.%d", validity, uid)
}

// with is do with the UID of a message in a folder, which is selected.
func (b *Box) with(ctx context.Context, name, key string, f func(*imapclient.Client, imap.UIDSet) error) error {
	return b.do(ctx, func(c *imapclient.Client) error {
		if err := b.open(c, name); err != nil {
			return err
		}
		validity, uid, _ := strings.Cut(key, ".")
		n, err := strconv.ParseUint(uid, 10, 32)
		if err != nil || validity != strconv.FormatUint(uint64(b.data.UIDValidity), 10) {
			return watching.ErrGone
		}
		return f(c, imap.UIDSetNum(imap.UID(n)))
	})
}

// Read reads a message, and leaves it unread.
func (b *Box) Read(ctx context.Context, name, key string) (raw []byte, err error) {
	err = b.with(ctx, name, key, func(c *imapclient.Client, uid imap.UIDSet) (err error) {
		raw, err = b.body(c.Fetch(uid, &imap.FetchOptions{
			UID: true, BodySection: []*imap.FetchItemBodySection{{Peek: true, Partial: &imap.SectionPartial{Size: watching.MaxMessage + 1}}},
		}))
		return err
	})
	return raw, err
}

// body returns the message from a FETCH of one.
func (b *Box) body(cmd *imapclient.FetchCommand) (raw []byte, err error) {
	for m := cmd.Next(); m != nil; m = cmd.Next() {
		for item := m.Next(); item != nil; item = m.Next() {
			if section, ok := item.(imapclient.FetchItemDataBodySection); ok && section.Literal != nil && raw == nil && err == nil {
				_ = b.answers.expect(int(min(section.Literal.Size(), watching.MaxMessage+1)))
				raw, err = watching.ReadMessage(section.Literal)
			}
		}
	}
	if failed := cmd.Close(); failed != nil {
		return nil, failed
	}
	if raw == nil && err == nil {
		err = watching.ErrGone
	}
	return raw, err
}

// Move moves a message. Without MOVE it is copied, marked as deleted and, if it can be alone, expunged; where only
// that is refused, it is not left and tried again, which would make a copy each time.
func (b *Box) Move(ctx context.Context, from, key, to string) error {
	return b.with(ctx, from, key, func(c *imapclient.Client, uid imap.UIDSet) error {
		var there imap.NumSet
		if c.Caps().Has(imap.CapMove) || c.Caps().Has(imap.CapIMAP4rev2) {
			data, err := c.Move(uid, to).Wait()
			if err != nil {
				return refused(err)
			}
			there = data.DestUIDs
		} else {
			data, err := c.Copy(uid, to).Wait()
			if err != nil {
				return refused(err)
			}
			there = data.DestUIDs
			gone := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagDeleted}}
			err = c.Store(uid, gone, nil).Close()
			if err == nil && c.Caps().Has(imap.CapUIDPlus) {
				err = c.UIDExpunge(uid).Close()
			}
			if err != nil {
				return err
			}
		}
		if set, _ := there.(imap.UIDSet); len(set) == 0 && c.Caps().Has(imap.CapUIDPlus) {
			return watching.ErrGone // otherwise the server would have returned its new UID
		}
		return nil
	})
}

// Suggest sets the keywords of folders.
func (b *Box) Suggest(ctx context.Context, name, key string, folders []string) error {
	return b.with(ctx, name, key, func(c *imapclient.Client, uid imap.UIDSet) error {
		var flags []imap.Flag
		for _, folder := range folders {
			flags = append(flags, keyword(folder))
		}
		return refused(c.Store(uid, &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: flags}, nil).Close())
	})
}

// Unsuggest removes the keywords of folders from the messages of one, if the server allows that.
func (b *Box) Unsuggest(ctx context.Context, name string) error {
	f := b.folders[name]
	if f == nil || len(f.marked) == 0 {
		return nil
	}
	err := b.do(ctx, func(c *imapclient.Client) error {
		err := b.open(c, name)
		for part := range slices.Chunk(imap.UIDSetNum(f.marked...), maxRanges) {
			if err == nil {
				err = refused(c.Store(part, &imap.StoreFlags{Op: imap.StoreFlagsDel, Silent: true, Flags: f.marks}, nil).Close())
			}
		}
		return err
	})
	if err == nil || errors.Is(err, watching.ErrUnusable) || errors.Is(err, watching.ErrFolder) {
		f.marked, err = nil, nil
	}
	return err
}

// refused wraps an error by which the server refused a command on one message: because of the
// folder, or for good. Others are temporary.
func refused(err error) error {
	no, is := errors.AsType[*imap.Error](err)
	if !is {
		return err
	}
	switch no.Code {
	case imap.ResponseCodeInUse, imap.ResponseCodeUnavailable, imap.ResponseCodeServerBug:
		return err
	case imap.ResponseCodeTryCreate, imap.ResponseCodeNonExistent, imap.ResponseCodeNoPerm, imap.ResponseCodeOverQuota:
		return fmt.Errorf("%w: %w", watching.ErrFolder, err)
	}
	return fmt.Errorf("%w: %w", watching.ErrUnusable, err)
}

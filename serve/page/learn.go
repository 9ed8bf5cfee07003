package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/serve/backend"
)

// uploads are files that a person has sent, one after the other in a temporary file.
type uploads struct {
	File *os.File
	Path string // by which the file can be opened
	List []upload
}

// discard closes and removes the temporary file.
func (u *uploads) discard() {
	_ = u.File.Close()
	_ = os.Remove(u.Path)
}

// upload is one of them, with the name that the person's machine has for it.
type upload struct {
	Name string
	*io.SectionReader
}

// imported is how far learning from files has come.
type imported struct {
	Source string // the ledger's source of what it learns
	// Messages are those learned, Known those that were learned so before, and Left the files and
	// messages that were left out since they are none.
	Messages, Known, Left int
	LeftNames             []string // the first of Left

	Read  float64 // share of the files, 0 to 1
	Ended bool
	Err   error // why it has ended early, nil if it has not
}

const (
	// learners is the number of messages that are learned at a time, and share commits to disk.
	learners = 32
	// maxMessage is the length beyond which the rest of a message is not read: a small archive may
	// have a large one, which takes several times as much memory. It is more than mail servers accept.
	maxMessage = 16 << 20
	// namedLeft is how many names of files that were left out are kept.
	namedLeft = 5
	// longMessage is the length from which few are in memory: they are learned one at a time.
	longMessage = 1 << 20
	// maxFolders bounds the classes that one import makes: nobody has as many folders.
	maxFolders = 1000
	// maxInflated bounds what compressed files become, in bytes: more than a large mailbox.
	maxInflated = 64 << 30
	// maxList bounds the list of files in a .zip, in bytes: it takes four times as much memory.
	maxList = 64 << 20
	// maxName is how much of the name of a file is in the source of what it teaches.
	maxName = 100
	// keptImports is the number of imports that are remembered.
	keptImports = 5
)

var (
	errFolders  = unread(errors.New("it has more than a thousand folders"))
	errInflated = unread(errors.New("it is too large when it is inflated"))
	errList     = errors.New("it has too many files: make several archives")
)

// unread is the error of a file that cannot be read for a reason that lies in it.
func unread(err error) error { return fmt.Errorf("%w: %w", backend.ErrImport, err) }

type importing struct {
	admin       *Admin
	user, class string          // "" for the classes that files and folders say
	content     int64           // bytes of all messages
	room        int64           // bytes that may still be read: a sparse file of an archive may have any size
	made        map[string]bool // classes that may be learned
	learning    sync.WaitGroup  // of messages of the class now
	now         string
	slots       chan struct{}
	fail        context.CancelCauseFunc

	size     float64 // of the files
	imported         // guarded by Admin.importing
}

func (m *importing) update(f func(*imported)) {
	m.admin.importing.Lock()
	defer m.admin.importing.Unlock()
	f(&m.imported)
}

// importsOf returns the last imports into a user's database, the newest first.
func (d *Admin) importsOf(user string) (list []imported) {
	d.importing.Lock()
	defer d.importing.Unlock()
	for _, m := range d.imports {
		if m.user == user {
			list = append(list, m.imported)
		}
	}
	return list
}

// learn learns the messages of files in the background: as class or, if that is "", as the
// classes that folders of an archive and names of mailboxes say. Files are mailboxes (mbox),
// single messages (.eml, .emlx), and archives of these and of Maildirs (.zip, .tar, .tar.gz). It takes
// the files over unless it returns an error: backend.ErrImporting, or backend.ErrFolder if a class is missing.
func (d *Admin) learn(user, class string, files *uploads) error {
	m := &importing{admin: d, user: user, class: class, room: maxInflated, made: make(map[string]bool), slots: make(chan struct{}, learners)}
	for _, f := range files.List {
		if class == "" && single(f) {
			return backend.ErrFolder
		}
		m.size += float64(f.Size())
	}
	name := path.Base(files.List[0].Name)
	m.Source = "import " + strings.ToValidUTF8(name[:min(len(name), maxName)], "") + time.Now().Format(" 2006-01-02 15:04:05")
	d.importing.Lock()
	defer d.importing.Unlock()
	if len(d.imports) > 0 && !d.imports[0].Ended {
		return backend.ErrImporting
	}
	d.imports = append([]*importing{m}, d.imports[:min(len(d.imports), keptImports-1)]...)
	go m.run(files)
	return nil
}

func (m *importing) run(files *uploads) {
	var ctx context.Context
	ctx, m.fail = context.WithCancelCause(context.Background()) // the engine ends it when it closes
	defer m.fail(nil)
	defer files.discard()
	var err error
	for _, f := range files.List {
		if err = m.file(ctx, f); err != nil {
			break
		}
	}
	m.learning.Wait()
	m.update(func(i *imported) { i.Ended, i.Err = true, cmp.Or(context.Cause(ctx), err) })
}

// leave counts a file or message that is left out.
func (m *importing) leave(name string) {
	m.update(func(i *imported) {
		if i.Left++; i.Left <= namedLeft {
			i.LeftNames = append(i.LeftNames, name)
		}
	})
}

// learn learns a file of messages as a class: a folder for spam as what answers are about.
func (m *importing) learn(ctx context.Context, file, class string, r io.Reader) error {
	if m.class == "" && corpus.IsJunk(class) && slices.Contains(m.admin.Configured(), "spam") {
		class = "spam"
	}
	if !m.made[class] {
		if len(m.made) == maxFolders {
			return errFolders
		}
		if err := m.admin.Make(ctx, m.user, class, m.class == ""); errors.Is(err, backend.ErrClassName) {
			m.leave(file)
			return nil
		} else if err != nil {
			return err
		}
		m.made[class] = true
	}
	in := &io.LimitedReader{R: r, N: m.room}
	o := corpus.Options{Stdin: in, StdinPath: file, Several: true, MaxBytes: maxMessage}
	if is(file, ".eml") {
		o.Format = corpus.Mail
	}
	var stop error
	err := corpus.Walk(ctx, file, o, func(d *corpus.Document) error {
		if m.content += int64(len(d.Content)); m.content > maxInflated {
			stop = errInflated
		} else if d.Format != corpus.Mail || len(d.Content) == 0 {
			m.leave(d.Path)
		} else {
			stop = m.message(ctx, d, class)
		}
		return stop
	})
	if m.room = in.N; m.room == 0 && stop == nil {
		return errInflated
	}
	if err != nil && stop == nil && ctx.Err() == nil {
		m.leave(file) // it is no file of messages
	}
	return stop
}

// message learns a message, beside others of its class unless it is long. A message that is in
// several folders is of the last one.
func (m *importing) message(ctx context.Context, d *corpus.Document, class string) error {
	if m.now != class {
		m.learning.Wait()
		m.now = class
	}
	r := backend.Request{User: m.user, Message: d.Content, Cut: d.Cut, Source: m.Source}
	if len(r.Message) >= longMessage {
		return m.teach(ctx, r, class)
	}
	r.Message = bytes.Clone(r.Message)
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	m.learning.Go(func() {
		defer func() { <-m.slots }()
		if err := m.teach(ctx, r, class); err != nil {
			m.fail(err)
		}
	})
	return nil
}

// teach learns a message as soon as there is a place for it.
func (m *importing) teach(ctx context.Context, r backend.Request, class string) error {
	for {
		outcome, err := m.admin.Engine.Learn(ctx, r, class)
		switch {
		case errors.Is(err, backend.ErrBusy) && ctx.Err() == nil:
			time.Sleep(50 * time.Millisecond)
		case err != nil:
			return err
		case outcome == backend.Unchanged:
			m.update(func(i *imported) { i.Known++ })
			return nil
		default:
			m.update(func(i *imported) { i.Messages++ })
			return nil
		}
	}
}

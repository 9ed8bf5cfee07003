package page

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/web"
)

const (
	// maxUpload is the number of bytes that may be sent at a time: more than most mailboxes.
	// 'polya train' learns from larger ones.
	maxUpload = 4 << 30
	// maxFiles is the number of files among them: nobody drops as many messages.
	maxFiles = 100_000
	// maxText is the size of all other fields of such a form, with their names.
	maxText = 64 << 10
	// uploadPause is how long the other side may send nothing, and how long a mebibyte may take that is sent to it or,
	// beyond a minute, comes from it: as by an old telephone line.
	uploadPause = time.Minute
	// mostBackups is the number of backups that are sent at a time, each from a file of its size: one that goes slowly
	// blocks no other.
	mostBackups = 4
)

var errBackup = backend.Failure{Code: http.StatusServiceUnavailable, Text: "Other backups are being downloaded: try again when one is done."}

// noRoom says where a full disk is, for people who may teach. Bbolt gives some errors as text alone.
func noRoom(err error) error {
	full := func(e error) bool { return errors.Is(err, e) || strings.Contains(err.Error(), e.Error()) }
	if full(syscall.ENOSPC) || full(syscall.EDQUOT) {
		return noTemporary(err)
	}
	return err
}

func noTemporary(err error) error {
	text := "There is no room on the machine of the daemon: for the database, or for temporary files in " + os.TempDir() + " (TMPDIR names another folder)."
	return fmt.Errorf("%w: %w", backend.Failure{Code: http.StatusInsufficientStorage, Text: text}, err)
}

// bring is the data of the screen on which mailboxes and backups are brought.
type bring struct {
	Imports []imported
	Learned bool // there is something to back up, and nothing can be restored
}

func (p *page) bring(v *visit) (err error) {
	b := new(bring)
	v.Screen, v.Title, v.Body = "import", "Import", b
	if v.posted() {
		files := v.form.sent
		switch {
		case v.form.Get("do") == "restore":
			err = p.Admin.restore(v, v.User, files)
			v.Status = &status{Text: "The backup is restored."}
		case len(files.List) == 0:
			err = backend.Failure{Code: http.StatusBadRequest, Text: "No file was chosen."}
		default:
			if err = p.Admin.learn(v.User, v.form.Get("class"), files); err == nil {
				v.form.sent, v.Next = nil, v.URL("/import") // they are its own now
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
	h, err := p.Admin.Statistics(v, v.User)
	b.Imports, b.Learned = p.Admin.importsOf(v.User), h.Documents > 0
	for _, m := range b.Imports {
		v.Poll = v.Poll || !m.Ended
	}
	return err
}

// Failure says why an import has ended early, without what only the log should have.
func (*bring) Failure(err error) string {
	if errors.Is(err, backend.ErrImport) {
		return err.Error()
	}
	return web.FailureOf(err).Text
}

// patient lets a body take as long as it goes on, and is not slower than a mebibyte in uploadPause.
type patient struct {
	io.ReadCloser
	control *http.ResponseController
	start   time.Time
	read    int64
}

func (b *patient) Read(to []byte) (int, error) {
	now, slowest := time.Now(), b.start.Add(uploadPause+uploadPause*time.Duration(b.read>>10)/1024)
	if deadline := now.Add(uploadPause); deadline.Before(slowest) {
		slowest = deadline
	}
	_ = b.control.SetReadDeadline(slowest)
	_ = b.control.SetWriteDeadline(now.Add(2 * uploadPause)) // for the reply
	n, err := b.ReadCloser.Read(to)
	b.read += int64(n)
	return n, err
}

// receive reads a form with files, which it keeps in a temporary file. One is received at a time.
func (p *page) receive(w http.ResponseWriter, r *http.Request) (f *form, err error) {
	if !p.Admin.receiving.TryLock() {
		return nil, backend.ErrImporting
	}
	defer p.Admin.receiving.Unlock()
	r.Body = &patient{ReadCloser: r.Body, control: http.NewResponseController(w), start: time.Now()}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, errForm
	}
	file, err := os.CreateTemp("", "polya-upload-") // of mode 0600
	if err != nil {
		return nil, noTemporary(err)
	}
	path := fmt.Sprintf("/proc/self/fd/%d", file.Fd()) // where a system has that, nothing is left if the process is killed
	if _, err := os.Stat(path); err != nil || os.Remove(file.Name()) != nil {
		path = file.Name()
	}
	f = &form{Values: url.Values{}, sent: &uploads{File: file, Path: path}}
	if err = f.receive(parts); err != nil {
		f.discard()
		return nil, noRoom(err)
	}
	return f, nil
}

// receive reads the parts of a form, of which files go into the temporary file. The error is that of this file,
// backend.ErrSize or errForm.
func (f *form) receive(parts *multipart.Reader) error {
	for at, text := int64(0), int64(maxText); ; {
		part, err := parts.NextPart()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return errForm
		case part.FormName() != "file":
			content, err := io.ReadAll(io.LimitReader(part, text))
			if text -= int64(len(part.FormName())+len(content)) + 1; text < 0 {
				return backend.ErrSize
			}
			if err != nil {
				return errForm
			}
			f.Add(part.FormName(), string(content))
		case part.FileName() != "":
			n, err := io.Copy(f.sent.File, io.LimitReader(part, maxUpload-at))
			switch {
			case at+n == maxUpload, len(f.sent.List) == maxFiles:
				return backend.ErrSize
			case errors.As(err, new(*os.PathError)):
				return err
			case err != nil:
				return errForm
			}
			f.sent.List = append(f.sent.List, upload{Name: part.FileName(), SectionReader: io.NewSectionReader(f.sent.File, at, n)})
			at += n
		}
	}
}

// discard removes what was received, unless somebody has taken it over.
func (f *form) discard() {
	if f != nil && f.sent != nil {
		f.sent.discard()
	}
}

package corpus

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
)

// Inbox is the class of the messages in a Maildir++ itself, beside its folders: their
// name in IMAP.
const Inbox = "INBOX"

// Folders calls fn for each document below the folders of dir; each folder is a class
// with the folder's name. The name takes precedence over a class in a JSON line. Files
// beside the class folders belong to no class and are not read; hidden folders and links
// to folders are skipped as Walk skips them. A class folder without documents is an error
// that does not stop the walk.
//
// If dir has mailboxes, files that are an mbox by their name or place or folders of mail
// programs (.sbd, .mbox, or with an index of Thunderbird), and no others, each is of its FileClass.
//
// If dir is a Maildir, the Maildir++ folders in it are the classes, named as a mail
// program shows them (".Work.R&AOk-sultats" is "Work.Résultats"), and its own messages
// are of class Inbox. Empty folders are no error there: a Maildir has many.
// Options.Exclude leaves some out, and Maildirs and mailboxes that are IsSpecial are no classes.
func Folders(ctx context.Context, dir string, o Options, fn func(*Document) error) error {
	w := newWalker(ctx, o, fn)
	leave, err := w.enter(dir)
	if err != nil {
		return w.result(err)
	}
	defer leave()
	entries, err := readSorted(dir)
	if err != nil {
		return w.result(err)
	}
	inMaildir := o.readsMaildir(dir)
	if !inMaildir && !holdsMailboxes(dir, entries) {
		return w.result(w.classFolders(dir, entries))
	}
	before := beforeNames(dir)
	w.classOf = func(file string) string {
		name := filepath.ToSlash(strings.TrimPrefix(file, before))
		if inMaildir { // folders in folders, as some servers keep them, have the names of Maildir++
			name = strings.ReplaceAll(path.Dir(path.Dir(name)), "/", ".") + "/cur/-"
		}
		lost := !inMaildir && path.Ext(name) == "" && w.begins(file) // the index of this mailbox of Thunderbird
		return FileClass(name, lost || w.mailboxes && isMailbox(file))
	}
	w.o.Subfolders, w.classes = true, true // each is asked for, as a class
	return w.result(w.path(dir))
}

// holdsMailboxes reports whether a folder has mailboxes, and no other folders but of settings, as Google
// Takeout: a few files of JSON.
func holdsMailboxes(dir string, entries []fs.DirEntry) (some bool) {
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		found := isMailbox(path) || e.IsDir() && MailboxName(e.Name()) != e.Name() || e.Type().IsRegular() && Named(path) == Mbox
		if e.IsDir() && !found && e.Name()[0] != '.' {
			if inner, _ := readSorted(path); len(inner) > 16 || slices.ContainsFunc(inner, func(e fs.DirEntry) bool { return !isJSON(e.Name()) }) {
				return false
			}
		}
		some = some || found
	}
	return some
}

func (w *walker) classFolders(dir string, entries []fs.DirEntry) error {
	classes, nested, linked, special := 0, 0, 0, 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type()&fs.ModeSymlink != 0 && e.Name()[0] != '.' {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				linked++
			}
		}
		class := e.Name()
		if !e.IsDir() || w.inside(plain, path, true) == nowhere {
			continue
		}
		if IsSpecial(FolderName(class)) && w.o.readsMaildir(path) {
			special++
			continue
		}
		classes++
		if inner, err := readSorted(path); err == nil && !isMaildir(path) && !slices.ContainsFunc(inner, func(e fs.DirEntry) bool { return !e.IsDir() }) {
			nested++
		}
		if class[0] == '.' { // a Maildir++ folder outside of its Maildir
			class = FolderName(class)
		}
		w.classOf, w.within = func(string) string { return class }, false
		if err := w.goOn(w.path(path)); err != nil {
			return err
		}
	}
	w.o.remark(dir, LinkedFolders, linked)
	w.o.remark(dir, LeftSpecial, special)
	if classes == 0 {
		return fmt.Errorf("%s: no class folders: put the documents of each class into a folder with its name", dir)
	}
	if nested == classes {
		w.o.remark(dir, Nested, classes)
	}
	return nil
}

// FileClass returns the class of a file by its path, with slashes, in an archive or in a folder of mailboxes: the
// names of the mailboxes around it and its own, as Trips.Italy for Trips.sbd/Italy, where INBOX around others and
// Gmail's around Spam do not count; or the name of its folder. It is "" where there is none, and of what mail programs
// keep beside messages. indexed says that Thunderbird's index of a mailbox (.msf) is beside the file, or its folder.
func FileClass(file string, indexed bool) string {
	dir, name := path.Split(path.Clean("/" + file))
	folder, apple, names := path.Base(dir), false, []string(nil)
	maildir := folder == "cur" || folder == "new"
	if maildir {
		dir, folder = path.Split(path.Dir(path.Clean(dir)))
	}
	for part := range strings.SplitSeq(dir, "/") {
		if mailbox := MailboxName(part); mailbox != part {
			apple, names = !strings.HasSuffix(part, ".sbd"), append(names, mailbox)
		}
	}
	switch {
	case maildir && (folder == "" || strings.EqualFold(folder, "maildir")):
		return Inbox
	case maildir:
		names = append(names, FolderName(folder))
	case apple && !strings.Contains(dir, "/Attachments/") && (Named(name) == Mbox || strings.Contains(path.Ext(name), ".eml")): // the mailbox is a folder
	case !apple && (indexed || Named(name) == Mbox):
		names = append(names, MailboxName(name))
	case names == nil && folder != "/" && folder != "tmp" && !isJSON(name):
		return FolderName(folder)
	default:
		return ""
	}
	if len(names) > 1 && (strings.EqualFold(names[0], Inbox) || strings.HasPrefix(names[0], "[G") && IsJunk(names[1])) {
		names = names[1:]
	}
	return strings.Join(names, ".")
}

// IsJunk reports whether a folder, perhaps one in INBOX, where some servers keep all others, has a name that mail
// programs give to the one for spam.
func IsJunk(name string) bool {
	return slices.Contains([]string{"spam", "junk", "junk e-mail", "junk email", "junk mail", "bulk mail"}, strings.TrimPrefix(strings.ToLower(name), "inbox."))
}

// special are names of folders that IsSpecial knows, by language: Unsure is that of docs/procmail.md.
var special = []string{
	"[gmail]", "[google mail]", "archive", "archives", "all mail", "deleted", "deleted items", "deleted messages", "drafts", "outbox", "sent", "sent items", "sent mail", "sent messages", "sent-mail", "templates", "trash", "unsent messages", "unsure",
	"archiv", "entwürfe", "gelöscht", "gelöschte elemente", "gelöschte objekte", "gesendet", "gesendete elemente", "gesendete objekte", "papierkorb", "postausgang", "vorlagen",
	"boîte d'envoi", "brouillons", "corbeille", "éléments envoyés", "éléments supprimés", "envoyés", "messages envoyés", "modèles", "objets envoyés",
	"archivo", "bandeja de salida", "borradores", "elementos eliminados", "elementos enviados", "enviados", "papelera", "plantillas",
	"archivio", "bozze", "cestino", "inviata", "inviati", "posta eliminata", "posta in uscita", "posta inviata", "arquivo", "caixa de saída", "itens enviados", "itens excluídos", "lixeira", "rascunhos",
	"archief", "concepten", "postvak uit", "prullenbak", "verwijderde items", "verzonden", "verzonden items", "arkiv", "kladder", "papirkurv", "papperskorgen", "sendt post", "skickat", "utkast",
	"archiwum", "kosz", "szkice", "wersje robocze", "wysłane", "koncepty", "koš", "odeslaná pošta", "архив", "корзина", "отправленные", "удаленные", "черновики",
	"アーカイブ", "ゴミ箱", "下書き", "削除済みアイテム", "送信済み", "送信済みアイテム", "已删除", "已删除邮件", "已发送", "已发送邮件", "草稿", "草稿箱",
}

// IsSpecial reports whether a folder, or the one around it as in "Sent.2025", has a name of those that say who
// wrote a message or what became of it, not what it is about. It may be in INBOX, as "INBOX.Sent". "[Gmail].Spam" is not.
func IsSpecial(name string) bool {
	outer, inner, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(name), "inbox."), ".")
	return slices.Contains(special, outer) && !IsJunk(inner)
}

// folderEncoding is the base64 of folder names in IMAP (RFC 3501, 5.1.3).
var folderEncoding = base64.NewEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,").
	WithPadding(base64.NoPadding)

// FolderName returns the name that a mail program shows for a Maildir++ folder or a plain
// one: ".Work.R&AOk-sultats" is "Work.Résultats". It reads IMAP's modified UTF-7; a name that is
// not is kept: newer servers write UTF-8.
func FolderName(folder string) string {
	name := strings.TrimPrefix(folder, ".")
	var b strings.Builder
	for rest := name; ; {
		literal, after, found := strings.Cut(rest, "&")
		b.WriteString(literal)
		if !found {
			return b.String()
		}
		coded, after, found := strings.Cut(after, "-")
		text, err := folderEncoding.DecodeString(coded)
		// The decoder skips line breaks, and would decode "&\n-" to nothing.
		if !found || err != nil || len(text)%2 != 0 || strings.ContainsAny(coded, "\r\n") {
			return name
		}
		if coded == "" {
			b.WriteByte('&')
		}
		units := make([]uint16, 0, len(text)/2)
		for i := 0; i < len(text); i += 2 {
			units = append(units, binary.BigEndian.Uint16(text[i:]))
		}
		b.WriteString(string(utf16.Decode(units)))
		rest = after
	}
}

package corpus

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
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
// If dir has mailboxes, files that are an mbox by their name or place, and no folders but
// those of mail programs (.sbd, .mbox), each is of the class MailboxName.
//
// If dir is a Maildir, the Maildir++ folders in it are the classes, named as a mail
// program shows them (".Work.R&AOk-sultats" is "Work.Résultats"), and its own messages
// are of class Inbox. Empty folders are no error there: a Maildir has many.
// Options.Exclude leaves some out, and folders and mailboxes that are IsSpecial are no classes.
func Folders(ctx context.Context, dir string, o Options, fn func(*Document) error) error {
	w := newWalker(ctx, o, fn)
	leave, err := w.enter(dir)
	if err != nil {
		return w.result(err)
	}
	defer leave()
	if o.readsMaildir(dir) {
		w.o.Subfolders, w.classes = true, true // each is asked for, as a class
		w.classOf = func(path string) string { return maildirClass(dir, path) }
		return w.result(w.path(dir))
	}
	return w.result(w.classFolders(dir))
}

// classFolders reads each folder in dir as a class.
func (w *walker) classFolders(dir string) error {
	entries, err := readSorted(dir)
	if err != nil {
		return err
	}
	onlyMailboxes := !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.IsDir() && e.Name()[0] != '.' && MailboxName(e.Name()) == e.Name()
	})
	classes, nested, linked, special := 0, 0, 0, 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type()&fs.ModeSymlink != 0 && e.Name()[0] != '.' {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				linked++
			}
		}
		class, mailbox := e.Name(), false
		if onlyMailboxes {
			class = MailboxName(class)
			mailbox = e.Type().IsRegular() && class[0] != '.' && (Named(path) == Mbox || isMailbox(path))
		}
		if !mailbox && !e.IsDir() || excluded(w.o.Exclude, class) || e.IsDir() && w.inside(plain, path, true) == nowhere {
			continue // each folder is asked for, as a class
		}
		if onlyMailboxes && IsSpecial(class) {
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

// maildirClass returns the class of a message at path in the Maildir at root.
func maildirClass(root, path string) string {
	rel, err := filepath.Rel(root, path)
	folder, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	if err != nil || folder == "cur" || folder == "new" {
		return Inbox
	}
	return FolderName(folder)
}

// IsJunk reports whether a folder has a name that mail programs give to the one for spam.
func IsJunk(name string) bool {
	return slices.Contains([]string{"spam", "junk", "junk e-mail", "junk email", "junk mail", "bulk mail"}, strings.ToLower(name))
}

// special are names of folders that IsSpecial knows, by language: Unsure is that of docs/procmail.md.
var special = []string{
	"archive", "archives", "all mail", "deleted", "deleted items", "deleted messages", "drafts", "outbox", "sent", "sent items", "sent mail", "sent messages", "sent-mail", "templates", "trash", "unsent messages", "unsure",
	"archiv", "entwürfe", "gelöscht", "gelöschte elemente", "gelöschte objekte", "gesendet", "gesendete elemente", "gesendete objekte", "papierkorb", "postausgang", "vorlagen",
	"boîte d'envoi", "brouillons", "corbeille", "éléments envoyés", "éléments supprimés", "envoyés", "messages envoyés", "modèles", "objets envoyés",
	"archivo", "bandeja de salida", "borradores", "elementos eliminados", "elementos enviados", "enviados", "papelera", "plantillas",
	"archivio", "bozze", "cestino", "inviata", "inviati", "posta eliminata", "posta in uscita", "posta inviata", "arquivo", "caixa de saída", "itens enviados", "itens excluídos", "lixeira", "rascunhos",
	"archief", "concepten", "postvak uit", "prullenbak", "verwijderde items", "verzonden", "verzonden items", "arkiv", "kladder", "papirkurv", "papperskorgen", "sendt post", "skickat", "utkast",
	"archiwum", "kosz", "szkice", "wersje robocze", "wysłane", "koncepty", "koš", "odeslaná pošta", "архив", "корзина", "отправленные", "удаленные", "черновики",
	"アーカイブ", "ゴミ箱", "下書き", "削除済みアイテム", "送信済み", "送信済みアイテム", "已删除", "已删除邮件", "已发送", "已发送邮件", "草稿", "草稿箱",
}

// IsSpecial reports whether a folder, or the one around it as in "Sent.2025", has a name of those
// that say who wrote a message or what became of it, not what it is about.
func IsSpecial(name string) bool {
	outer, _, _ := strings.Cut(strings.ToLower(name), ".")
	return slices.Contains(special, outer)
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

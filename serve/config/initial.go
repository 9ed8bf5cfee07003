package config

import (
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/polya-classifier/polya/internal/newfile"
	"github.com/polya-classifier/polya/internal/settings"
)

// Initial returns the configuration to begin with in a file: the Template, with a listener for the page and its
// token. Below /etc it names the folders of a service, elsewhere all is beside the file.
func Initial(file string) []byte {
	state, sockets := "", "./"
	if path, err := filepath.Abs(file); err == nil && strings.HasPrefix(path, "/etc/") {
		state, sockets = "/var/lib/polya/", "/run/polya/"
	}
	return []byte(strings.NewReplacer(
		"\npath = \"/var/lib/polya/", "\npath = \""+state,
		"#token-file = \"/var/lib/polya/", "token-file = \""+state,
		"\naddress = \"/run/polya/", "\naddress = \""+sockets,
		"#[[http]]\n#address = ", "[[http]]\naddress = ",
	).Replace(string(Template)))
}

// MakeToken makes the file of the token that c names, unless it is there, and returns the address at which
// its owner signs in to the page, "" if no token is named or the page has no address for a browser.
func (c *Config) MakeToken() (link string, err error) {
	file := c.Learning.TokenFile
	if file == "" {
		return "", nil
	}
	if c.Token == "" {
		c.Token = rand.Text()
		if err := writeToken(file, c.Token); err != nil {
			return "", err
		}
	}
	for _, h := range c.HTTP {
		if network, address := h.Where(); network == "tcp" {
			return "http://" + address + "/sign-in#" + c.Token, nil
		}
	}
	return "", nil
}

// Page returns the configuration of a daemon that serves only the page, at an address of this
// machine, for a database in which each class answers by itself. tokenFile is made unless it is
// there. Paths are absolute. The link is where its owner signs in.
func Page(database, address, tokenFile string) (c *Config, link string, err error) {
	c = defaults()
	c.Database.Path, c.Database.Spam, c.Database.Classes = database, []string{}, nil
	c.Decisions.Message, c.Learning.TokenFile, c.Log.Level = shownMessage, tokenFile, slog.LevelWarn
	c.HTTP = []Listener{{Address: address}}
	k, err := settings.Parse(address, "", "", &struct{}{})
	if c, err = checked(c, k, err); err != nil {
		return nil, "", err
	}
	link, err = c.MakeToken()
	return c, link, err
}

// shownMessage is how much of a message the page keeps to show it.
const shownMessage = 32 << 10

// writeToken makes the file of a token, for the owner of its folder.
func writeToken(path, token string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	f, err := newfile.Create(path, ".new-")
	if err != nil {
		return err
	}
	defer f.Discard()
	f.LikeFolder()
	if _, err := f.WriteString(token + "\n"); err != nil {
		return err
	}
	return f.Link()
}

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk"
	_ "github.com/goreleaser/nfpm/v2/arch"
	_ "github.com/goreleaser/nfpm/v2/deb"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// pack writes the package in a format that the file of its name describes, beside the folder
// called FOLDER in that file.
func pack(r release, format, folder, name string) error {
	file := "packaging/" + name + ".yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	missing := ""
	description := os.Expand(string(text), func(name string) string {
		value := os.Getenv(name)
		if name == "FOLDER" {
			value = folder
		}
		if value == "" {
			missing = name
		}
		return value
	})
	if missing != "" {
		return fmt.Errorf("%s asks for %s, which is empty", file, missing)
	}
	config, err := nfpm.Parse(strings.NewReader(description))
	if err != nil {
		return err
	}
	info, err := config.Get(format)
	if err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	info.MTime = r.time
	info = nfpm.WithDefaults(info)
	path := filepath.Join(filepath.Dir(folder), packager.ConventionalFileName(info))
	info.Target = path
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := packager.Package(info, f); err != nil {
		return err
	}
	return f.Close()
}

const repository = "https://github.com/polya-classifier/polya/blob/main/"

// link matches a relative link of a page, without what follows a #.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)[)#]`)

// pages writes README, the list of changes and docs below the folder, with links that lead to
// what is there, or else to the repository.
func pages(folder string) error {
	files := []string{"README.md", "CHANGELOG.md", "SECURITY.md"}
	err := filepath.WalkDir("docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(name, ".md") {
			text = link.ReplaceAllFunc(text, func(m []byte) []byte {
				target, end := string(m[2:len(m)-1]), string(m[len(m)-1:])
				to := path.Join(path.Dir(name), target)
				if to == "README.md" || to == "CHANGELOG.md" || to == "SECURITY.md" || strings.HasPrefix(to, "docs/") {
					return m
				}
				return []byte("](" + repository + to + end)
			})
		}
		if err := write(filepath.Join(folder, "doc", name), text); err != nil {
			return err
		}
	}
	return nil
}

// changelog is that of Debian, which says where the list of changes is.
func changelog(r release, name string) []byte {
	return zipped(fmt.Appendf(nil, "%s (%s) unstable; urgency=medium\n\n  * CHANGELOG.md of polya says what has changed.\n\n -- The authors of polya <authors@polya.invalid>  %s\n", name, r.version, r.time.Format(time.RFC1123Z)))
}

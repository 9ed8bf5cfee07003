package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

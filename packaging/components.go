package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
)

// component is a part of the program: a module, or Go's own library.
type component struct {
	path    string // as in an import
	version string // as Go writes it
	license string // by its SPDX name
	text    string // of the licence
}

// components returns the components of a program: polya, then Go's library, then modules in
// the order of the program's list.
func components(r release, build *debug.BuildInfo) ([]component, error) {
	env, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return nil, err
	}
	goRoot, modules, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	folders := []string{".", goRoot}
	parts := []component{{path: build.Main.Path, version: "v" + r.version}, {path: "std", version: strings.TrimPrefix(build.GoVersion, "go")}}
	for _, m := range build.Deps {
		if m.Replace != nil && strings.HasPrefix(build.Main.Path, m.Path+"/") {
			continue // a module of this repository, as the program is
		}
		if m.Replace != nil {
			return nil, fmt.Errorf("module %s is replaced by %s", m.Path, m.Replace.Path)
		}
		parts = append(parts, component{path: m.Path, version: m.Version})
		folders = append(folders, filepath.Join(modules, capital.ReplaceAllStringFunc(m.Path+"@"+m.Version, func(letter string) string { return "!" + strings.ToLower(letter) })))
	}
	for i := range parts {
		if err := parts[i].readLicense(folders[i]); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// capital matches what the cache of modules writes as an exclamation mark and a small letter.
var capital = regexp.MustCompile("[A-Z]")

// readLicense reads the licence in the folder of a module. A notice is appended.
func (c *component) readLicense(folder string) error {
	for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			c.text += strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) + "\n"
		}
	}
	for _, known := range licenses {
		if known.phrase.MatchString(c.text) {
			c.license = known.name
			return nil
		}
	}
	return fmt.Errorf("%s: the licence of %s is missing or not known; name it in licenses if polya may be shipped with it", folder, c.path)
}

// licenses are the permitted licences, each with words that no licence before it has.
var licenses = []struct {
	name   string
	phrase *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`Apache License\s+Version 2\.0`)},
	{"CC0-1.0", regexp.MustCompile(`CC0 1\.0 Universal`)},
	{"MIT", regexp.MustCompile(`Permission is hereby granted, free of charge`)},
	{"BSD-3-Clause", regexp.MustCompile(`(?s)Redistribution and use in source and binary forms.*Neither the name`)},
	{"BSD-2-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms`)},
}

// holders matches the lines of a licence that name the copyright holders.
var holders = regexp.MustCompile(`(?m)^\s*(Copyright (?:\(c\) |©|\d).*?)\s*$`)

// apache matches the text of a licence that each Debian has.
var apache = regexp.MustCompile(`(?s)Apache License\s+Version 2\.0, January 2004.*?additional\s+liability\.\n(\s*END OF TERMS AND CONDITIONS\n(\s*APPENDIX.*?limitations under the License\.\n)?)?`)

// copyright returns the file of that name in Debian's format (copyright-format 1.0), with
// the whole text of each licence but, in Debian, of the Apache License.
func copyright(parts []component, debian bool) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: polya\nSource: https://%s\n", parts[0].path)
	for i, c := range parts {
		if debian {
			c.text = apache.ReplaceAllString(c.text, "The text of the licence is in /usr/share/common-licenses/Apache-2.0.\n")
		}
		files, who := c.path+"@"+c.version, []string{}
		if i == 0 {
			files, who = "*", []string{"The authors of polya"}
		}
		for _, m := range holders.FindAllStringSubmatch(c.text, -1) {
			who = append(who, m[1])
		}
		if len(who) == 0 {
			who = []string{"The authors of " + c.path}
		}
		fmt.Fprintf(&b, "\nFiles: %s\nCopyright: %s\nLicense: %s\n", files, strings.Join(who, "\n           "), c.license)
		for line := range strings.Lines(c.text) {
			if line = strings.TrimRight(line, " \n"); line == "" {
				line = "."
			}
			fmt.Fprintf(&b, " %s\n", line)
		}
	}
	return b.Bytes()
}

// materials lists the components of the programs, in CycloneDX 1.6
// (https://cyclonedx.org/docs/1.6/json/), with their digests.
func materials(r release, programs []string, parts []component) ([]byte, error) {
	type object = map[string]any
	files := []object{}
	for _, program := range programs {
		content, err := os.ReadFile(program)
		if err != nil {
			return nil, err
		}
		digest := sha256.Sum256(content)
		files = append(files, object{"type": "file", "name": filepath.Base(program),
			"hashes": []object{{"alg": "SHA-256", "content": hex.EncodeToString(digest[:])}}})
	}
	main, needed := object{}, []string{}
	libraries := []object{}
	for i, c := range parts {
		url := "pkg:golang/" + c.path + "@" + c.version
		o := object{"type": "library", "bom-ref": url, "name": c.path, "version": c.version, "purl": url,
			"licenses": []object{{"license": object{"id": c.license}}}}
		if i == 0 {
			o["type"] = "application"
			o["components"] = files
			main = o
			continue
		}
		libraries = append(libraries, o)
		needed = append(needed, url)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(object{
		"$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata":     object{"timestamp": r.time.Format(time.RFC3339), "component": main},
		"components":   libraries,
		"dependencies": []object{{"ref": main["bom-ref"], "dependsOn": needed}},
	})
	return b.Bytes(), err
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

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

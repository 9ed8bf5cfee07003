//go:build generated

package api

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// generator is the program that makes a client from openapi.json, at a fixed version.
const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

// asking is a program of somebody who uses the generated client.
const asking = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"example.org/client/api"
)

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	token := api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	})
	c, err := api.NewClientWithResponses("http://"+os.Args[1], token)
	check(err)
	for i := range 20 {
		for class, word := range map[string]string{"spam": "casino", "ham": "minutes"} {
			text := fmt.Sprintf("Subject: %s %d\n\n%s of number %d\n", word, i, word, i)
			learned, err := c.TrainWithBodyWithResponse(ctx, &api.TrainParams{Class: class}, "message/rfc822", strings.NewReader(text))
			check(err)
			if learned.JSON200 == nil || learned.JSON200.Outcome != api.Learned {
				check(fmt.Errorf("train: %s", learned.Body))
			}
		}
	}
	answer, err := c.ClassifyWithBodyWithResponse(ctx, nil, "message/rfc822", strings.NewReader("Subject: casino\n\ncasino\n"))
	check(err)
	if answer.JSON200 == nil || answer.JSON200.Class != "spam" {
		check(fmt.Errorf("classify: %s", answer.Body))
	}
	held, err := c.StatisticsWithResponse(ctx, nil)
	check(err)
	if held.JSON200 == nil || held.JSON200.Documents != 40 {
		check(fmt.Errorf("statistics: %s", held.Body))
	}
}
`

// A client that a common generator makes of openapi.json compiles, teaches and asks.
func TestGeneratedClient(t *testing.T) {
	s := start(t, Options{})
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		c := exec.Command("go", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	write := func(file string, text []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("openapi.json", OpenAPI)
	run("mod", "init", "example.org/client")
	if err := os.Mkdir(filepath.Join(dir, "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	run("run", generator, "-generate", "types,client", "-package", "api", "-o", "api/api.go", "openapi.json")
	write("main.go", []byte(asking))
	run("mod", "tidy")
	run("run", ".", s.tcp, token)
}

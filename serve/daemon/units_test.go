//go:build unix

package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// What docs/systemd has is right, and fits together.
func TestUnits(t *testing.T) {
	t.Parallel()
	const page = "../../docs/systemd/"
	c, err := config.Load(page + "polya.toml")
	if err != nil {
		t.Fatal(err)
	}
	servetest.Need(t, "systemd-analyze")
	dir := t.TempDir()
	for _, name := range []string{"polyad", "polya-fleet"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var units []string
	for name, listener := range map[string]string{"polya.service": "", "polya-spool.service": "", "polya-fleet.service": "", "polya.socket": c.Spamd[0].Address, "polya-milter.socket": c.Milter[0].Address} {
		text := servetest.Page(t, page+name)
		if listener != "" && !strings.Contains(text, "\nFileDescriptorName="+strings.TrimPrefix(listener, "systemd:")+"\n") {
			t.Errorf("%s is not for %s", name, listener)
		}
		servetest.Write(t, filepath.Join(dir, name), strings.ReplaceAll(text, "/usr/bin/polya", dir+"/polya"))
		units = append(units, filepath.Join(dir, name))
	}
	if said := servetest.Run(t, "systemd-analyze", append([]string{"verify", "--man=no"}, units...)...); strings.Contains(said, "polya") {
		t.Errorf("systemd-analyze verify: %s", said)
	}
	for _, unit := range units {
		if strings.HasSuffix(unit, ".service") {
			servetest.Run(t, "systemd-analyze", "security", "--offline=true", "--threshold=15", unit)
		}
	}
}

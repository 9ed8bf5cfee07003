package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T, dir, text string) (*Config, error) {
	t.Helper()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

const (
	whole = "name = \"a\"\nnodes = [\"a\"]\nserve = \"polya.toml\"\n"
	one   = "[server]\nlisten = \"127.0.0.1:4222\"\n"
)

// What is wrong is said with its key.
func TestWrongFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for file, mode := range map[string]os.FileMode{"open": 0o644, "short": 0o600, "token": 0o600} {
		text := "0123456789abcdef0123"
		if file == "short" {
			text = "x"
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "f: name: want one of nodes|f: serve: want|f: want server.listen, or nats.urls"},
		{whole + "sevre = 1\n" + one, "f: there is no key sevre .did you mean \"serve\"?."},
		{whole, "want server.listen, or nats.urls"},
		{strings.Replace(whole, `["a"]`, `["a", "a", "b c"]`, 1) + one, `f: nodes: "a" is there twice|f: nodes: "b c": want`},
		{whole + "wait = \"2m\"\n" + one, "f: wait: want a second to a minute"},
		{whole + "fleet = \"a.b\"\nsnapshot = 1\nwait = \"1ms\"\n" + one, "f: fleet: |f: snapshot: want at least 100|f: wait: want"},
		{whole + one + "sync = \"often\"\n", "f: server.sync: want"},
		{whole + "[server]\nlisten = \"x\"\n", "f: server.listen: "},
		{whole + "[server]\nlisten = \"0.0.0.0:4222\"\n", "f: server.listen: other machines reach 0.0.0.0:4222: if that is meant"},
		{whole + "[server]\nlisten = \"10.0.0.1:4222\"\nremote = true\n", "f: server.listen: other machines reach 10.0.0.1:4222: want access.token-file"},
		{whole + one + "cluster = \"127.0.0.1:6222\"\n", "f: server.cluster: a fleet of one"},
		{strings.Replace(whole, `["a"]`, `["a", "b"]`, 1) + one, "f: server.cluster: |f: server.routes: want"},
		{strings.Replace(whole, `["a"]`, `["a", "b"]`, 1) + one + "cluster = \"127.0.0.1:6222\"\nroutes = [\"x\"]\n", `f: server.routes: "x"`},
		{whole + "[nats]\nurls = [\"nats://h:1\"]\nreplicas = 6\n", "f: nats.replicas: want 1 to 5"},
		{whole + one + "[nats]\nreplicas = 1\n", "f: nats.replicas: want 1 to 5, of servers that are elsewhere"},
		{whole + one + "[access]\ntoken-file = \"open\"\n", "f: access.token-file: everybody may read"},
		{whole + one + "[access]\ntoken-file = \"short\"\n", "f: access.token-file: .* want one word of at least 16"},
		{whole + one + "[access]\ntls-key = \"token\"\n", "f: access.tls-certificate: want certificate, key and authority"},
	} {
		_, err := load(t, dir, c.text)
		if err == nil {
			t.Errorf("%q is taken", c.text)
			continue
		}
		got := strings.ReplaceAll(err.Error(), dir+"/", "")
		for _, want := range strings.Split(c.want, "|") {
			if ok, bad := regexp.MatchString(strings.NewReplacer("?", `\?`, "[", `\[`).Replace(want), got); !ok || bad != nil {
				t.Errorf("%q: %s, want %q", c.text, got, want)
			}
		}
	}
	if c, err := load(t, dir, whole+"[server]\nlisten = \"10.0.0.1:4222\"\nremote = true\n[access]\ntoken-file = \"token\"\n"); err != nil || c.Token == "" {
		t.Errorf("%+v, %v", c, err)
	}
}

// The file to begin with is right, and says of each key what its default is.
func TestTemplate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := load(t, dir, string(Template))
	if err != nil {
		t.Fatal(err)
	}
	if c.Replicas() != 3 || c.URLs()[0] != "nats://127.0.0.1:4222" || c.Serve != filepath.Join(dir, "polya.toml") {
		t.Errorf("%+v", c)
	}
	all := regexp.MustCompile(`(?m)^#([a-z]+ = )`).ReplaceAllString(string(Template), "$1")
	all = regexp.MustCompile(`(?m)^(urls|replicas = 3  ).*\n`).ReplaceAllString(all, "")
	same, err := load(t, dir, all)
	if err != nil {
		t.Fatal(err)
	}
	if same.Fleet != c.Fleet || same.Snapshot != c.Snapshot || same.Wait != c.Wait || same.Server.Store != c.Server.Store || same.Server.Sync != c.Server.Sync || same.Server.Remote {
		t.Errorf("defaults are %+v, the file says %+v", c, same)
	}
	elsewhere, err := load(t, dir, whole+"[nats]\nurls = [\"nats://h:1\", \"nats://i:1\"]\n")
	if err != nil || len(elsewhere.URLs()) != 2 || elsewhere.Server.Listen != "" {
		t.Errorf("%+v, %v", elsewhere, err)
	}
	for listen, want := range map[string]string{"0.0.0.0:4": "nats://127.0.0.1:4", "[::1]:4": "nats://[::1]:4", ":4": "nats://127.0.0.1:4"} {
		if got := (&Config{Server: Server{Listen: listen}}).URLs()[0]; got != want {
			t.Errorf("%s: %s", listen, got)
		}
	}
}

// What a fleet does not share is refused.
func TestDaemon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for more, want := range map[string]string{
		"": "", "[users]\npath = \"u/%u\"\n": "users.path: want an ending behind %u", "[users]\npath = \"u/%u.polya\"\n": "", "[auto]\nenabled = true\n": "",
	} {
		more = "[database]\npath = \"x\"\n" + more
		path := filepath.Join(dir, "polya.toml")
		if err := os.WriteFile(path, []byte(more+"[[http]]\naddress = \"/x\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := (&Config{Serve: path}).Daemon()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", more, err)
		}
	}
}

// Certificate, key and authority are read.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{{127, 0, 0, 1}}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{"node.pem": {Type: "CERTIFICATE", Bytes: der}, "node.key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := load(t, dir, whole+one+"[access]\ntls-certificate = \"node.pem\"\ntls-key = \"node.key\"\ntls-authority = \"node.pem\"\n")
	if err != nil || c.TLS == nil {
		t.Fatalf("%v", err)
	}
	if _, err := load(t, dir, whole+one+"[access]\ntls-certificate = \"node.pem\"\ntls-key = \"node.key\"\ntls-authority = \"node.key\"\n"); err == nil {
		t.Error("an authority without a certificate is taken")
	}
}

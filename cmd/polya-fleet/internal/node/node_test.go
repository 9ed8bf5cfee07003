package node

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	random "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/snapshot"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// fleetOf is a fleet whose nodes run in this process.
type fleetOf struct {
	t      *testing.T
	config *config.Config
	conn   *nats.Conn
	log    *stream.Log
	dir    string
}

// free returns an address that the system gives to nobody who asks for any.
func free(t *testing.T) string {
	t.Helper()
	for try := 0; ; try++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+random.IntN(12_000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
		if try > 1000 {
			t.Fatal(err)
		}
	}
}

// configure writes the files of a node below dir, and reads them.
func configure(t *testing.T, dir, name, text string) *config.Config {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"polya.toml": fmt.Sprintf("[database]\npath = \"mail.polya\"\n[users]\npath = \"users/%%u.polya\"\nmax-open = 1\n[[http]]\naddress = %q\n", filepath.Join(dir, name, "http")),
		"fleet.toml": fmt.Sprintf("name = %q\nserve = \"polya.toml\"\nsnapshot = 100\nwait = \"1s\"\n%s", name, text),
	} {
		if err := os.WriteFile(filepath.Join(dir, name, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(filepath.Join(dir, name, "fleet.toml"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// short makes a folder in which the path of a socket is short.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "node")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// runNode runs a node until stop is called, or the test ends.
func runNode(t *testing.T, c *config.Config) (stop func()) {
	t.Helper()
	return runLogged(t, c, new(syncBuffer), nil)
}

func runLogged(t *testing.T, c *config.Config, log *syncBuffer, reload <-chan os.Signal) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, c, "of a test", log, reload) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("node %s: %v", c.Name, err)
		}
		if t.Failed() {
			t.Logf("node %s:\n%s", c.Name, log.String())
		}
	})
	t.Cleanup(stop)
	return stop
}

type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// connect returns the fleet as a command sees it.
func connect(t *testing.T, dir string, c *config.Config) *fleetOf {
	t.Helper()
	conn, err := stream.Connect(c, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	l, err := stream.New(c, conn)
	if err != nil {
		t.Fatal(err)
	}
	return &fleetOf{t, c, conn, l, dir}
}

// until waits until the nodes are as want says, and returns what they say.
func (f *fleetOf) until(what string, want func([]Report) bool) []Report {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var all []Report
		err := nats.ErrConnectionClosed
		if f.conn.IsConnected() {
			ctx, cancel := context.WithTimeout(f.t.Context(), time.Second)
			all, err = Ask(ctx, f.config, f.conn)
			cancel()
			if err == nil && want(all) {
				return all
			}
		}
		if time.Now().After(end) {
			f.t.Fatalf("%s: %v, %+v", what, err, all)
		}
	}
}

// wait waits for something else.
func (f *fleetOf) wait(what string, want func() bool) {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); !want(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			f.t.Fatal(what)
		}
	}
}

func are(state State) func([]Report) bool {
	return func(all []Report) bool {
		for _, r := range all {
			if r.State != state {
				return false
			}
		}
		return true
	}
}

func (f *fleetOf) seed(name string) {
	f.t.Helper()
	f.until("a node without a log", func(all []Report) bool { return all[0].State == NoLog || all[0].State == LostLog })
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	if err := Seed(ctx, f.config, f.conn, name); err != nil {
		f.t.Fatal(err)
	}
}

// publish puts an entry of the shared database into the log.
func (f *fleetOf) publish(data []byte) uint64 {
	f.t.Helper()
	return f.publishOf("", data)
}

// publishOf puts an entry of a user's database into the log.
func (f *fleetOf) publishOf(user string, data []byte) uint64 {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	position, err := f.log.Publish(ctx, &stream.Entry{ID: rand.Text(), User: user, Data: data})
	if err != nil {
		f.t.Fatal(err)
	}
	return position
}

// delta is the wire form of a Delta that learns one document.
func delta(t *testing.T, n int) []byte {
	t.Helper()
	var d store.Delta
	doc := count.Document{Class: []string{"ham", "spam"}[n%2], Terms: []count.TermCount{{Term: fmt.Appendf(nil, "w%d", n), N: 1}}}
	copy(doc.ID[:], fmt.Sprintf("%016d", n))
	if err := d.Add(doc); err != nil {
		t.Fatal(err)
	}
	data, err := d.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// alone is a fleet of one node.
func alone(t *testing.T, more string) (f *fleetOf, c *config.Config, stop func()) {
	t.Helper()
	dir := short(t)
	c = configure(t, dir, "a", "nodes = [\"a\"]\n[server]\nlisten = \""+free(t)+"\"\n"+more)
	stop = runNode(t, c)
	return connect(t, dir, c), c, stop
}

// A configuration that a fleet cannot share is refused when it is read anew, too: the node goes on
// with what it had.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := short(t)
	c := configure(t, dir, "a", "nodes = [\"a\"]\n[server]\nlisten = \""+free(t)+"\"\n")
	var log syncBuffer
	reload := make(chan os.Signal)
	runLogged(t, c, &log, reload)
	f := connect(t, dir, c)
	f.seed("a")
	text, err := os.ReadFile(c.Serve)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.Serve, []byte(strings.Replace(string(text), "%u.polya", "%u", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	reload <- os.Interrupt
	f.wait("the configuration is not refused", func() bool { return strings.Contains(log.String(), "users.path: want an ending") })
	f.publish(delta(t, 1))
	f.until("the node does not go on", func(all []Report) bool { return are(Following)(all) && all[0].Documents == 1 })
}

// What is no Delta is passed over; what a later version wrote is not, and nothing behind it.
func TestForeignEntries(t *testing.T) {
	t.Parallel()
	f, _, _ := alone(t, "")
	f.seed("a")
	f.publish([]byte("x"))
	f.publish(nil)
	bad := delta(t, 1)
	bad[len(bad)-1]++
	f.publish(bad)
	f.publish(delta(t, 1))
	last := f.publish(delta(t, 2))
	f.until("the Deltas", func(all []Report) bool {
		return all[0].Documents == 2 && all[0].Position == last && all[0].State == Following
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if h, err := Verify(ctx, f.config, f.conn); err != nil || len(h) != 1 || len(h[0].Dump) != 64 || h[0].Position != last+1 || h[0].Error != "" {
		t.Errorf("Verify: %+v, %v", h, err)
	}
	later := delta(t, 3)
	later[4]++
	f.publish(later)
	f.publish(delta(t, 4))
	all := f.until("a later version", are(Failing))
	if all[0].Documents != 2 || all[0].Position != last+1 || !strings.Contains(all[0].Error, fmt.Sprintf("position %d ", last+2)) {
		t.Errorf("%+v", all[0])
	}
}

// Snapshots lie beside the log, which keeps what has come since the last but one. A node whose
// database is lost begins with the last. A log that was made anew elsewhere is not followed.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	f, c, stop := alone(t, "")
	f.seed("a")
	n := 0
	teach := func() {
		for range 150 {
			f.publish(delta(t, n))
			n++
		}
	}
	teach()
	f.wait("no snapshot", func() bool {
		i, err := snapshot.Latest(t.Context(), f.log)
		return err == nil && i != nil && i.Position >= 100
	})
	teach()
	f.wait("the log keeps all", func() bool {
		s, err := f.log.State(t.Context())
		return err == nil && s.First > 1
	})
	f.until("Deltas", func(all []Report) bool { return all[0].Documents == uint64(n) })
	stop()
	if err := os.Remove(filepath.Join(f.dir, "a", "mail.polya")); err != nil {
		t.Fatal(err)
	}
	runNode(t, c)
	f.until("a fetched database", func(all []Report) bool { return all[0].Documents == uint64(n) && all[0].State == Following })
	// Somebody makes the log anew, with other entries at the same positions.
	if err := f.log.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.log.Make(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	f.publish(delta(t, 1000))
	all := f.until("another log", are(LostLog))
	if all[0].Documents != uint64(n) {
		t.Errorf("%+v", all[0])
	}
	f.seed("a")
	f.publish(delta(t, 1001))
	f.until("a log made anew", func(all []Report) bool { return all[0].Documents == uint64(n)+1 && all[0].State == Following })
}

// Snapshots that were replaced take no room: beside the log lies one, and as long as another is
// made that.
func TestRoomOfSnapshots(t *testing.T) {
	t.Parallel()
	dir := short(t)
	c := configure(t, dir, "a", "nodes = [\"a\"]\n[server]\nlisten = \""+free(t)+"\"\n")
	c.Snapshot = 10
	stop := runNode(t, c)
	f := connect(t, dir, c)
	f.seed("a")
	n, last := 0, uint64(0)
	for range 4 {
		for range 12 {
			f.publish(large(t, n))
			n++
		}
		f.wait("no snapshot", func() bool {
			i, err := snapshot.Latest(t.Context(), f.log)
			if err != nil || i == nil || i.Position <= last || i.Position+10 <= uint64(n) {
				return false
			}
			last = i.Position
			return true
		})
	}
	stop()
	room := int64(0)
	if err := filepath.WalkDir(c.Server.Store, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "OBJ_") {
			return err
		}
		info, err := d.Info()
		room += info.Size()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(f.dir, "a", "mail.polya"))
	if err != nil {
		t.Fatal(err)
	}
	if room == 0 || room > 3*info.Size() {
		t.Errorf("snapshots take %d bytes, the database %d", room, info.Size())
	}
}

// large is the wire form of a Delta that learns a document of many terms, all new.
func large(t *testing.T, n int) []byte {
	t.Helper()
	doc := count.Document{Class: []string{"ham", "spam"}[n%2]}
	for k := range 800 {
		doc.Terms = append(doc.Terms, count.TermCount{Term: fmt.Appendf(nil, "w%d-%d", n, k), N: 1})
	}
	copy(doc.ID[:], fmt.Sprintf("%016d", n))
	var d store.Delta
	if err := d.Add(doc); err != nil {
		t.Fatal(err)
	}
	data, err := d.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A log that has lost its end is not followed, nor when it has another since.
func TestEndOfTheLogIsLost(t *testing.T) {
	t.Parallel()
	f, c, stop := alone(t, "")
	f.seed("a")
	teach := func(from, to int) {
		for n := from; n < to; n++ {
			f.publish(delta(t, n))
		}
	}
	teach(0, 5)
	f.until("five Deltas", func(all []Report) bool { return all[0].Documents == 5 })
	stop()
	if err := os.CopyFS(c.Server.Store+".old", os.DirFS(c.Server.Store)); err != nil {
		t.Fatal(err)
	}
	stop = runNode(t, c)
	f.until("the node again", are(Following))
	teach(5, 10)
	f.until("ten Deltas", func(all []Report) bool { return all[0].Documents == 10 })
	stop()
	if err := errors.Join(os.RemoveAll(c.Server.Store), os.Rename(c.Server.Store+".old", c.Server.Store)); err != nil {
		t.Fatal(err)
	}
	stop = runNode(t, c)
	f.until("a log that ends before", are(LostLog))
	stop()
	s, err := server.Start(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	teach(20, 30)
	s.Close()
	runNode(t, c)
	all := f.until("a log with another end", are(LostLog))
	if all[0].Documents != 10 || !strings.Contains(all[0].Error, "something else") {
		t.Errorf("%+v", all[0])
	}
	f.seed("a")
	teach(30, 31)
	f.until("the log made anew", func(all []Report) bool { return all[0].Documents == 11 && all[0].State == Following })
}

// trained makes a database that follows no log.
func trained(t *testing.T, path string, documents int) {
	t.Helper()
	c, err := classify.Open(path, classify.Options{Fitting: classify.FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	for n := range documents {
		if _, err := c.Train(t.Context(), "ham", c.Document([]byte(fmt.Sprintf("text %d of %s", n, path)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// Nodes share a server that is elsewhere. The log begins with one of their databases, and the
// other is kept.
func TestServerElsewhere(t *testing.T) {
	t.Parallel()
	dir := short(t)
	listen := free(t)
	s, err := server.Start(&config.Config{Name: "s", Server: config.Server{Listen: listen, Store: filepath.Join(dir, "js")}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if got := s.Sync(); got != "always" {
		t.Errorf("sync %s", got)
	}
	text := "nodes = [\"a\", \"b\"]\n[nats]\nreplicas = 1\nurls = [\"nats://" + listen + "\"]\n"
	a, b := configure(t, dir, "a", text), configure(t, dir, "b", text)
	trained(t, filepath.Join(dir, "a", "mail.polya"), 5)
	trained(t, filepath.Join(dir, "b", "mail.polya"), 3)
	runNode(t, a)
	runNode(t, b)
	f := connect(t, dir, a)
	f.until("two nodes", are(NoLog))
	f.seed("a")
	f.publish(delta(t, 1))
	all := f.until("the same database", func(all []Report) bool { return are(Following)(all) && all[0].Documents == 6 && all[1].Documents == 6 })
	if all[0].Sync != "not known" {
		t.Errorf("%+v", all[0])
	}
	if kept, err := store.Open(filepath.Join(dir, "b", "mail.polya.replaced"), store.Options{ReadOnly: true}); err != nil {
		t.Error(err)
	} else {
		kept.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if h, err := Verify(ctx, f.config, f.conn); err != nil || len(h) != 2 || h[0].Dump != h[1].Dump {
		t.Errorf("%+v, %v", h, err)
	}
}

// Who has no token, or no certificate, is refused.
func TestAccess(t *testing.T) {
	t.Parallel()
	dir := short(t)
	for file, text := range map[string]string{"token": "0123456789abcdef", "other": "fedcba9876543210"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	certificate(t, dir, "node")
	certificate(t, dir, "stranger")
	listen := free(t)
	access := func(name, token, file string) *config.Config {
		text := "nodes = [\"" + name + "\"]\n[server]\nlisten = \"" + listen + "\"\n[access]\n"
		if token != "" {
			text += "token-file = \"../" + token + "\"\n"
		}
		if file != "" {
			text += fmt.Sprintf("tls-certificate = \"../%s.pem\"\ntls-key = \"../%s.key\"\ntls-authority = \"../node.pem\"\n", file, file)
		}
		return configure(t, dir, name, text)
	}
	c := access("a", "token", "node")
	runNode(t, c)
	f := connect(t, dir, c)
	f.seed("a")
	for _, who := range []*config.Config{access("x", "", "node"), access("y", "other", "node"), access("z", "token", ""), access("w", "token", "stranger")} {
		conn, err := stream.Connect(who, "test", nil)
		if err != nil {
			continue
		}
		for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if conn.IsConnected() {
				t.Errorf("%s is let in", who.Name)
				break
			}
		}
		if err := stream.Away(conn); who.Name == "y" && (err == nil || !strings.Contains(err.Error(), "refuse the token")) {
			t.Errorf("who has another token hears %v", err)
		}
		conn.Close()
	}
}

// certificate makes a certificate that signs itself.
func certificate(t *testing.T, dir, name string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for end, block := range map[string]*pem.Block{".pem": {Type: "CERTIFICATE", Bytes: der}, ".key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, name+end), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

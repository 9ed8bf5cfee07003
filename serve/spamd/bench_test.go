package spamd

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// BenchmarkCheck is what the protocol costs for a message of 4 KB on a unix socket, client
// and server together.
func BenchmarkCheck(b *testing.B) {
	address := servetest.Serve(b, "unix", New(gate.Options{Backend: &servetest.Backend{}}).Serve)
	message := "Subject: x\r\n\r\n" + strings.Repeat("cherry\r\n", 512)
	request := fmt.Sprintf("CHECK SPAMC/1.5\r\nUser: alice\r\nContent-length: %d\r\n\r\n%s", len(message), message)
	for b.Loop() {
		c, err := net.Dial("unix", address)
		if err != nil {
			b.Fatal(err)
		}
		io.WriteString(c, request)
		c.(*net.UnixConn).CloseWrite()
		if reply, err := io.ReadAll(c); err != nil || len(reply) == 0 {
			b.Fatalf("%q, %v", reply, err)
		}
		c.Close()
	}
}

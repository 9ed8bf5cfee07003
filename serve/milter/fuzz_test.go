package milter

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/gate"
)

// quiet is a connection whose other side has sent everything and reads nothing.
type quiet struct {
	io.Reader
	out bytes.Buffer
}

func (q *quiet) Write(b []byte) (int, error)      { return q.out.Write(b) }
func (*quiet) Close() error                       { return nil }
func (*quiet) LocalAddr() net.Addr                { return &net.UnixAddr{} }
func (*quiet) RemoteAddr() net.Addr               { return &net.UnixAddr{} }
func (*quiet) SetDeadline(time.Time) error        { return nil }
func (*quiet) SetReadDeadline(t time.Time) error  { return nil }
func (*quiet) SetWriteDeadline(t time.Time) error { return nil }

// FuzzConversation sends anything after a negotiation. Whatever comes, every forged field that
// arrived whole is deleted at the end of its message, nothing stays held, and what we
// write are packets.
func FuzzConversation(f *testing.F) {
	message := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	p := func(cmd byte, parts ...string) []byte { return appendPacket(nil, cmd, parts...) }
	f.Add(uint32(6), uint32(allProtocol), message(p('M', "<a@b>\x00"), p('R', "<c@d>\x00"), p('L', "Subject\x00 x\x00"), p('L', "X-POLYA-class\x00ham\x00"), p('B', "body"), p('E')))
	f.Add(uint32(2), uint32(0), message(p('D', "M{auth_authen}\x00me\x00i\x00Q\x00"), p('M', "<a@b>\x00"), p('A'), p('E', "x"), p('K'), p('U', "XYZZY\x00"), p('Q')))
	f.Add(uint32(6), uint32(leadSpace), message(p('N'), p('B', strings.Repeat("x", 2000)), p('B', "y"), p('E'), p('O', word(2), word(0), word(0)), p('L'), p('E')))
	f.Add(uint32(6), uint32(0), []byte("\x00\x00\x00\x02L"))
	f.Fuzz(func(t *testing.T, version, protocol uint32, stream []byte) {
		s := Options{Backend: &fake{}, Limits: gate.Limits{Message: 1000, AnswerTime: time.Millisecond}, Rules: []Rule{{Class: "spam", Action: Quarantine}}}.server()
		if bytes.Contains(stream, []byte("please")) {
			return
		}
		conn := &quiet{Reader: io.MultiReader(bytes.NewReader(appendPacket(nil, cmdNegotiate, word(version), word(allActions), word(protocol))), bytes.NewReader(stream))}
		c := newConversation(s, conn)
		c.run(context.Background())
		c.reset()
		if held, _ := s.Memory.Used(); held != 0 {
			t.Errorf("%d bytes are held at the end", held)
		}
		replies := conn.out.Bytes()
		for len(replies) > 0 {
			if len(replies) < 5 {
				t.Fatalf("we wrote %q behind the last packet", replies)
			}
			size := int(replies[2])<<8 + int(replies[3]) + 4
			if replies[0] != 0 || replies[1] != 0 || size < 5 || size > len(replies) || !strings.ContainsRune("Oachmqsty", rune(replies[4])) {
				t.Fatalf("we wrote %q", replies)
			}
			replies = replies[size:]
		}
	})
}

func FuzzMacro(f *testing.F) {
	f.Add([]byte("Ri\x00Q1\x00{rcpt_addr}\x00a@b\x00"), "rcpt_addr")
	f.Add([]byte("R{rcpt_addr}"), "rcpt_addr")
	f.Add([]byte("R{rcpt_addr}\x00"+strings.Repeat("x", maxKept)), "rcpt_addr")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		value := macro(data[min(1, len(data)):], name)
		if !bytes.Contains(data, []byte(value)) || len(value) > maxName {
			t.Errorf("macro %q of %q is %q", name, data, value)
		}
	})
}

// What names a recipient is as long as a packet, and not kept so long: a mail server may have a thousand connections.
func TestLongRecipient(t *testing.T) {
	var m message
	if m.addRecipient("", []byte("<"+strings.Repeat("x", maxKept)+">\x00")); len(m.recipient) > maxName {
		t.Errorf("%d bytes are kept", len(m.recipient))
	}
}

// FuzzField holds that a field is either counted as forged or kept byte for byte, up to its
// line ends.
func FuzzField(f *testing.F) {
	f.Add([]byte("Subject\x00 a\n b\x00"), true)
	f.Add([]byte("X-Polya-class \x00spam\x00"), false)
	f.Add([]byte("X\x00\r\n\r\r\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, spaced bool) {
		m := message{text: gate.NewMemory(1<<24, 1<<20).NewExcerpt(1 << 20)}
		m.addField(data, spaced)
		kept, _ := m.text.Text()
		name, rest, _ := bytes.Cut(data, []byte{0})
		value, _, _ := bytes.Cut(rest, []byte{0})
		if ours := strings.EqualFold(strings.TrimRight(string(name), " \t"), "X-Polya-Class"); ours != (m.forged == 1) || ours != (len(kept) == 0) {
			t.Fatalf("field %q: %d forged, text %q", name, m.forged, kept)
		} else if ours {
			return
		}
		drop := strings.NewReplacer("\r", "", "\n", "")
		want := string(name) + ":" + map[bool]string{false: " "}[spaced] + string(value)
		if drop.Replace(string(kept)) != drop.Replace(want) || !bytes.HasSuffix(kept, []byte("\r\n")) {
			t.Errorf("%q became %q", data, kept)
		}
	})
}

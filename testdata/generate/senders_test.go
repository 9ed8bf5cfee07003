package generate

import (
	"fmt"
	"strings"
)

// address is a name and a mailbox.
type address struct{ name, local, domain string }

func (a address) mailbox() string { return a.local + "@" + a.domain }

// brands are the senders that are no persons. All of them are made up and live
// below the top level domains that RFC 2606 sets aside.
var brands = map[string][]address{
	"newsletter": {
		{"The Quiet Garden", "letter", "quietgarden.example"}, {"Byte & Leaf", "digest", "byteandleaf.example"},
		{"Papierboot", "brief", "papierboot.example"}, {"Les Heures lentes", "lettre", "heureslentes.example"},
		{"La Farola", "boletin", "lafarola.example"}, {"Lucky Shelf Books", "post", "luckyshelf.example"},
		{"Tea Cupboard", "hello", "teacupboard.example"}, {"Northern Looms", "news", "northernlooms.test"},
		{"Slow Atlas", "editors", "slowatlas.example"}, {"Culture Club", "info", "example.net"},
	},
	"invoices": {
		{"Hearth Energy", "billing", "hearth-energy.example"}, {"Ledgerly", "accounts", "ledgerly.example"},
		{"Brunnen & Rohr", "rechnung", "brunnenrohr.example"}, {"Atelier Belcampagne", "compta", "belcampagne.example"},
		{"Fibra Clara", "facturas", "fibraclara.example"}, {"Papyrus Supplies", "invoices", "papyrus.example"},
		{"Cloudberry Hosting", "billing", "cloudberry.test"}, {"Tidy Boiler", "office", "example.com"},
	},
	"travel": {
		{"Grand Large", "info", "grandlarge.example"}, {"Fernweh", "kontor", "fernweh.example"},
		{"Blue Heron Airways", "booking", "blueheron.example"}, {"Hotel Magnolia", "desk", "hotelmagnolia.example"},
		{"Hostal La Buhardilla", "hola", "buhardilla.example"}, {"Night Line Railways", "tickets", "nightline.test"},
		{"Island Ferries", "crossing", "islandferries.example"}, {"Slow Atlas", "tours", "slowatlas.example"},
	},
	"spam": {
		{"Prize Office", "claims", ""}, {"Account Security", "security", ""}, {"Parcel Service", "delivery", ""},
		{"Member Rewards", "vip", ""}, {"Quick Loan", "credit", ""}, {"Billing Department", "invoices", ""},
		{"Customer Care", "support", ""}, {"News Alert", "newsletter", ""},
	},
}

// spamWords make up domains that are used once and thrown away.
var spamWords = []string{"secure", "bonus", "mega", "prime", "fast", "win", "smart", "gold", "verify", "deal", "health", "cash", "post", "mail"}

// shared are domains that persons, shops and spammers use alike.
var shared = []string{"example.org", "example.com", "example.net"}

// sender makes up who writes a message of a class, and the name to sign with.
func sender(r *random, f *filler, class string) (from address, signature string) {
	list := brands[class]
	if len(list) == 0 || class == "spam" && r.percent(50) {
		first, last := pick(r, f.words["first"]), pick(r, f.words["surname"])
		domain := pick(r, shared)
		if class == "work" && r.percent(70) {
			domain = "kestrel-works.example"
		}
		if class == "spam" && r.percent(40) {
			domain = spamDomain(r)
		}
		return address{first + " " + last, mailboxName(r, first, last), domain}, first
	}
	from = pick(r, list)
	if class == "spam" {
		from.domain = spamDomain(r)
	}
	return from, from.name
}

func spamDomain(r *random) string {
	return fmt.Sprintf("%s-%s%d.%s", pick(r, spamWords), pick(r, spamWords), r.below(90), pick(r, []string{"example", "test", "invalid"}))
}

// mailboxName is a name in ASCII, or a made-up one for other scripts.
func mailboxName(r *random, first, last string) string {
	name := asciiLetters.Replace(strings.ToLower(first + "." + last))
	if strings.ContainsFunc(name, func(c rune) bool { return c > 127 }) {
		return fmt.Sprintf("user%d", 100+r.below(900))
	}
	if r.percent(40) {
		name, _, _ = strings.Cut(name, ".")
	}
	return name
}

var asciiLetters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ë", "e", "ê", "e",
	"á", "a", "à", "a", "ã", "a", "í", "i", "î", "i", "ï", "i", "ó", "o", "ô", "o", "õ", "o", "ú", "u", "ù", "u", "ñ", "n", "ç", "c", " ", "", "'", "")

// recipient is one of the addresses of the person whose mail this is.
func recipient(r *random, class string) address {
	all := []address{{"Robin Vale", "robin", "example.org"}, {"", "robin", "example.org"}, {"Robin", "robin.vale", "example.com"}}
	switch {
	case class == "work" && r.percent(70):
		return address{"Robin Vale", "robin.vale", "kestrel-works.example"}
	case class == "spam" && r.percent(25):
		return address{"", "info", "example.org"}
	}
	return pick(r, all)
}

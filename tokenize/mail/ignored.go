package mail

import "bytes"

// silent reports whether a field gives no terms: it is ignored, or repeats another one.
func silent(name []byte) bool { return ignored(name) || restatements()[string(name)] != "" }

// ignored reports whether a field gives no terms: it is the verdict of a filter, this one
// or another, or the state of a mailbox. Such a field would teach a class by its own
// verdict; it is absent from new messages, and anybody can forge it. (The server's own
// checks of the sender, Authentication-Results, are not such a verdict: see results.)
func ignored(name []byte) bool {
	if isIgnoredName(name) {
		return true
	}
	if !bytes.HasPrefix(name, []byte("x-")) {
		return false
	}
	for _, part := range ignoredParts {
		if bytes.Contains(name, []byte(part)) {
			return true
		}
	}
	for _, prefix := range ignoredPrefixes {
		if bytes.HasPrefix(name, []byte(prefix)) {
			return true
		}
	}
	return false
}

// ignoredParts are substrings of names that only filters use: X-Spam-Status
// (SpamAssassin, rspamd's milter), X-Spamd-Result and X-Rspamd-Queue-Id (rspamd),
// X-Spambayes-Classification, X-SpamProbe, X-DSPAM-Result, X-Antispam,
// X-Microsoft-Antispam and X-Forefront-Antispam-Report (Exchange Online), X-Virus-Scanned
// (amavis, ClamAV), X-Antivirus, X-Bogosity (bogofilter), X-Example-MailScanner
// (MailScanner puts the site's name before its own).
var ignoredParts = []string{"spam", "virus", "bogo", "bayes", "mailscanner", "junk"}

// ignoredPrefixes are families of fields, with the program that writes them.
var ignoredPrefixes = []string{
	"x-polya-",                    // this one
	"x-crm114-",                   // CRM114
	"x-mox-",                      // mox, X-Mox-Reason
	"x-amavis-",                   // amavis
	"x-assp-",                     // Anti-Spam SMTP Proxy
	"x-hmailserver-",              // hMailServer
	"x-dcc-",                      // Distributed Checksum Clearinghouse
	"x-pmx-",                      // PureMessage
	"x-sophos-",                   // Sophos
	"x-kaspersky-",                // Kaspersky
	"x-klms-",                     // Kaspersky for Linux mail servers
	"x-proofpoint-",               // Proofpoint
	"x-ironport-",                 // Cisco
	"x-barracuda-",                // Barracuda
	"x-cmae-",                     // Cloudmark
	"x-cloudmark-",                // Cloudmark
	"x-tm-as-",                    // Trend Micro
	"x-tmase-",                    // Trend Micro
	"x-eset",                      // ESET
	"x-ms-exchange-organization-", // Exchange: SCL, PCL, AuthAs
	"x-ms-exchange-crosstenant-",  // Exchange Online
	"x-evolution",                 // mailbox state of Evolution
	"x-mozilla-",                  // of Thunderbird: Status, Status2, Keys
	"x-imap",                      // of UW IMAP: X-IMAP, X-IMAPbase
	"x-kmail-",                    // of KMail
	"x-sylpheed-",                 // of Sylpheed
	"x-claws-",                    // of Claws Mail
	"x-offlineimap",               // of OfflineIMAP
}

// isIgnoredName reports whether a single field is ignored. A switch costs nothing at the start of
// a process.
func isIgnoredName(name []byte) bool {
	switch string(name) {
	case "x-text-classification", // POPFile
		"x-popfile-link",       // POPFile
		"x-ham-report",         // SpamAssassin under Exim
		"x-sa-exim-scanned",    // sa-exim
		"x-scanned-by",         // MIMEDefang
		"x-quarantine-id",      // amavis
		"x-greylist",           // milter-greylist
		"x-cnfs-analysis",      // Cloudmark
		"x-authority-analysis", // Cloudmark
		"x-brightmail-tracker", // Symantec
		"x-ui-filterresults",   // GMX and web.de
		"status",               // mbox state: UW IMAP, Dovecot, mutt
		"x-status",
		"x-keywords",
		"x-uid",
		"x-uidl",         // of POP clients
		"x-label",        // of mutt
		"x-tuid",         // of mbsync
		"x-account-key",  // of Thunderbird
		"x-gmail-labels", // of Google Takeout
		"x-gm-labels",    // of Gmail over IMAP
		"x-gm-thrid",
		"x-gm-msgid",
		"content-length", // of mbox files
		"lines",
		"bytes",
		"xref",          // of a news spool
		"delivery-date": // the time of arrival, which Received has too
		return true
	}
	return false
}

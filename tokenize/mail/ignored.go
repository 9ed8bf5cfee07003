package mail

import (
	"bytes"
	"slices"
)

// silent reports whether a field gives no terms: it repeats another one, or is the verdict of a
// filter, this one or another, or the state of a mailbox. A verdict would teach a class by itself;
// it is absent from new messages, and anybody can forge it. (The server's own checks of the sender,
// Authentication-Results, are not such a verdict: see results.)
func silent(name []byte) bool {
	if isSilentName(name) {
		return true
	}
	return bytes.HasPrefix(name, []byte("x-")) &&
		(slices.ContainsFunc(ignoredParts, func(part string) bool { return bytes.Contains(name, []byte(part)) }) ||
			slices.ContainsFunc(ignoredPrefixes, func(prefix string) bool { return bytes.HasPrefix(name, []byte(prefix)) }))
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

// isSilentName reports whether a single field is ignored, or repeats another one: a fact that
// mailing list software writes into ten fields would count ten times, and an advertisement sent
// over a list would look like a letter of the list. A switch costs nothing at the start of a process.
func isSilentName(name []byte) bool {
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
		"delivery-date", // the time of arrival, which Received has too

		"list-archive", "list-help", "list-owner", "list-post", "list-subscribe", "mailing-list", "x-beenthere", // List-Id
		"x-list", "x-list-admin", "x-list-host", "x-loop", "x-mailing-list", "x-mailman-version", "x-mailman-approved-at",
		"errors-to", "envelope-from", "x-envelope-from", "x-return-path", "old-return-path", // Sender and Return-Path
		"x-sender", "x-x-sender", "x-from", // From
		"mail-followup-to", "mail-reply-to", "apparently-to", "x-apparently-to", "x-rcpt-to", "x-envelope-to", // To and From
		"x-original-date", "resent-date", "x-originalarrivaltime", "nntp-posting-date", // Date
		"old-subject", "x-original-subject", "thread-topic", // Subject
		"resent-message-id", "x-message-id", "x-original-message-id", // Message-ID
		"mime-version": // MIME's other fields
		return true
	}
	return false
}

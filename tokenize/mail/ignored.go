package mail

import "bytes"

// ignored says whether a field gives nothing: what a filter, this one or
// another, found in the message, or what a mailbox keeps there about it. Such a
// field would teach a class by the verdict on it; it is absent when the next
// message comes, and anybody can forge it.
func ignored(name []byte) bool {
	if ignoredNames[string(name)] {
		return true
	}
	for _, prefix := range ignoredPrefixes {
		if hasPrefixFold(name, prefix) {
			return true
		}
	}
	if !bytes.HasPrefix(name, []byte("x-")) {
		return false
	}
	for _, part := range ignoredParts {
		if bytes.Contains(name, []byte(part)) {
			return true
		}
	}
	return false
}

// ignoredParts are in names that only filters make: X-Spam-Status (SpamAssassin,
// rspamd), X-Spambayes-Classification, X-SpamProbe, X-Antispam, X-Virus-Scanned
// (amavis, ClamAV), X-Example-MailScanner (MailScanner puts the site's name
// before its own), X-GMX-Antivirus, X-Junk-Score.
var ignoredParts = []string{"spam", "virus", "mailscanner", "junk", "bogo", "bayes"}

// ignoredPrefixes are families of fields, with who writes them.
var ignoredPrefixes = []string{
	"x-polya-",  // this program
	"x-dspam-",  // DSPAM, README section 1.3
	"x-crm114-", // CRM114, mailfilter.crm
	"x-rspamd-", // rspamd, milter_headers module
	"x-rspam-",  // rspamd in older set-ups
	"x-amavis-", // amavis, README.headers
	"x-assp-",   // Anti-Spam SMTP Proxy
	"x-mox-",    // mox, X-Mox-Reason
	"x-dbacl-",  // dbacl tutorials
	"x-pmx-",    // Sophos PureMessage
	"x-sophos-", // Sophos
	"x-kaspersky-",
	"x-klms-",       // Kaspersky for Linux mail servers
	"x-proofpoint-", // Proofpoint
	"x-ironport-",   // Cisco
	"x-barracuda-",  // Barracuda
	"x-cmae-",       // Cloudmark
	"x-cloudmark-",
	"x-hmailserver-",              // hMailServer, X-hMailServer-Spam and -Reason
	"x-ms-exchange-organization-", // Exchange: SCL, PCL, AuthAs
	"x-ms-exchange-antispam-",     // Exchange Online
	"x-ms-exchange-crosstenant-",  // Exchange Online
	"x-microsoft-antispam",        // Exchange Online
	"x-forefront-antispam-",       // Exchange Online
	"x-exchange-antispam-",        // Exchange Online
	"x-evolution",                 // Evolution's mailbox state
	"x-mozilla-",                  // Mozilla's: Status, Status2, Keys
	"x-gm-",                       // Gmail: THRID, MSGID, LABELS
	"x-imap",                      // UW IMAP: X-IMAP, X-IMAPbase
	"x-kmail-",                    // KMail's mailbox state
	"x-sylpheed-",                 // Sylpheed's
	"x-claws-",                    // Claws Mail's
	"x-offlineimap",               // OfflineIMAP
	"x-notmuch-",                  // tags exported from notmuch
}

// ignoredNames are single fields.
var ignoredNames = map[string]bool{
	"x-bogosity":                      true, // bogofilter
	"x-text-classification":           true, // POPFile
	"x-popfile-link":                  true, // POPFile
	"x-ham-report":                    true, // rspamd, Exim recipes
	"x-ifile-hint":                    true, // ifile
	"x-cnfs-analysis":                 true, // Cloudmark
	"x-ovh-spamcause":                 true, // Vade
	"x-vade-score":                    true,
	"x-ui-filterresults":              true, // GMX, web.de
	"x-sa-exim-scanned":               true, // sa-exim
	"x-brightmail-tracker":            true, // Symantec
	"x-auto-response-suppress-reason": true,
	"x-quarantine-id":                 true, // amavis
	"x-greylist":                      true, // milter-greylist
	"x-keywords":                      true, // mbox state of UW IMAP, Dovecot, mutt
	"x-status":                        true,
	"status":                          true,
	"x-uid":                           true,
	"x-uidl":                          true,
	"x-label":                         true, // mutt
	"x-tuid":                          true, // mbsync
	"x-account-key":                   true, // Thunderbird
	"x-gmail-labels":                  true, // Google Takeout
	"x-folder":                        true,
	"keywords-state":                  true,
	"content-length":                  true,
	"lines":                           true,
	"delivery-date":                   true,
	"bytes":                           true,
	"xref":                            true, // number in a news spool
}

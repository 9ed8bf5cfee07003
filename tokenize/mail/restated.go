package mail

// restated says whether a field says again what another field of the message
// says. Naive Bayes takes every term for new evidence, so a fact that mailing
// list software writes into ten fields would count ten times, and an
// advertisement sent over a list would pass for a letter of the list. Measured on
// the SpamAssassin corpus, errors with and without them: multinomial 1.65 and
// 1.31 %, Bernoulli 1.78 and 1.48 %.
func restated(name []byte) bool { return restatements[string(name)] }

// restatements are fields and what they restate.
var restatements = map[string]bool{
	"list-archive":          true, // List-Id, RFC 2369 and 2919
	"list-help":             true,
	"list-owner":            true,
	"list-post":             true,
	"list-subscribe":        true,
	"mailing-list":          true,
	"x-beenthere":           true,
	"x-list":                true,
	"x-list-admin":          true,
	"x-list-host":           true,
	"x-loop":                true,
	"x-mailing-list":        true,
	"x-mailman-version":     true,
	"x-mailman-approved-at": true,
	"errors-to":             true, // Sender and Return-Path
	"envelope-from":         true,
	"x-envelope-from":       true,
	"x-return-path":         true,
	"old-return-path":       true,
	"x-sender":              true, // From
	"x-x-sender":            true,
	"x-from":                true,
	"mail-followup-to":      true, // To and From
	"mail-reply-to":         true,
	"apparently-to":         true,
	"x-apparently-to":       true,
	"x-rcpt-to":             true,
	"x-envelope-to":         true,
	"x-original-date":       true, // Date
	"resent-date":           true,
	"x-originalarrivaltime": true,
	"nntp-posting-date":     true,
	"old-subject":           true, // Subject
	"x-original-subject":    true,
	"thread-topic":          true,
	"resent-message-id":     true, // Message-ID
	"x-message-id":          true,
	"x-original-message-id": true,
	"mime-version":          true, // MIME's other fields
}

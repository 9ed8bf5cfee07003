package mail

// restatements maps fields to the fields of the message that they repeat: a fact that mailing
// list software writes into ten fields would count ten times, and an advertisement sent over a
// list would look like a letter of the list.
var restatements = inverted([][2]string{
	{"List-Id, RFC 2369 and 2919", `list-archive list-help list-owner list-post list-subscribe mailing-list x-beenthere x-list
		x-list-admin x-list-host x-loop x-mailing-list x-mailman-version x-mailman-approved-at`},
	{"Sender and Return-Path", "errors-to envelope-from x-envelope-from x-return-path old-return-path"},
	{"From", "x-sender x-x-sender x-from"},
	{"To and From", "mail-followup-to mail-reply-to apparently-to x-apparently-to x-rcpt-to x-envelope-to"},
	{"Date", "x-original-date resent-date x-originalarrivaltime nntp-posting-date"},
	{"Subject", "old-subject x-original-subject thread-topic"},
	{"Message-ID", "resent-message-id x-message-id x-original-message-id"},
	{"MIME's other fields", "mime-version"},
})

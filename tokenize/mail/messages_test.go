package mail

// plainLetter is a well-formed letter as a server hands it over.
const plainLetter = `Return-Path: <alice@mail.example.org>
Delivered-To: bob@example.net
Received: from mx.example.org (mx.example.org [192.0.2.17])
	by in.example.net (Postfix) with ESMTPS id 4Wq2zM1xkYz9sT7
	for <bob@example.net>; Tue, 11 Mar 2025 09:21:07 +0100 (CET)
Received: from [IPv6:2001:db8:17:4::9] (unknown [127.0.0.1])
	by mx.example.org (8.11.6/8.11.6); Tue, 11 Mar 2025 09:21:05 +0100
Authentication-Results: in.example.net; spf=pass smtp.mailfrom=mail.example.org;
	dkim=fail (bad signature) header.d=example.org; x-own=1
Authentication-Results: forged.example; dmarc=pass
DKIM-Signature: v=1; a=rsa-sha256; d=example.org; b=AbCdEfGhIjKlMnOp
Date: Tue, 11 Mar 2025 09:21:04 +0100
From: "Liddell, Alice" <alice@mail.example.org>
To: bob@example.net, Carol <carol@uni.example.ac.uk>
Message-ID: <20250311082104.GA1234@mail.example.org>
User-Agent: Mutt/2.2.9
List-Id: Garden Friends <garden.lists.example.org>
List-Post: <mailto:garden@lists.example.org>
X-Garden: roses 20250311082104
Subject: harvest
MIME-Version: 1.0
Content-Type: text/plain; charset=us-ascii

ripe plums
`

// alternative is a mixed message with both forms of a text, and a file.
const alternative = "From: shop@example.com\r\n" +
	"To: bob@example.net\r\n" +
	"Subject: =?utf-8?q?Caf=C3=A9?=\r\n =?utf-8?b?IG9wZW4=?=\r\n" +
	"Date: 11 Mar 2025 09:21 GMT\r\n" +
	"Message-ID: <1@example.com>\r\n" +
	"MIME-Version: 1.0\r\n" +
	"Content-Type: multipart/mixed; boundary=\"----=_Part_12_34ab.56\"\r\n" +
	"\r\n" +
	"preamblewords are not shown\r\n" +
	"------=_Part_12_34ab.56\r\n" +
	"Content-Type: multipart/alternative; boundary=inner\r\n" +
	"\r\n" +
	"--inner\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\n" +
	"Content-Transfer-Encoding: quoted-printable\r\n" +
	"\r\n" +
	"caf=C3=A9 cr=\r\n" +
	"ema\r\n" +
	"--inner\r\n" +
	"Content-Type: text/html; charset=iso-8859-1\r\n" +
	"Content-Transfer-Encoding: base64\r\n" +
	"\r\n" +
	"PGh0bWw+PGI+Y2Fm6TwvYj48L2h0\r\nbWw+\r\n" + // <html><b>caf\xe9</b></html>
	"--inner--\r\n" +
	"------=_Part_12_34ab.56\r\n" +
	"Content-Type: application/pdf; name=\"ignored.pdf\"\r\n" +
	"Content-Disposition: attachment; filename*0*=utf-8''bill%20; filename*1=plum.PDF\r\n" +
	"Content-Transfer-Encoding: base64\r\n" +
	"\r\n" +
	"JVBERi0xLjQKd29yZHMgaW5zaWRl\r\n" +
	"------=_Part_12_34ab.56--\r\n" +
	"epiloguewords\r\n"

// escapes is ISO-2022-JP, seven bits with escapes, in header and body.
const escapes = "From: =?ISO-2022-JP?B?GyRCO0NFRBsoQg==?= <yamada@example.jp>\n" +
	"Subject: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=\n" +
	"Content-Type: text/plain; charset=iso-2022-jp\n" +
	"\n" +
	"\x1b$BF|K\\\x1b(B\n"

// bounce returns a message inside a report.
const bounce = `From: MAILER-DAEMON@mx.example.org
Subject: failed
Content-Type: multipart/report; boundary=B

--B
Content-Type: text/plain

undeliverable
--B
Content-Type: message/delivery-status

Action: failed
--B
Content-Type: message/rfc822

From: mallory@example.com
Subject: inner
X-Spam-Status: Yes, score=12 innerverdict

innerbody
--B--
`

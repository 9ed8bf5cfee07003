-- What a mail server with the C library of the milter protocol says, and hears.
local function must(err, what)
	if err ~= nil then error(what .. ": " .. tostring(err)) end
end

local function reply(conn, want, what)
	local got = mt.getreply(conn)
	if got ~= want then error(what .. ": reply " .. got .. ", not " .. want) end
end

local function message(conn, subject, fields)
	must(mt.macro(conn, SMFIC_MAIL, "i", "4QueueId", "{auth_authen}", "eve"), "macro")
	must(mt.mailfrom(conn, "sender@example.org"), "mailfrom")
	must(mt.rcptto(conn, "bob@example.test"), "rcptto")
	must(mt.header(conn, "Subject", " " .. subject), "subject")
	for _, f in ipairs(fields) do must(mt.header(conn, f[1], f[2]), f[1]) end
	if not mt.test_option(conn, SMFIP_NOEOH) then must(mt.eoh(conn), "eoh") end
	must(mt.bodystring(conn, "visit our casino\r\n"), "body")
	must(mt.bodyrandom(conn, 300000), "random body")
	must(mt.eom(conn), "eom")
end

local conn = mt.connect(socket)
if conn == nil then error("no connection") end
must(mt.negotiate(conn, nil, nil, nil), "negotiate")
for _, option in ipairs({SMFIP_NOCONNECT, SMFIP_NOHELO, SMFIP_NR_HDR, SMFIP_NR_BODY}) do
	if not mt.test_option(conn, option) then error("option " .. option .. " was not asked for") end
end

message(conn, "one", {{"X-Polya-Class", " ham"}, {"x-polya-class", "ham"}})
reply(conn, SMFIR_CONTINUE, "first message")
if not mt.eom_check(conn, MT_HDRADD, "X-Polya-Class", " spam; probability=0.9987") then
	error("no field: " .. tostring(mt.getheader(conn, "X-Polya-Class", 0)))
end
if not mt.eom_check(conn, MT_HDRDELETE, "X-Polya-Class") then error("the forged field stays") end
if mt.eom_check(conn, MT_QUARANTINE) then error("in quarantine") end

-- Another on the same connection, after one that was given up.
must(mt.mailfrom(conn, "sender@example.org"), "mailfrom")
must(mt.header(conn, "X-Polya-Class", " ham"), "header")
must(mt.abort(conn), "abort")
message(conn, "two", {})
reply(conn, SMFIR_CONTINUE, "second message")
if mt.eom_check(conn, MT_HDRDELETE) then error("a field of the message before was deleted") end
message(conn, "please quarantine", {})
if not mt.eom_check(conn, MT_QUARANTINE, "classified as junk; probability=0.5000") then error("no quarantine") end
message(conn, "please reject", {})
reply(conn, SMFIR_REPLYCODE, "bad message")
if not mt.eom_check(conn, MT_SMTPREPLY, "550", "5.7.1", "Message rejected by its contents") then error("other text") end
message(conn, "please fail", {})
reply(conn, SMFIR_TEMPFAIL, "failure")
mt.disconnect(conn)

-- A server that waits for a reply to each command, and knows none of the newer options.
conn = mt.connect(socket)
must(mt.negotiate(conn, 2, 0, 0x3f), "negotiate version 2") -- steps before actions, unlike its manual
must(mt.conninfo(conn, "client.example.org", "192.0.2.1"), "conninfo")
reply(conn, SMFIR_CONTINUE, "connect")
must(mt.helo(conn, "client.example.org"), "helo")
reply(conn, SMFIR_CONTINUE, "helo")
message(conn, "three", {{"X-Polya-Class", "ham"}})
reply(conn, SMFIR_CONTINUE, "third message")
if not mt.eom_check(conn, MT_HDRADD, "X-Polya-Class", "spam; probability=0.9987") then error("no field in version 2") end
mt.disconnect(conn)

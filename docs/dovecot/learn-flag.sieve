require ["vnd.dovecot.execute", "imapsieve", "environment", "imap4flags"];

# Thunderbird sets Junk and NonJunk, others $Junk and $NotJunk.
if environment :contains "imap.changedflags" "junk" {
  if allof (hasflag ["$Junk", "Junk"], not hasflag ["$NotJunk", "NonJunk"]) {
    if not anyof (execute :pipe "learn" ["learn", "spam"],
                  execute :pipe "learn" ["learn", "spam"],
                  execute :pipe "learn" ["learn", "spam"]) {
      stop;
    }
  } elsif allof (hasflag ["$NotJunk", "NonJunk"], not hasflag ["$Junk", "Junk"]) {
    if not anyof (execute :pipe "learn" ["learn", "ham"],
                  execute :pipe "learn" ["learn", "ham"],
                  execute :pipe "learn" ["learn", "ham"]) {
      stop;
    }
  }
}

require ["vnd.dovecot.execute", "imapsieve", "environment"];

# Spam that is thrown away is still spam.
if environment :matches "imap.mailbox" ["*Trash*", "*Deleted*", "*Papierkorb*", "*Corbeille*"] {
  stop;
}
if not anyof (execute :pipe "learn" ["learn", "ham"],
              execute :pipe "learn" ["learn", "ham"],
              execute :pipe "learn" ["learn", "ham"]) {
  stop;
}

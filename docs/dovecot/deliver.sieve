require ["vnd.dovecot.execute", "fileinto", "mailbox", "editheader", "regex"];

# Nobody else's verdict gets in. Where Postfix asks polya it has seen to that, and without this
# line the field that it has added stays.
deleteheader "X-Polya-Class"; # not with Postfix

# Senders who are never spam, where the mail server has found out (DMARC) that it is they: its
# name, and their domains. To use it, remove the first character of three lines.
#if header :regex "Authentication-Results" "^mail\\.example\\.org;.*dmarc=pass[^;]*header\\.from=(example\\.com|example\\.net)([^a-z0-9.-]|$)" {
#  stop;
#}

# Twice: Dovecot gives a program 5 milliseconds to take a connection, which is not enough for
# itself when the machine is busy.
if anyof (execute :pipe "dovecot" ["is", "spam"],
          execute :pipe "dovecot" ["is", "spam"]) {
  deleteheader "X-Polya-Class";
  addheader "X-Polya-Class" "spam";
  fileinto :create "Junk";
}

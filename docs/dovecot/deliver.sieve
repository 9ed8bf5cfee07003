require ["vnd.dovecot.execute", "fileinto", "mailbox", "editheader"];

# Nobody else's verdict gets in.
deleteheader "X-Polya-Class";

# Twice: Dovecot gives a program 5 milliseconds to take a connection, which is not enough for
# itself when the machine is busy.
if anyof (execute :pipe "dovecot" ["is", "spam"],
          execute :pipe "dovecot" ["is", "spam"]) {
  addheader "X-Polya-Class" "spam";
  fileinto :create "Junk";
}

require ["vnd.dovecot.execute", "imapsieve"];

# Again if it fails: Dovecot gives a program 5 milliseconds to take a connection, which is
# not enough for itself when the machine is busy.
if not anyof (execute :pipe "learn" ["learn", "spam"],
              execute :pipe "learn" ["learn", "spam"],
              execute :pipe "learn" ["learn", "spam"]) {
  stop;
}

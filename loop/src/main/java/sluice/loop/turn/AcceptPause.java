package sluice.loop.turn;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.loop.sockets.DescriptorShortage;

/// Says in the log that the clients of a loop wait, because no connection may be closed for them:
/// one line when that has lasted for a while, one when the loop accepts again. Pauses with less
/// than [#SETTLED_NANOS] between them are one. Owned by the loop's thread.
public final class AcceptPause {
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private final LoopTasks tasks;
  private final Consumer<String> log;
  private boolean paused;
  private boolean said;

  /// Changes with each beginning and each end.
  private int change;

  /// @param name of the loop
  /// @param log takes a line, and does not block
  public AcceptPause(String name, LoopTasks tasks, Consumer<String> log) {
    this.name = name;
    this.tasks = tasks;
    this.log = log;
  }

  /// The loop accepts no more.
  public void begins() {
    if (!paused) {
      paused = true;
      change++;
    }
  }

  /// The loop has tried to accept again, and could not.
  ///
  /// @param mostConnections that the loop may have, if they are what is short; 0 if descriptors are
  public void lasts(int mostConnections) {
    if (paused && !said) {
      said = true;
      String why =
          mostConnections > 0
              ? "all " + mostConnections + " connections that the loop may have are open"
              : "descriptors are short: this process may have "
                  + DescriptorShortage.limit()
                  + " open (RLIMIT_NOFILE), and the rest is kept for files";
      String fix =
          mostConnections > 0
              ? "raise the limit of connections"
              : "raise the limit, " + DescriptorShortage.FIX;
      say(
          "accepts no more clients for now; they wait until a connection ends. Why: "
              + why
              + ", and none may be closed for a new one. Fix: "
              + fix);
    }
  }

  /// The loop accepts again.
  public void ends() {
    if (!paused) {
      return;
    }
    paused = false;
    int ended = ++change;
    if (said) {
      tasks.schedule(
          SETTLED_NANOS,
          () -> {
            if (change == ended) {
              said = false;
              say("accepts clients again");
            }
          });
    }
  }

  private void say(String what) {
    log.accept(name + " " + what);
  }
}

package sluice.loop.turn;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.loop.sockets.DescriptorShortage;

/// Logs when clients have to wait because no connection may be closed for them. One line is logged
/// when this has lasted for a while, and another one when the loop accepts again. Pauses separated
/// by less than [#SETTLED_NANOS] are treated as one. Owned by the loop's thread.
public final class AcceptPause {
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private final LoopTasks tasks;
  private final Consumer<String> log;
  private boolean paused;
  private boolean said;

  /// A number that changes when a pause begins and when it ends.
  private int change;

  /// @param name the name of the loop
  /// @param log receives a line and must not block
  public AcceptPause(String name, LoopTasks tasks, Consumer<String> log) {
    this.name = name;
    this.tasks = tasks;
    this.log = log;
  }

  /// Records that the loop has stopped accepting.
  public void begins() {
    if (!paused) {
      paused = true;
      change++;
    }
  }

  /// Records that the loop has unsuccessfully tried to accept again.
  ///
  /// @param mostConnections the connection limit if it has been reached, or 0 if descriptors have
  ///   run out
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

  /// Records that the loop is accepting again.
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

package sluice.loop.turn;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.loop.sockets.DescriptorShortage;

/// The log messages about clients that wait because no connection may be closed for them: one line
/// when that has lasted for a while, one when the loop accepts again. Pauses with less than
/// [#SETTLED_NANOS] between them count as one. Owned by the loop's thread.
public final class AcceptPause {
  private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String name;
  private final LoopTasks tasks;
  private final Consumer<String> log;
  private boolean paused;
  private boolean said;

  /// A number that changes with each beginning and each end.
  private int change;

  /// @param name the name of the loop
  /// @param log takes a line, and does not block
  public AcceptPause(String name, LoopTasks tasks, Consumer<String> log) {
    this.name = name;
    this.tasks = tasks;
    this.log = log;
  }

  /// Records that the loop stops accepting.
  public void begins() {
    if (!paused) {
      paused = true;
      change++;
    }
  }

  /// Records that the loop has tried to accept again and failed.
  ///
  /// @param mostConnections the limit of connections, if that is reached; 0 if descriptors are
  ///   short
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

  /// Records that the loop accepts again.
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

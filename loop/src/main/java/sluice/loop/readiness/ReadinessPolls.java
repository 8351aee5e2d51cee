package sluice.loop.readiness;

import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.ECANCELED;

import sluice.loop.readiness.ReadinessSocket.PollWait;

/// The waits of [sluice.loop.engine.Engine#pollOnce], both on the engine's descriptors and on
/// others. Owned by the engine's thread.
final class ReadinessPolls {
  /// An upper bound on descriptors, which is higher than on any Linux system (`fs.nr_open`). It
  /// prevents an invalid number from growing the table.
  private static final int LIMIT = 1 << 24;

  private static final int ALWAYS = Demultiplexer.ERR | Demultiplexer.HUP;

  private final ReadinessTable table;
  private final ReadinessTokens tokens;
  private final ReadinessResults results;

  ReadinessPolls(ReadinessTable table, ReadinessTokens tokens, ReadinessResults results) {
    this.table = table;
    this.tokens = tokens;
    this.results = results;
  }

  void add(int number, int events, long token) {
    if (number < 0 || number >= LIMIT) {
      results.add(token, -EBADF, 0);
      return;
    }
    ReadinessSocket socket = table.entry(number);
    socket.polls = new PollWait(token, events, socket.polls);
    socket.unwanted = false;
    tokens.put(token, number);
    table.changed(socket);
  }

  /// Completes every wait that is satisfied by `events`.
  void ready(ReadinessSocket socket, int events) {
    PollWait wait = socket.polls;
    socket.polls = null;
    while (wait != null) {
      PollWait next = wait.next;
      int set = events & (wait.events | ALWAYS);
      if ((events & Demultiplexer.NVAL) != 0) {
        end(wait, -EBADF);
      } else if (set != 0) {
        end(wait, set);
      } else {
        keep(socket, wait);
      }
      wait = next;
    }
    table.changed(socket);
  }

  void cancel(ReadinessSocket socket, long token) {
    PollWait wait = socket.polls;
    socket.polls = null;
    while (wait != null) {
      PollWait next = wait.next;
      if (wait.token == token) {
        end(wait, -ECANCELED);
      } else {
        keep(socket, wait);
      }
      wait = next;
    }
  }

  void endAll(ReadinessSocket socket, int result) {
    for (PollWait wait = socket.polls; wait != null; wait = wait.next) {
      end(wait, result);
    }
    socket.polls = null;
  }

  private static void keep(ReadinessSocket socket, PollWait wait) {
    wait.next = socket.polls;
    socket.polls = wait;
  }

  private void end(PollWait wait, int result) {
    tokens.remove(wait.token);
    results.add(wait.token, result, 0);
  }
}

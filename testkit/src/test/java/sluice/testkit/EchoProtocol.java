package sluice.testkit;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import sluice.loop.Connection;
import sluice.loop.Protocol;
import sluice.loop.ReplyTicket;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.View;
import sluice.memory.block.Block;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimRandom;

/// An echo of fixed-size messages, repeated. A reply is copied, sent from the chunk of its message,
/// sent from a file, or sent later by the slow path in one or two pieces. Owned by the loop's
/// thread.
final class EchoProtocol implements Protocol {
  /// The behaviour of the server.
  ///
  /// @param messageBytes the length of every message
  /// @param repeats the number of times that a message is returned
  /// @param slowPerMille the share of deferred answers
  /// @param filePerMille the share of answers that are sent as a file
  /// @param directPerMille the share of unfinished messages whose rest is received directly into
  ///   their memory
  /// @param deadlineNanos the time a client has for the next message; 0 for no limit
  record Habits(
      int messageBytes,
      int repeats,
      int slowPerMille,
      int filePerMille,
      int directPerMille,
      long deadlineNanos) {
    /// Returns the maximum number of messages per client that keeps a simulation small.
    int mostMessages() {
      return Math.max(1, Math.min(40_000 / messageBytes, 600 / repeats));
    }

    static Habits random(SimRandom random) {
      return new Habits(
          random.skewed(6_000),
          random.chance(300) ? random.skewed(40) : 1,
          random.chance(500) ? random.skewed(1_000) : 0,
          random.chance(300) ? random.skewed(1_000) : 0,
          random.chance(300) ? random.skewed(1_000) : 0,
          random.chance(200) ? random.skewed(1_000_000_000) : 0);
    }
  }

  /// A message that is received directly into its memory.
  private static final class Gathered {
    final Block block;
    int filled;

    Gathered(Block block) {
      this.block = block;
    }
  }

  private final SimEngine engine;
  private final SimRandom random;
  private final Habits habits;
  private final Account account = new Account("gathered", 64 << 20);
  private final int messageBytes;
  private int retained;
  private final Set<Connection> open = new HashSet<>();

  EchoProtocol(SimEngine engine, SimRandom random, Habits habits) {
    this.engine = engine;
    this.random = random;
    this.habits = habits;
    this.messageBytes = habits.messageBytes;
  }

  /// Returns the number of messages whose bytes the slow path still holds.
  int retainedCount() {
    return retained;
  }

  int openCount() {
    return open.size();
  }

  @Override
  public void opened(Connection connection) {
    open.add(connection);
    connection.deadline(habits.deadlineNanos);
    connection.idle();
  }

  @Override
  public int received(Connection connection, View input) {
    if (!connection.isOpen() || connection.deferred()) {
      throw new IllegalStateException("input is shown although the connection is gated");
    }
    int used = gather(connection, input);
    if (connection.attachment() != null) {
      return used;
    }
    while (input.length() - used >= messageBytes && !connection.outputFull()) {
      if (random.chance(habits.slowPerMille)) {
        answerLater(connection, input, used);
        return used + messageBytes;
      }
      for (int i = 0; i < habits.repeats; i++) {
        answer(connection, input, used);
      }
      used += messageBytes;
    }
    connection.deadline(habits.deadlineNanos);
    if (used == input.length()) {
      connection.idle();
    }
    if (used < input.length() && random.chance(habits.directPerMille)) {
      return used + beginGathering(connection, input, used);
    }
    if (random.chance(habits.directPerMille)) {
      connection.expectLong(false);
    }
    return used;
  }

  /// Takes the beginning of a message, unless more than the message is there.
  private int beginGathering(Connection connection, View input, int from) {
    int count = input.length() - from;
    if (count >= messageBytes) {
      return 0; // the output is full
    }
    Gathered begun = new Gathered(Objects.requireNonNull(Block.allocate(account, messageBytes)));
    input.copyTo(from, begun.block.segment(), 0, count);
    begun.filled = count;
    connection.attach(begun);
    connection.expectLong(true);
    return count;
  }

  private int gather(Connection connection, View input) {
    if (!(connection.attachment() instanceof Gathered gathered)) {
      return 0;
    }
    int count = Math.min(input.length(), messageBytes - gathered.filled);
    input.copyTo(0, gathered.block.segment(), gathered.filled, count);
    gathered.filled += count;
    answerIfWhole(connection, gathered);
    return count;
  }

  @Override
  public void caughtUp(Connection connection) {
    if (!connection.isOpen() || connection.deferred()) {
      throw new IllegalStateException("more may be taken although the connection is gated");
    }
    int taken = 1;
    while (taken > 0 && connection.attachment() instanceof Gathered gathered) {
      int most = random.skewed(messageBytes - gathered.filled);
      taken = connection.receiveInto(gathered.block, gathered.filled, most);
      gathered.filled += taken;
      answerIfWhole(connection, gathered);
    }
  }

  private void answerIfWhole(Connection connection, Gathered gathered) {
    if (gathered.filled == messageBytes && connection.isOpen()) {
      byte[] message = gathered.block.segment().toArray(ValueLayout.JAVA_BYTE);
      connection.attach(null);
      gathered.block.release();
      for (int i = 0; i < habits.repeats; i++) {
        connection.output().put(message);
      }
      connection.deadline(habits.deadlineNanos);
    }
  }

  /// Returns the number of bytes of messages that are being gathered.
  long gatheredBytes() {
    return account.usedBytes();
  }

  private void answer(Connection connection, View input, int from) {
    if (random.chance(habits.filePerMille)) {
      byte[] content = copy(input, from);
      int fd = random.chance(700) ? engine.openFile(content) : -1;
      Runnable close = fd < 0 ? () -> {} : () -> engine.closeFile(fd);
      connection.output().file(new MemoryFile(content, fd, random, close), 0, messageBytes);
    } else if (random.chance(500)) {
      connection.output().append(input, from, messageBytes);
    } else {
      connection.output().put(copy(input, from));
    }
  }

  private byte[] copy(View input, int from) {
    byte[] bytes = new byte[messageBytes];
    input.copyTo(from, bytes, 0, messageBytes);
    return bytes;
  }

  private void answerLater(Connection connection, View input, int from) {
    connection.deadline(0);
    byte[] message = copy(input, from);
    Memory kept = random.chance(500) ? connection.retain(input, from, messageBytes) : null;
    if (kept != null) {
      retained++;
    }
    byte[] reply = Conversation.repeated(message, messageBytes, habits.repeats);
    int cut = random.below(reply.length);
    ReplyTicket ticket = connection.defer();
    connection
        .slowPath()
        .execute(() -> {
          if (kept != null) {
            checkUnchanged(kept, message);
          }
          if (cut > 0) {
            ticket.append(c -> c.output().put(reply, 0, cut));
          }
          ticket.complete(c -> c.output().put(reply, cut, reply.length - cut));
        });
  }

  /// Checks that the retained bytes have not changed, whatever has happened to the connection.
  private void checkUnchanged(Memory kept, byte[] message) {
    byte[] now = new byte[message.length];
    kept.copyTo(0, now, 0, now.length);
    kept.close();
    retained--;
    if (!Arrays.equals(now, message)) {
      throw engine.violation("a retained message has changed");
    }
  }

  @Override
  public void overloaded(Connection connection) {
    open.add(connection);
    connection.close();
  }

  @Override
  public void closed(Connection connection) {
    if (connection.attachment() instanceof Gathered gathered) {
      gathered.block.release();
    }
    if (!open.remove(connection)) {
      throw new IllegalStateException("closed twice, or never opened");
    }
  }
}

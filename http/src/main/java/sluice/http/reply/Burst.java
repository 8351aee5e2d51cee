package sluice.http.reply;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.loop.Output;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// Sends one small reply many times in a row, for a client that sends the same request again
/// without waiting for its answers. The copies are made once and sent from the same memory until
/// another reply, or another second, replaces them. Owned by one loop's thread.
///
/// Lifecycle: empty → filled, again and again → closed. Memory that is being sent outlives all of
/// these.
final class Burst implements AutoCloseable {
  /// The greatest number of replies sent at once.
  static final int MOST = 16;

  private static final int BYTES = 32 << 10;

  /// The limit for bursts that are still being sent after newer ones have replaced them.
  private static final int ACCOUNT_BYTES = 8 * BYTES;

  private final DateLine date;
  private final Account account;
  private @Nullable Block block;
  private @Nullable ReadyReply copied;
  private long second;

  Burst(String loop, DateLine date) {
    this.date = date;
    this.account = new Account(loop + " bursts", ACCOUNT_BYTES);
  }

  /// Sends `reply` as often as there is room for, at most `count` times.
  ///
  /// @param count at most [#MOST]
  /// @return the number of replies sent
  int send(Output out, ReadyReply reply, int count) {
    int bytes = reply.copiedBytes();
    int copies = bytes == 0 ? 0 : Math.min(MOST, BYTES / bytes);
    if (copies < 2 || !filled(reply, bytes, copies)) {
      return 0;
    }
    int sent = Math.min(count, copies);
    out.append(Objects.requireNonNull(block), 0, sent * bytes);
    return sent;
  }

  @SuppressWarnings("ReferenceEquality") // a reply with other content is another object
  private boolean filled(ReadyReply reply, int bytes, int copies) {
    if (copied == reply && second == date.second()) {
      return true;
    }
    close();
    Block made = Block.allocate(account, (long) copies * bytes);
    if (made == null) {
      return false;
    }
    for (int i = 0; i < copies; i++) {
      reply.copyWhole(made.segment(), (long) i * bytes, date);
    }
    block = made;
    copied = reply;
    second = date.second();
    return true;
  }

  @Override
  public void close() {
    Block before = block;
    if (before != null) {
      before.release();
    }
    block = null;
    copied = null;
  }
}

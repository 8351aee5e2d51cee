package sluice.loop.poller;

import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.ECANCELED;

import java.util.Arrays;
import sluice.loop.engine.CompletionSink;
import sluice.sys.PollFds;

/// A [PollerKernel] based on the one-shot polls of a [PollerPort]. The threading and locking rules
/// of [PollerKernel] apply.
///
/// A poll is armed while its entry waits for events. A poll that has fired is armed again by the
/// next wait, in the same crossing. It completes immediately if the descriptor is still ready,
/// which makes entries level-triggered. Entries whose events were found but not reported are armed
/// first, so that no entry starves. A disabled entry stays armed until it fires. Each arming has
/// its own token, so that completions of cancelled polls and of removed entries are recognized and
/// dropped.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all | the awaiting thread | plain | plain |
final class PollerOneShot extends PollerDeferred implements CompletionSink {
  /// The number of bits of a token that hold the slot.
  private static final int SLOT_BITS = 20;

  private final PollerPort port;
  private long[] tokens = new long[64];
  private long[] handles = new long[64];
  private int[] armedEvents = new int[64];
  private long sequence;

  /// The slots that have fired and must be armed again before the next wait.
  private int[] again = new int[64];

  private int againCount;
  private int[] readySlots = new int[64];
  private int[] readyResults = new int[64];
  private int readyCount;

  PollerOneShot(PollerTable table, PollerPort port) {
    super(table);
    this.port = port;
  }

  @Override
  String name() {
    return port.name();
  }

  @Override
  int check(int fd) {
    return port.check(fd);
  }

  @Override
  void prepare() {
    if (table.high() > tokens.length) {
      int size = table.capacity();
      tokens = Arrays.copyOf(tokens, size);
      handles = Arrays.copyOf(handles, size);
      armedEvents = Arrays.copyOf(armedEvents, size);
      again = Arrays.copyOf(again, size);
      readySlots = Arrays.copyOf(readySlots, size);
      readyResults = Arrays.copyOf(readyResults, size);
    }
    port.drain(this);
    for (int i = 0; i < readyCount; i++) { // came between two waits: ask again, it may be over
      again[againCount++] = readySlots[i];
    }
    readyCount = 0;
    int slot;
    for (int i = 0; (slot = table.changed(i)) >= 0; i++) {
      arm(slot);
    }
    for (int i = 0; i < againCount; i++) {
      arm(again[i]);
    }
    againCount = 0;
  }

  private void arm(int slot) {
    int interest = table.interest(slot);
    if (tokens[slot] != 0) {
      boolean same = handles[slot] == table.handle(slot);
      if (same && (armedEvents[slot] & interest) == interest) {
        return; // more than wanted is harmless: it is dropped when it fires
      }
      port.cancel(tokens[slot]);
      tokens[slot] = 0;
    }
    if (interest != 0) {
      tokens[slot] = ++sequence << SLOT_BITS | slot;
      handles[slot] = table.handle(slot);
      armedEvents[slot] = interest;
      port.arm(table.descriptor(slot), interest, tokens[slot]);
    }
  }

  @Override
  void await(int max, long timeoutNanos) {
    port.turn(timeoutNanos, this);
  }

  @Override
  public void complete(long token, int result, long flags) {
    int slot = (int) token & ((1 << SLOT_BITS) - 1);
    if (tokens[slot] == token) {
      tokens[slot] = 0;
      readySlots[readyCount] = slot;
      readyResults[readyCount++] = result;
    }
  }

  @Override
  void collect(PollerEvents into, int max) {
    int taken = 0;
    for (; taken < readyCount && into.count() < max; taken++) {
      ready(readySlots[taken], readyResults[taken], into);
    }
    for (int i = taken; i < readyCount; i++) {
      again[againCount++] = readySlots[i];
    }
    for (int i = 0; i < taken; i++) {
      again[againCount++] = readySlots[i];
    }
    readyCount = 0;
  }

  private void ready(int slot, int result, PollerEvents into) {
    if (handles[slot] != table.handle(slot) || result == -ECANCELED) {
      return; // the thread that armed it has ended, or the entry was removed
    }
    if (result == -EBADF) {
      table.die(slot);
    } else {
      table.report(slot, result < 0 ? PollFds.POLLERR : result, into);
    }
  }

  @Override
  void wake() {
    port.wake();
  }

  @Override
  long nanos() {
    return port.nanos();
  }

  @Override
  long calls() {
    return port.calls();
  }

  @Override
  public void close() {
    port.close();
  }
}

package sluice.vi.ring;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Failure;

/// The greeting of the accepting side, which reads the peer's request. After that the connection
/// waits to be accepted or refused. Owned by the loop's thread.
final class Arrival extends Greeting {
  private final Consumer<Arrival> ready;
  private final Runnable spoken;
  private boolean silent = true;
  private @Nullable RingConnection connection;
  private int tag;
  private int flags;
  private int transferBytes;
  private int refusal;
  private boolean gone;

  /// Creates the greeting of a connection.
  ///
  /// @param ready invoked when the peer's greeting has arrived and is valid
  /// @param spoken invoked once, when the peer has sent its greeting or is known never to send one
  Arrival(Consumer<Arrival> ready, Runnable spoken) {
    super(Frame.HELLO_BYTES);
    this.ready = ready;
    this.spoken = spoken;
  }

  void connection(RingConnection made) {
    connection = made;
  }

  RingConnection connection() {
    RingConnection made = connection;
    if (made == null) {
      throw new IllegalStateException("no connection yet");
    }
    return made;
  }

  int tag() {
    return tag;
  }

  int flags() {
    return flags;
  }

  int transferBytes() {
    return transferBytes;
  }

  /// Returns true if the peer has disconnected in the meantime.
  boolean isGone() {
    return gone;
  }

  /// Sends the reason for the refusal to the peer, and closes the connection.
  void refuse(int verdict) {
    if (!gone) {
      gone = true;
      refusal = verdict;
      connection().close();
    }
  }

  /// Closes the connection without a verdict.
  void drop() {
    noLongerSilent();
    if (!gone) {
      gone = true;
      connection().abort();
    }
  }

  private void noLongerSilent() {
    if (silent) {
      silent = false;
      spoken.run();
    }
  }

  @Override
  public int fill(MemorySegment memory) {
    int verdict = refusal;
    refusal = 0;
    return verdict == 0 ? 0 : Frame.answer(memory, verdict, 0);
  }

  @Override
  void heard(byte[] words) {
    noLongerSilent();
    tag = Frame.number(words, 4);
    flags = Frame.number(words, 8);
    transferBytes = Frame.number(words, 12);
    if (Frame.number(words, 0) != Frame.MAGIC || transferBytes < 1) {
      drop();
    } else {
      connection().noDeadline();
      ready.accept(this);
    }
  }

  @Override
  void failed(Failure why) {
    noLongerSilent();
    gone = true;
  }
}

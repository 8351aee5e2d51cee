package sluice.testkit.sim;

import java.net.SocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A simulated peer of the code under test. It writes its output in pieces and reads its input,
/// each at its own pace. Owned by the thread that runs the simulation.
///
/// Lifecycle: [#connect] → [#send] any number of times, before or after → [#finish] or [#reset] →
/// [#over].
public final class SimClient extends SimEndpoint {
  /// The speed of a client.
  ///
  /// @param maxWriteBytes the largest piece that it writes at a time
  /// @param maxReadBytes the largest piece that it reads at a time, which limits how fast its
  ///   receive window moves
  /// @param maxGapNanos the longest pause between two pieces
  /// @param stallPerMille the probability, in a thousand, that a pause lasts one second instead
  public record Pace(int maxWriteBytes, int maxReadBytes, int maxGapNanos, int stallPerMille) {
    /// Writes and reads everything at once.
    public static final Pace FAST = new Pace(1 << 20, 1 << 20, 0, 0);

    static Pace random(SimRandom random) {
      return new Pace(
          random.skewed(16_384),
          random.skewed(16_384) + 15,
          random.skewed(1_000_000),
          random.chance(100) ? random.skewed(50) : 0);
    }
  }

  /// Is notified of a client's changes, at the simulated time at which they happen.
  @FunctionalInterface
  public interface Listener {
    /// Called when the connection was established, bytes arrived, or it ended. The client tells
    /// which.
    void changed(SimClient client);
  }

  private static final int STALL_NANOS = 1_000_000_000;

  private final int id;
  private final Pace pace;
  private final SimRandom random;
  private byte[] outgoing = new byte[0];
  private int outgoingStart;
  private byte[] received = new byte[256];
  private int receivedBytes;
  private boolean established;
  private boolean finishing;
  private boolean writing;
  private boolean reading;
  private boolean inputEnded;
  private boolean ended;
  private boolean staysOpen;
  private int windowBytes = Integer.MAX_VALUE;
  private int errno;
  private @Nullable Listener listener;

  SimClient(SimNetwork network, int id, Pace pace) {
    super(network);
    this.id = id;
    this.pace = pace;
    this.random = network.random();
  }

  public SimClient listener(Listener value) {
    listener = value;
    return this;
  }

  /// Stops reading while it holds this many bytes that [#take] has not taken, like a busy program.
  /// Further bytes then stay in the kernel.
  public SimClient window(int bytes) {
    windowBytes = bytes;
    return this;
  }

  /// Keeps its half of the connection open after the server has ended the other one, until
  /// [#finish], [#close] or [#reset]. By default, the client closes as soon as it sees the end.
  public SimClient staysOpen() {
    staysOpen = true;
    return this;
  }

  public SimClient connect(SocketAddress address) {
    network.connect(this, address);
    return this;
  }

  /// Adds bytes to the output.
  public SimClient send(byte[] bytes) {
    byte[] rest = Arrays.copyOfRange(outgoing, outgoingStart, outgoing.length + bytes.length);
    System.arraycopy(bytes, 0, rest, outgoing.length - outgoingStart, bytes.length);
    outgoing = rest;
    outgoingStart = 0;
    onWritable();
    return this;
  }

  /// Half-closes the connection once everything is written.
  public SimClient finish() {
    finishing = true;
    onWritable();
    return this;
  }

  /// Resets the connection at once.
  public void reset() {
    network.trace("client resets", id, 0, 0);
    abort();
    closeEnd();
    end(0);
  }

  /// Closes at once, even in the middle of a transfer.
  public void close() {
    network.trace("client closes", id, 0, 0);
    closeEnd();
    end(0);
  }

  /// Resets the connection after a delay.
  public SimClient resetAfter(long delayNanos) {
    network.scheduler().after(delayNanos, this::reset);
    return this;
  }

  @Override
  public int id() {
    return id;
  }

  /// Returns a copy of the bytes that were read so far and not taken.
  public byte[] received() {
    return Arrays.copyOf(received, receivedBytes);
  }

  /// Takes received bytes, which [#received] does not contain any more.
  ///
  /// @return the number of bytes, 0 if there are none
  public int take(byte[] into, int offset, int length) {
    int count = Math.min(length, receivedBytes);
    System.arraycopy(received, 0, into, offset, count);
    receivedBytes -= count;
    System.arraycopy(received, count, received, 0, receivedBytes);
    onReadable();
    return count;
  }

  public int receivedBytes() {
    return receivedBytes;
  }

  /// Returns the number of bytes that have not been written yet.
  public int unsentBytes() {
    return outgoing.length - outgoingStart;
  }

  /// Returns true if the connection is established, or has been.
  public boolean established() {
    return established;
  }

  /// Returns true if no more bytes will come: everything before the server's FIN has been read, or
  /// the connection is [#over].
  public boolean inputEnded() {
    return inputEnded || ended;
  }

  /// Returns true if the connection has ended for this client: by the server's FIN, unless it
  /// [#staysOpen], by an error, or by its own action.
  public boolean over() {
    return ended;
  }

  /// Returns 0, or the negative errno that ended the connection.
  public int errno() {
    return errno;
  }

  /// Returns true if an injected fault, and not the code under test, has broken the connection.
  /// Replies may be missing then.
  public boolean brokenByFault() {
    return errno < 0 && lost();
  }

  @Override
  void onConnected(int result) {
    network.trace("client connected", id, result, 0);
    if (result < 0) {
      end(result);
      return;
    }
    established = true;
    changed();
    onWritable();
    onReadable();
  }

  private void changed() {
    if (listener != null) {
      listener.changed(this);
    }
  }

  @Override
  void onWritable() {
    if (established && !writing && !ended && writable()) {
      writing = true;
      network.scheduler().after(gap(), this::write);
    }
  }

  private void write() {
    writing = false;
    if (closed() || broken()) {
      return;
    }
    int unsent = unsentBytes();
    if (unsent == 0) {
      if (finishing) {
        sendFin();
      }
      return;
    }
    int length = Math.min(Math.min(unsent, roomOrErrno()), random.between(1, pace.maxWriteBytes));
    if (length > 0) {
      transmit(outgoing, outgoingStart, length);
      outgoingStart += length;
    }
    if (length >= 0) {
      onWritable();
    }
  }

  @Override
  void onReadable() {
    boolean wanted = receivedBytes < windowBytes && (!inputEnded || broken());
    if (established && wanted && !reading && !ended && readable()) {
      reading = true;
      network.scheduler().after(gap(), this::read);
    }
  }

  private void read() {
    reading = false;
    if (closed()) {
      return;
    }
    int most = Math.min(windowBytes - receivedBytes, random.between(1, pace.maxReadBytes));
    int length = Math.min(available(), most);
    if (length > 0) {
      if (receivedBytes + length > received.length) {
        received = Arrays.copyOf(received, Math.max(2 * received.length, receivedBytes + length));
      }
      input().read(received, receivedBytes, length);
      receivedBytes += length;
      consumed();
    } else if (staysOpen && !broken()) {
      inputEnded = true;
    } else {
      end(endOfInput());
      return;
    }
    changed();
    onReadable();
  }

  private void end(int result) {
    if (ended) {
      return;
    }
    network.trace("client ended", id, result, receivedBytes);
    ended = true;
    errno = result;
    closeEnd();
    changed();
  }

  private long gap() {
    return random.chance(pace.stallPerMille) ? STALL_NANOS : random.below(pace.maxGapNanos + 1);
  }
}

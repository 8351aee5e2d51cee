package sluice.testkit.sim;

import java.net.SocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A peer of the code under simulation: it writes what it was given in pieces and reads what comes,
/// each at its own pace. Owned by the thread that runs the simulation.
///
/// Lifecycle: [#connect] → [#send] any number of times, before or after → [#finish] or [#reset] →
/// [#over].
public final class SimClient extends SimEndpoint {
  /// How fast a client is.
  ///
  /// @param maxWriteBytes largest piece it writes at one time
  /// @param maxReadBytes largest piece it reads at one time: its receive window moves so slowly
  /// @param maxGapNanos longest pause between two pieces
  /// @param stallPerMille how often a pause lasts a second instead
  public record Pace(int maxWriteBytes, int maxReadBytes, int maxGapNanos, int stallPerMille) {
    /// Everything at once.
    public static final Pace FAST = new Pace(1 << 20, 1 << 20, 0, 0);

    static Pace random(SimRandom random) {
      return new Pace(
          random.skewed(16_384),
          random.skewed(16_384) + 15,
          random.skewed(1_000_000),
          random.chance(100) ? random.skewed(50) : 0);
    }
  }

  /// Hears of what a client sees, at the simulated time it sees it.
  @FunctionalInterface
  public interface Listener {
    /// The connection exists, bytes came, or it ended: ask the client which.
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

  /// Reads no further while it holds so many bytes that [#take] has not taken, as a program does
  /// that is busy with something else: what comes then stays in the kernel.
  public SimClient window(int bytes) {
    windowBytes = bytes;
    return this;
  }

  /// Leaves its half of the connection open when the server has ended the other one, until
  /// [#finish], [#close] or [#reset]. Without this it closes as soon as it sees the end.
  public SimClient staysOpen() {
    staysOpen = true;
    return this;
  }

  public SimClient connect(SocketAddress address) {
    network.connect(this, address);
    return this;
  }

  /// Adds bytes to what will be written.
  public SimClient send(byte[] bytes) {
    byte[] rest = Arrays.copyOfRange(outgoing, outgoingStart, outgoing.length + bytes.length);
    System.arraycopy(bytes, 0, rest, outgoing.length - outgoingStart, bytes.length);
    outgoing = rest;
    outgoingStart = 0;
    onWritable();
    return this;
  }

  /// Half-closes once everything is written.
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

  /// Closes at once, whatever is under way.
  public void close() {
    network.trace("client closes", id, 0, 0);
    closeEnd();
    end(0);
  }

  /// Resets the connection after a time.
  public SimClient resetAfter(long delayNanos) {
    network.scheduler().after(delayNanos, this::reset);
    return this;
  }

  @Override
  public int id() {
    return id;
  }

  /// What has been read so far.
  public byte[] received() {
    return Arrays.copyOf(received, receivedBytes);
  }

  /// Takes bytes that have come: [#received] no longer has them.
  ///
  /// @return how many, 0 when there are none
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

  /// Bytes that have not been written yet.
  public int unsentBytes() {
    return outgoing.length - outgoingStart;
  }

  /// Whether the connection exists, or has.
  public boolean established() {
    return established;
  }

  /// Whether no more bytes come: all that came before the server's FIN have been read, or the
  /// connection is [#over].
  public boolean inputEnded() {
    return inputEnded || ended;
  }

  /// Whether the connection has ended for this client: by the server's FIN, unless it [#staysOpen],
  /// by an error, or by its own doing.
  public boolean over() {
    return ended;
  }

  /// 0, or the negative errno that ended the connection.
  public int errno() {
    return errno;
  }

  /// Whether the simulated kernel has broken the connection by a fault, and nothing that is under
  /// simulation: replies may be missing.
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

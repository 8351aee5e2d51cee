package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.sys.Errno.EAGAIN;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.ListenOptions;
import sluice.memory.block.Block;

/// The engine under test with all resources that a test opens around it, closed when the test ends.
/// Owned by the test's thread.
final class EngineContractRig {
  /// Opens the engine under test.
  interface Opener {
    Engine open(EngineConfig config) throws IOException;
  }

  /// A completion. Received bytes are copied and the lease on their chunk is released, unless
  /// [#holdChunks] was called.
  static final class Event {
    private final long token;
    private final int result;
    private final long flags;
    private final byte[] bytes;
    private final @Nullable Block chunk;

    Event(long token, int result, long flags, byte[] bytes, @Nullable Block chunk) {
      this.token = token;
      this.result = result;
      this.flags = flags;
      this.bytes = bytes;
      this.chunk = chunk;
    }

    long token() {
      return token;
    }

    int result() {
      return result;
    }

    /// Returns the offset of the received bytes in the chunk.
    int offset() {
      return Completion.offset(flags);
    }

    boolean more() {
      return Completion.hasMore(flags);
    }

    byte[] bytes() {
      return bytes;
    }

    @Nullable Block chunk() {
      return chunk;
    }

    @Override
    public String toString() {
      return "token " + token + " result " + result + " flags " + flags;
    }
  }

  /// The two ends of a connection.
  record Pair(int socket, EngineContractPeers.Peer peer) {}

  static final long MILLIS = 1_000_000L;
  static final long SECONDS = 1_000 * MILLIS;
  private static final long TIMEOUT_NANOS = 60 * SECONDS;
  private static final long ACCEPT = 1L << 40;
  private static final byte[] NOTHING = {};

  final Arena memory = Arena.ofShared();
  final EngineContractPeers peers;
  private final Opener opener;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final Deque<Event> events = new ArrayDeque<>();
  private EngineConfig config = new EngineConfig(64, 1024, 1024);
  private boolean holdChunks;
  private @Nullable Engine engine;
  private int listener = -1;
  private long tokens = 1000;

  EngineContractRig(Opener opener, EngineContractPeers peers) {
    this.opener = opener;
    this.peers = peers;
  }

  // ---- opening ------------------------------------------------------------------------------

  /// Sets the configuration. Must be called before the first use of [#engine].
  void configure(EngineConfig value) {
    config = value;
  }

  Engine engine() throws IOException {
    Engine current = engine;
    if (current == null) {
      current = keep(opener.open(config));
      engine = current;
    }
    return current;
  }

  KernelTransport sockets() throws IOException {
    return engine().sockets();
  }

  <T extends AutoCloseable> T keep(T resource) {
    opened.add(resource);
    return resource;
  }

  long token() {
    return ++tokens;
  }

  static InetSocketAddress anyPort(String host) {
    try {
      return new InetSocketAddress(InetAddress.getByName(host), 0);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /// Connects a peer to the rig's listener, which is opened once.
  Pair pair() throws IOException {
    return accepted(dial());
  }

  /// Connects a peer without turning the engine to accept it.
  EngineContractPeers.Peer dial() throws IOException {
    if (listener < 0) {
      listener = sockets().listen(anyPort("127.0.0.1"), ListenOptions.DEFAULT);
      accept();
      turn(0);
    }
    return connectPeer(sockets().localAddress(listener));
  }

  Pair accepted(EngineContractPeers.Peer peer) throws IOException {
    return new Pair(awaitAccept().result(), peer);
  }

  /// Arms the listener of [#pair].
  void accept() throws IOException {
    sockets().accept(listener, ACCEPT);
  }

  void stopAccepting() throws IOException {
    engine().cancel(ACCEPT);
    assertThat(awaitAccept().more()).isFalse();
  }

  /// Closes the listener of [#pair] after accepting the connections that wait.
  ///
  /// @return false if the transport cannot do so
  boolean acceptRestAndClose() throws IOException {
    return sockets().acceptRestAndClose(listener);
  }

  Event awaitAccept() throws IOException {
    return await(ACCEPT);
  }

  EngineContractPeers.Peer connectPeer(SocketAddress address) throws IOException {
    return keep(peers.connect(address));
  }

  MemorySegment segment(byte[] bytes) {
    return memory.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
  }

  static byte[] randomBytes(int count, long seed) {
    byte[] bytes = new byte[count];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  // ---- turning ------------------------------------------------------------------------------

  /// Passes ownership of all further chunks to the test.
  void holdChunks() {
    holdChunks = true;
  }

  int turn(long timeoutNanos) throws IOException {
    return turn(timeoutNanos, this::complete);
  }

  /// Turns once. A turn without a time limit fails if it has to be woken in the end.
  int turn(long timeoutNanos, CompletionSink sink) throws IOException {
    Engine turned = engine();
    return timeoutNanos < 0
        ? EndlessWait.of(() -> turned.turn(timeoutNanos, sink), turned::wake)
        : turned.turn(timeoutNanos, sink);
  }

  private void complete(long token, int result, long flags) {
    byte[] bytes = NOTHING;
    Block chunk = null;
    if (Completion.hasChunk(flags)) {
      assertThat(result).isPositive();
      Block block = chunk(Completion.chunk(flags));
      assertThat(block.leases()).isPositive();
      int from = Completion.offset(flags);
      bytes = block.segment().asSlice(from, result).toArray(ValueLayout.JAVA_BYTE);
      if (holdChunks) {
        chunk = block;
      } else {
        block.release();
      }
    }
    events.add(new Event(token, result, flags, bytes, chunk));
  }

  private Block chunk(int index) {
    Engine current = engine;
    if (current == null) {
      throw new AssertionError("a completion without an engine");
    }
    return current.sockets().arena().block(index);
  }

  /// Turns until there is a completion of `token`, and removes it.
  Event await(long token) throws IOException {
    long end = peers.nanos() + TIMEOUT_NANOS;
    while (true) {
      Event event = poll(token);
      if (event != null) {
        return event;
      }
      assertThat(peers.nanos() - end).as("time for token %s; have %s", token, events).isNegative();
      turn(100 * MILLIS);
    }
  }

  /// Removes and returns the oldest delivered completion of `token`, or returns null.
  @Nullable Event poll(long token) {
    for (Iterator<Event> i = events.iterator(); i.hasNext(); ) {
      Event event = i.next();
      if (event.token() == token) {
        i.remove();
        return event;
      }
    }
    return null;
  }

  /// Collects `count` received bytes.
  byte[] awaitBytes(long token, int count) throws IOException {
    byte[] bytes = new byte[count];
    for (int filled = 0; filled < count; ) {
      Event event = await(token);
      assertThat(event.result()).as("receive after %s of %s bytes", filled, count).isPositive();
      assertThat(event.more()).isTrue();
      assertThat(filled + event.result()).isLessThanOrEqualTo(count);
      System.arraycopy(event.bytes(), 0, bytes, filled, event.result());
      filled += event.result();
    }
    return bytes;
  }

  /// Turns for a while and fails if `token` completes.
  void assertSilent(long token) throws IOException {
    assertThat(staysSilent(token)).isTrue();
  }

  /// Turns for a while and removes the completion of `token` if one comes.
  ///
  /// @return true if none came
  boolean staysSilent(long token) throws IOException {
    long end = peers.nanos() + 60 * MILLIS;
    while (peers.nanos() < end) {
      turn(20 * MILLIS);
    }
    return poll(token) == null;
  }

  /// Stages a send of more bytes than any socket buffer holds.
  ///
  /// @return the number of bytes that were taken, 0 for -EAGAIN
  int fill(int socket, MemorySegment bytes) throws IOException {
    long token = token();
    sockets().send(socket, token, bytes, 0, (int) bytes.byteSize());
    turn(0);
    Event event = poll(token);
    assertThat(event).as("a send that does not fit completes in its own turn").isNotNull();
    int result = event == null ? 0 : event.result();
    assertThat(result).isLessThan((int) bytes.byteSize());
    assertThat(result == -EAGAIN || result >= 0).isTrue();
    return Math.max(0, result);
  }

  /// Sends until no more bytes fit for a while, because the kernel still moves bytes to the peer.
  ///
  /// @return the number of bytes that were taken
  int fillUp(int socket, MemorySegment bytes) throws IOException {
    int taken = 0;
    for (int quiet = 0; quiet < 5; quiet++) {
      int more = fill(socket, bytes);
      taken += more;
      quiet = more > 0 ? 0 : quiet;
      turn(2 * MILLIS);
    }
    return taken;
  }

  void close() throws Exception {
    for (Event event : events) {
      if (event.chunk() != null && event.chunk().leases() > 0) {
        event.chunk().release();
      }
    }
    for (AutoCloseable resource : opened.reversed()) {
      resource.close();
    }
    memory.close();
  }
}

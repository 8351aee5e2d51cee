package sluice.loop;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.ChunkPool;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.SendVector;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// An engine that does what a test says, without waiting. Owned by the test's thread.
///
/// What is sent is read when the turn submits it, piece by piece for `sendAll`: bytes that the loop
/// gives up too early arrive changed.
final class ScriptedEngine implements Engine, KernelTransport {
  /// Decides how much of a send is taken.
  @FunctionalInterface
  interface Taking {
    /// @return 0 to `length`, -EAGAIN, or -EINTR, which also ends a `sendAll`
    int take(int length);
  }

  private record Range(MemorySegment segment, long offset, int length) {}

  private record Send(int socket, long token, List<Range> ranges, boolean all) {
    int length() {
      return ranges.stream().mapToInt(Range::length).sum();
    }
  }

  /// Pieces begin behind one, where it fits.
  private static final int FRAME_HEADER_BYTES = 54;

  private record Due(long token, int result, long flags) {}

  private final ChunkPool pool;
  private final Map<Integer, ByteArrayOutputStream> wires = new HashMap<>();
  private final Map<Integer, byte[]> files = new HashMap<>();
  private final Map<Integer, Long> receives = new HashMap<>();
  private final Map<Integer, Long> writableWaits = new HashMap<>();
  private final List<Send> staged = new ArrayList<>();
  private final List<Send> waiting = new ArrayList<>();
  private final Map<Send, Integer> progress = new HashMap<>();
  private final ArrayDeque<Due> due = new ArrayDeque<>();
  private Taking taking = length -> length;
  private long acceptToken;
  private boolean accepts;
  private boolean reserve = true;
  private int descriptors;
  private int sockets = 10;
  private int sends;
  private int longestVector;
  private boolean closed;
  private int wakes;
  private long peerTaken = -1;
  private boolean writable = true;
  private final Map<Integer, Taking> takings = new HashMap<>();
  private long latestWaitNanos;
  private Runnable meanwhile = () -> {};

  ScriptedEngine(EngineConfig config) {
    pool = new ChunkPool(config.chunks(), config.chunkBytes());
    pool.own(Thread.currentThread());
  }

  // ---- for tests ----------------------------------------------------------------------------

  void taking(Taking value) {
    taking = value;
  }

  /// As [#taking(Taking)], for one socket.
  void taking(int socket, Taking value) {
    takings.put(socket, value);
  }

  private Taking takingOf(int socket) {
    return takings.getOrDefault(socket, taking);
  }

  /// Whether waits for a writable socket end.
  void writable(boolean value) {
    writable = value;
  }

  /// What [#peerTakenBytes] says of every socket.
  void peerTaken(long value) {
    peerTaken = value;
  }

  /// A new connection, accepted by the next turn.
  int dial() {
    int socket = sockets++;
    wires.put(socket, new ByteArrayOutputStream());
    due.add(new Due(acceptToken, socket, Completion.MORE));
    return socket;
  }

  /// The accept that is armed ends so, with the next turn.
  void failAccept(int errno) {
    if (accepts) {
      accepts = false;
      due.add(new Due(acceptToken, -errno, 0));
    }
  }

  /// Whether an accept is armed.
  boolean accepts() {
    return accepts;
  }

  /// Whether there are descriptors for the reserve.
  void reserve(boolean value) {
    reserve = value;
  }

  /// How many descriptors are open.
  void descriptors(int count) {
    descriptors = count;
  }

  /// Bytes for a receive that is armed; delivered by the next turn.
  void arrive(int socket, byte[] bytes) {
    Long token = receives.get(socket);
    if (token == null) {
      throw new AssertionError("no receive is armed");
    }
    int chunk = pool.peek();
    int begin = Math.min(FRAME_HEADER_BYTES, pool.chunkBytes() - bytes.length);
    long piece = Completion.withChunk(chunk, begin, true);
    MemorySegment.copy(
        bytes, 0, pool.segment(), ValueLayout.JAVA_BYTE, pool.begin(piece), bytes.length);
    pool.lend(chunk);
    due.add(new Due(token, bytes.length, piece));
  }

  /// The peer ends the connection: 0 for FIN, or a negative errno.
  void end(int socket, int result) {
    Long token = receives.remove(socket);
    if (token != null) {
      due.add(new Due(token, result, 0));
    }
  }

  byte[] wire(int socket) {
    return wireOf(socket).toByteArray();
  }

  private ByteArrayOutputStream wireOf(int socket) {
    ByteArrayOutputStream wire = wires.get(socket);
    if (wire == null) {
      throw new AssertionError("socket " + socket + " is not open");
    }
    return wire;
  }

  void file(int fd, byte[] content) {
    files.put(fd, content);
  }

  int sends() {
    return sends;
  }

  boolean receiveArmed(int socket) {
    return receives.containsKey(socket);
  }

  /// Lends all chunks, as if others were using them.
  List<Block> takeAllChunks() {
    List<Block> taken = new ArrayList<>();
    for (int chunk = pool.peek(); chunk >= 0; chunk = pool.peek()) {
      pool.lend(chunk);
      taken.add(pool.block(chunk));
    }
    return taken;
  }

  /// Runs while the next turn waits.
  void meanwhile(Runnable action) {
    meanwhile = action;
  }

  /// Times the engine was woken, each of which costs a system call.
  int wakes() {
    return wakes;
  }

  /// How long the last turn would have waited, as in [Engine#turn].
  long latestWaitNanos() {
    return latestWaitNanos;
  }

  int longestVector() {
    return longestVector;
  }

  boolean isClosed() {
    return closed;
  }

  // ---- Engine -------------------------------------------------------------------------------

  @Override
  public String name() {
    return "scripted";
  }

  @Override
  public KernelTransport sockets() {
    return this;
  }

  @Override
  public int turn(long timeoutNanos, CompletionSink sink) {
    latestWaitNanos = timeoutNanos;
    Runnable action = meanwhile;
    meanwhile = () -> {};
    action.run();
    List<Send> now = List.copyOf(staged);
    staged.clear();
    for (Send send : now) {
      if (send.all()) {
        waiting.add(send);
        progress.put(send, 0);
      } else {
        trySend(send);
      }
    }
    goOn();
    Map<Integer, Long> over = writable ? Map.copyOf(writableWaits) : Map.of();
    for (Map.Entry<Integer, Long> wait : over.entrySet()) {
      writableWaits.remove(wait.getKey());
      due.add(new Due(wait.getValue(), 4, 0));
    }
    int count = due.size();
    for (int i = 0; i < count; i++) {
      Due next = due.remove();
      sink.complete(next.token(), next.result(), next.flags());
    }
    return count;
  }

  private void trySend(Send send) {
    sends++;
    longestVector = Math.max(longestVector, send.ranges().size());
    int length = send.length();
    int taken = takingOf(send.socket()).take(length);
    if (taken > 0) {
      write(send, 0, taken);
    }
    if (taken != length) {
      due.add(new Due(send.token(), taken, 0));
    }
  }

  private void goOn() {
    for (Send send : List.copyOf(waiting)) {
      int done = progress.getOrDefault(send, 0);
      int result = takingOf(send.socket()).take(send.length() - done);
      if (result == -Errno.EINTR) {
        waiting.remove(send);
        progress.remove(send);
        due.add(new Due(send.token(), done > 0 ? done : result, 0));
        continue;
      }
      int taken = Math.max(0, result);
      write(send, done, taken);
      progress.put(send, done + taken);
      if (done + taken == send.length()) {
        waiting.remove(send);
        progress.remove(send);
        due.add(new Due(send.token(), send.length(), 0));
      }
    }
  }

  private void write(Send send, int from, int count) {
    int skip = from;
    int left = count;
    for (Range range : send.ranges()) {
      int use = Math.min(left, range.length() - skip);
      if (use <= 0) {
        skip = Math.max(0, skip - range.length());
        continue;
      }
      byte[] bytes =
          range.segment().asSlice(range.offset() + skip, use).toArray(ValueLayout.JAVA_BYTE);
      wireOf(send.socket()).writeBytes(bytes);
      skip = 0;
      left -= use;
    }
  }

  @Override
  public void wake() {
    wakes++;
  }

  @Override
  public int pollOnce(int fd, int events, long token) {
    return -Errno.EOPNOTSUPP;
  }

  @Override
  public void cancel(long token) {
    boolean accepted = token == acceptToken && accepts;
    accepts &= !accepted;
    if (accepted
        || receives.values().remove(token)
        || writableWaits.values().remove(token)
        || waiting.removeIf(send -> send.token() == token)
        || staged.removeIf(send -> send.all() && send.token() == token)) {
      due.add(new Due(token, -Errno.ECANCELED, 0));
    }
  }

  @Override
  public long systemCalls() {
    return 0;
  }

  @Override
  public void close() {
    closed = true;
    pool.close();
  }

  // ---- Transport ----------------------------------------------------------------------------

  @Override
  public ChunkArena arena() {
    return pool;
  }

  @Override
  public int listen(SocketAddress address, ListenOptions options) {
    return 1;
  }

  @Override
  public int adoptListener(int fd) {
    return fd;
  }

  @Override
  public SocketAddress localAddress(int listener) {
    return new InetSocketAddress(1);
  }

  @Override
  public void accept(int listener, long token) {
    acceptToken = token;
    accepts = true;
  }

  @Override
  public boolean fillReserve() {
    return reserve;
  }

  @Override
  public boolean freeReserve() {
    return reserve;
  }

  @Override
  public int descriptorsUsed(int socket) {
    return descriptors;
  }

  @Override
  public void receive(int socket, long token) {
    receives.put(socket, token);
  }

  @Override
  public void send(int socket, long token, MemorySegment bytes, long offset, int length) {
    staged.add(new Send(socket, token, List.of(new Range(bytes, offset, length)), false));
  }

  @Override
  public void sendVector(int socket, long token, SendVector ranges) {
    List<Range> copied = new ArrayList<>();
    for (int i = 0; i < ranges.count(); i++) {
      copied.add(new Range(ranges.segment(i), ranges.offset(i), ranges.length(i)));
    }
    staged.add(new Send(socket, token, copied, false));
  }

  @Override
  public void sendAll(int socket, long token, MemorySegment bytes, long offset, int length) {
    staged.add(new Send(socket, token, List.of(new Range(bytes, offset, length)), true));
  }

  @Override
  public void awaitWritable(int socket, long token) {
    writableWaits.put(socket, token);
  }

  @Override
  public long peerTakenBytes(int socket) {
    return peerTaken;
  }

  @Override
  public long sendFile(int socket, int fileFd, long position, long count) {
    byte[] content = files.get(fileFd);
    if (content == null) {
      return -Errno.EINVAL;
    }
    int taken = takingOf(socket).take((int) Math.min(count, content.length - position));
    if (taken <= 0) {
      return -Errno.EAGAIN;
    }
    wireOf(socket).write(content, (int) position, taken);
    return taken;
  }

  @Override
  public void shutdown(int socket, int how) {}

  @Override
  public int connect(SocketAddress address, long token) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close(int socket) {
    receives.remove(socket);
  }

  @Override
  public @Nullable SocketAddress remoteAddress(int socket) {
    return null;
  }
}

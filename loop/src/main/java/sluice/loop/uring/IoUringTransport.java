package sluice.loop.uring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.engine.Completion;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.SendVector;
import sluice.loop.sockets.DescriptorReserve;
import sluice.loop.sockets.KernelSockets;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.IoVec;
import sluice.sys.MsgHeader;
import sluice.sys.PollFds;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.SubmissionQueue;

/// The kernel sockets of an [IoUringEngine], operated through its ring. Owned by the engine's
/// thread.
///
/// A socket number is an ordinary descriptor, so it has a peer address and files can be sent to it.
final class IoUringTransport implements KernelTransport {
  private static final int SILENT_FLAGS =
      Sockets.MSG_WAITALL | Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;
  private static final int WAITING_FLAGS = Sockets.MSG_WAITALL | Sockets.MSG_NOSIGNAL;

  /// The number of gathering sends that can be staged before they are submitted.
  private static final int VECTORS = 64;

  private static final int VECTOR_BYTES = MsgHeader.SIZE + SendVector.LIMIT * IoVec.SIZE;

  /// The limit of clients below which each accept operation accepts a single client.
  private static final int MANY_ACCEPTED = 256;

  private final IoUringEngine engine;
  private final SubmissionQueue submission;
  private final ReceiveArena arena;
  private final MemorySegment vectors = Arena.ofAuto().allocate((long) VECTORS * VECTOR_BYTES, 8);
  private int vectorsUsed;

  /// The listeners on which other loops or other processes may also wait.
  private final BitSet adoptedListeners = new BitSet();

  /// The tokens of the armed accepts.
  private long[] accepts = new long[4];

  private int acceptCount;

  /// True if each accept operation accepts a single client, see [#acceptAtMost].
  private boolean acceptsOne;

  private long systemCalls;

  /// The ordinary descriptors for which O_NONBLOCK is set because a file was sent to them.
  private final BitSet nonBlocking = new BitSet();

  private final DescriptorReserve reserve = DescriptorReserve.ofKernel();

  /// The open ordinary descriptors, for [#closeAll].
  private final BitSet open = new BitSet();

  private final DirectSlots slots;

  IoUringTransport(IoUringEngine engine, IoUring ring, ReceiveArena arena) {
    this.engine = engine;
    this.submission = ring.submission();
    this.arena = arena;
    this.slots = new DirectSlots(ring);
  }

  @Override
  public ChunkArena arena() {
    return arena;
  }

  // ---- listening ----------------------------------------------------------------------------

  @Override
  public int listen(SocketAddress address, ListenOptions options) throws IOException {
    engine.checkOwner();
    int fd = KernelSockets.listen(address, options, false);
    open.set(fd);
    adoptedListeners.clear(fd);
    return fd;
  }

  @Override
  public int adoptListener(int fd) throws IOException {
    engine.checkOwner();
    KernelSockets.adopt(fd, false); // a ring waits on blocking descriptors only
    adoptedListeners.set(fd);
    open.set(fd);
    return fd;
  }

  @Override
  public int adoptConnected(int fd) throws IOException {
    engine.checkOwner();
    KernelSockets.setMode(fd, false);
    open.set(fd);
    return fd;
  }

  @Override
  public SocketAddress localAddress(int listener) throws IOException {
    return KernelSockets.localAddress(listener);
  }

  @Override
  public boolean refuseNew(int listener) {
    return KernelSockets.refuseNew(listener);
  }

  @Override
  public void accept(int listener, long token) {
    engine.checkOwner();
    if (acceptCount == accepts.length) {
      accepts = Arrays.copyOf(accepts, 2 * acceptCount);
    }
    accepts[acceptCount++] = token;
    if (acceptsOne || adoptedListeners.get(listener)) {
      submission.accept(listener, token);
    } else {
      submission.acceptMultishot(listener, token);
    }
  }

  /// Examines every completion before it is delivered, in order to record accepted sockets.
  void completed(long token, int result, int flags) {
    for (int i = 0; i < acceptCount; i++) {
      if (accepts[i] == token) {
        accepted(i, result, flags);
        return;
      }
    }
  }

  /// Handles the refusal of a slot, see [DirectSlots#refused].
  void slotRefused(long token) {
    slots.refused(token);
  }

  private void accepted(int accept, int result, int flags) {
    if (!Completion.hasMore(flags)) {
      acceptCount--;
      accepts[accept] = accepts[acceptCount];
    }
    if (result >= 0) {
      open.set(result);
    }
  }

  @Override
  public int connect(SocketAddress address, long token) throws IOException {
    engine.checkOwner();
    int fd = KernelSockets.open(address, false);
    open.set(fd);
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment bytes = SocketAddresses.encode(address, scratch);
      submission.connect(fd, false, bytes, 0, (int) bytes.byteSize(), token);
      engine.submitNow(); // the kernel copies the address as it takes the entry
    }
    return fd;
  }

  /// Limits accepting. A multishot accept accepts all waiting clients, so it is cancelled and the
  /// loop arms it again.
  @Override
  public void acceptAtMost(int count, int used) {
    boolean one = count < MANY_ACCEPTED;
    if (one && !acceptsOne) {
      for (int i = 0; i < acceptCount; i++) {
        engine.cancel(accepts[i]);
      }
    }
    acceptsOne = one;
  }

  @Override
  public int descriptorsUsed(int socket) {
    return socket < 0 ? reserve.used() : socket + 1;
  }

  @Override
  public boolean fillReserve() {
    return reserve.fill();
  }

  @Override
  public boolean freeReserve() {
    return reserve.free();
  }

  // ---- moving bytes -------------------------------------------------------------------------

  @Override
  public void receive(int socket, long token) {
    engine.checkOwner();
    submission.receiveMultishot(socket, false, ReceiveArena.GROUP, token);
  }

  @Override
  public boolean receivesDirectly(int socket) {
    return true;
  }

  @Override
  public void receiveOnce(int socket, long token) {
    engine.checkOwner();
    submission.receiveSelected(socket, false, ReceiveArena.GROUP, token);
  }

  @Override
  public int tryReceive(int socket, MemorySegment into, long offset, int length) {
    engine.checkOwner();
    systemCalls++;
    return Sockets.recv(socket, into, offset, length, Sockets.MSG_DONTWAIT);
  }

  @Override
  public void send(int socket, long token, MemorySegment bytes, long offset, int length) {
    engine.checkOwner();
    submission.send(
        socket, slots.forSend(socket), bytes, offset, length, SILENT_FLAGS, true, token);
  }

  @Override
  public void sendVector(int socket, long token, SendVector ranges) {
    engine.checkOwner();
    if (vectorsUsed == VECTORS) {
      engine.submitNow();
      vectorsUsed = 0;
    }
    long header = (long) vectorsUsed++ * VECTOR_BYTES;
    long vector = header + MsgHeader.SIZE;
    int entries = 0;
    for (int i = 0; i < ranges.count(); i++) {
      entries =
          IoVec.add(
              vectors, vector, entries, ranges.segment(i), ranges.offset(i), ranges.length(i));
    }
    MsgHeader.set(vectors, header, vectors, vector, entries);
    int flags = ranges.more() ? SILENT_FLAGS | Sockets.MSG_MORE : SILENT_FLAGS;
    submission.sendMessage(socket, slots.forSend(socket), vectors, header, flags, true, token);
  }

  @Override
  public void sendAll(int socket, long token, MemorySegment bytes, long offset, int length) {
    engine.checkOwner();
    submission.send(socket, false, bytes, offset, length, WAITING_FLAGS, false, token);
  }

  @Override
  public void awaitWritable(int socket, long token) {
    engine.checkOwner();
    submission.pollAdd(socket, PollFds.POLLOUT, false, token);
  }

  @Override
  public long peerTakenBytes(int socket) {
    systemCalls++;
    return KernelSockets.peerTakenBytes(socket);
  }

  @Override
  public long sendFile(int socket, int fileFd, long position, long count) {
    engine.checkOwner();
    if (!nonBlocking.get(socket)) {
      // The sendfile(2) call has no equivalent flag; the ring's own operations ignore O_NONBLOCK.
      nonBlocking.set(socket);
      systemCalls++;
      Files.setStatusFlags(socket, Files.O_RDWR | Files.O_NONBLOCK);
    }
    long result;
    do {
      systemCalls++;
      result = Files.sendfile(socket, fileFd, position, count);
    } while (result == -Errno.EINTR);
    return result;
  }

  @Override
  public void shutdown(int socket, int how) {
    engine.checkOwner();
    systemCalls++;
    Sockets.shutdown(socket, how);
  }

  @Override
  public void cancel(long token) {
    engine.cancel(token);
  }

  @Override
  public void close(int socket) {
    engine.checkOwner();
    open.clear(socket);
    nonBlocking.clear(socket);
    slots.clear(socket);
    submission.close(socket);
  }

  @Override
  public int descriptor(int socket) {
    return socket;
  }

  @Override
  public @Nullable SocketAddress remoteAddress(int socket) {
    return KernelSockets.remoteAddress(socket);
  }

  // ---- for the engine -----------------------------------------------------------------------

  /// Reuses the message headers and ranges, which the kernel has copied during the submission.
  void submitted() {
    vectorsUsed = 0;
  }

  long systemCalls() {
    return systemCalls;
  }

  void closeAll() {
    reserve.close();
    open.stream().forEach(Files::close);
    open.clear();
  }
}

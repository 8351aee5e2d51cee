package sluice.fs.fuse;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import sluice.fs.FileTree;
import sluice.memory.Account;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.testbase.Await;

/// Speaks FUSE with a worker over a pair of sockets that replaces `/dev/fuse`. Confined to the
/// test's thread.
final class FakeFuseKernel implements AutoCloseable {
  private static final int SEQPACKET = 5;
  private static final int AF_UNIX = 1;
  static final int ROOM = 1 << 18;

  /// An answer of the worker.
  record Answer(long unique, int error, ByteBuffer body) {}

  final FuseSession session;

  /// The nodes whose cached directory listings the server has asked to drop.
  final List<Long> dropped = new ArrayList<>();

  private final int fd;
  private final Thread thread;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment memory = arena.allocate(ROOM, 8);
  private long unique = 1;

  FakeFuseKernel(FileTree tree, FuseOptions options, Path directory) throws IOException {
    Path path = directory.resolve("s" + System.nanoTime());
    int listener = Sockets.socket(AF_UNIX, SEQPACKET, 0);
    Sockets.bind(listener, UnixDomainSocketAddress.of(path));
    Sockets.listen(listener, 1);
    fd = Sockets.socket(AF_UNIX, SEQPACKET, 0);
    SysException.check(Sockets.connect(fd, UnixDomainSocketAddress.of(path)), "connect", path);
    int other = (int) SysException.check(Sockets.accept4(listener, 0), "accept4", listener);
    Files.close(listener);
    session = new FuseSession(tree, options, _ -> {});
    FuseWorker worker =
        new FuseWorker(session, other, new Account("fuse test", FuseExchange.BYTES));
    thread = Thread.ofPlatform().daemon().name("fuse-under-test").start(worker);
  }

  static ByteBuffer body(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /// Returns a body of four-byte numbers, followed by names.
  static ByteBuffer body(int[] words, String... names) {
    int bytes = words.length * 4;
    for (String name : names) {
      bytes += name.getBytes(StandardCharsets.UTF_8).length + 1;
    }
    ByteBuffer body = body(bytes);
    for (int word : words) {
      body.putInt(word);
    }
    for (String name : names) {
      body.put(name.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
    }
    return body.flip();
  }

  /// Sends a message.
  ///
  /// @return the number of the message
  long send(int opcode, long node, ByteBuffer body) throws IOException {
    ByteBuffer message = body(FuseLayout.IN_BYTES + body.remaining());
    unique += 2;
    message
        .putInt(message.capacity())
        .putInt(opcode)
        .putLong(unique)
        .putLong(node)
        .putInt(0)
        .putInt(0)
        .putInt(1)
        .putInt(0)
        .put(body)
        .flip();
    sendRaw(message);
    return unique;
  }

  void sendRaw(ByteBuffer message) throws IOException {
    int bytes = message.remaining();
    MemorySegment.copy(
        MemorySegment.ofBuffer(message),
        ValueLayout.JAVA_BYTE,
        0,
        memory,
        ValueLayout.JAVA_BYTE,
        0,
        bytes);
    SysException.check(Files.write(fd, memory, 0, bytes), "write", fd);
  }

  /// Waits for the next answer.
  Answer receive() throws IOException {
    int bytes = (int) SysException.check(Files.read(fd, memory, 0, ROOM), "read", fd);
    if (bytes < FuseLayout.OUT_BYTES) {
      throw new IOException("an answer of " + bytes + " bytes");
    }
    ByteBuffer all = memory.asSlice(0, bytes).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    if (all.getInt(FuseLayout.OUT_LEN) != bytes) {
      throw new IOException("the answer says " + all.getInt(0) + " bytes and has " + bytes);
    }
    if (all.getLong(FuseLayout.OUT_UNIQUE) == 0) {
      dropped.add(all.getLong(FuseLayout.OUT_BYTES + FuseLayout.NOTICE_INO));
      return receive(); // a notice answers nothing
    }
    ByteBuffer body = body(bytes - FuseLayout.OUT_BYTES);
    body.put(all.slice(FuseLayout.OUT_BYTES, body.capacity())).flip();
    return new Answer(all.getLong(FuseLayout.OUT_UNIQUE), all.getInt(FuseLayout.OUT_ERROR), body);
  }

  Answer ask(int opcode, long node, ByteBuffer body) throws IOException {
    long number = send(opcode, node, body);
    Answer answer = receive();
    if (answer.unique != number) {
      throw new IOException("an answer to " + answer.unique + " instead of " + number);
    }
    return answer;
  }

  Answer ask(int opcode, long node, int[] words, String... names) throws IOException {
    return ask(opcode, node, body(words, names));
  }

  /// Negotiates with the capabilities of a kernel of a given version.
  Answer init(int major, int minor, int flags) throws IOException {
    return ask(FuseOpcode.INIT, 0, new int[] {major, minor, 131_072, flags, 0, 0, 0, 0, 0, 0});
  }

  boolean workerLives() {
    return thread.isAlive();
  }

  @Override
  public void close() throws IOException {
    Files.close(fd);
    try {
      Await.end(thread);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    arena.close();
    session.nodes.close();
  }
}

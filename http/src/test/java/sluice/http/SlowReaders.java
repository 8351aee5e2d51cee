package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Sockets;

/// Many clients that read a little at a time, each in its turn. One thread uses it.
///
/// They announce small segments, so that the server's sockets get small buffers: otherwise some
/// megabytes of each reply would be in the kernel, and thousands of clients would not fit.
final class SlowReaders implements AutoCloseable {
  private static final int AF_INET = 2;
  private static final int TCP_MAXSEG = 2;
  private static final int SEGMENT_BYTES = 536;
  private static final int RECEIVE_BYTES = 8 << 10;

  /// One client, and what it has of its reply.
  private static final class Reader {
    final int fd;
    final StringBuilder head = new StringBuilder();
    int bodyBytes;
    boolean over;

    Reader(int fd) {
      this.fd = fd;
    }
  }

  private final Arena arena = Arena.ofConfined();
  private final List<Reader> readers = new ArrayList<>();
  private final MemorySegment body;
  private final MemorySegment buffer;
  private final int pieceBytes;

  /// @param pieceBytes that a client reads at a time
  SlowReaders(byte[] body, int pieceBytes) {
    this.body = MemorySegment.ofArray(body);
    this.buffer = arena.allocate(pieceBytes);
    this.pieceBytes = pieceBytes;
  }

  /// Connects clients that ask for `target`, once each.
  void ask(int count, int port, String target) throws IOException {
    byte[] text =
        HttpPeer.text("GET", target, "Connection: close").getBytes(StandardCharsets.US_ASCII);
    MemorySegment request = arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (int i = 0; i < count; i++) {
      int fd = Sockets.socket(AF_INET, Sockets.SOCK_STREAM | Sockets.SOCK_CLOEXEC, 0);
      readers.add(new Reader(fd));
      Sockets.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_RCVBUF, RECEIVE_BYTES);
      Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, TCP_MAXSEG, SEGMENT_BYTES);
      assertThat(Sockets.connect(fd, address)).isZero();
      assertThat(Sockets.send(fd, request, 0, text.length, Sockets.MSG_NOSIGNAL))
          .isEqualTo(text.length);
    }
  }

  /// Every client that is not done reads one piece, if it has come.
  ///
  /// @return whether any of them has read something
  boolean round() {
    boolean any = false;
    for (Reader reader : readers) {
      if (!reader.over) {
        int count = Sockets.recv(reader.fd, buffer, 0, pieceBytes, Sockets.MSG_DONTWAIT);
        if (count != -Errno.EAGAIN) {
          any = true;
          take(reader, count);
        }
      }
    }
    return any;
  }

  private void take(Reader reader, int count) {
    if (count <= 0) {
      reader.over = true;
      return;
    }
    int from = 0;
    while (from < count && !reader.head.toString().endsWith("\r\n\r\n")) {
      reader.head.append((char) buffer.get(ValueLayout.JAVA_BYTE, from++));
    }
    int more = Math.min(count - from, (int) body.byteSize() - reader.bodyBytes);
    assertThat(more).as("no more than the file").isEqualTo(count - from);
    long wrong =
        MemorySegment.mismatch(
            buffer, from, count, body, reader.bodyBytes, reader.bodyBytes + (long) more);
    assertThat(wrong).as("bytes as in the file").isEqualTo(-1);
    reader.bodyBytes += more;
  }

  boolean over() {
    return readers.stream().allMatch(each -> each.over);
  }

  /// Clients with the whole file.
  long complete() {
    return readers.stream()
        .filter(each -> each.head.toString().startsWith("HTTP/1.1 200 "))
        .filter(each -> each.bodyBytes == body.byteSize())
        .count();
  }

  @Override
  public void close() {
    readers.forEach(each -> Files.close(each.fd));
    arena.close();
  }
}

package sluice.bench.poller;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import sluice.bench.server.CannedReply;
import sluice.bench.server.RequestScan;
import sluice.loop.poller.Poller;

/// A connection of a demo server: echoes, or answers each HTTP request with the same file. One
/// thread at a time serves it.
final class PollerDemoConnection {
  private static final int RECEIVE_BYTES = 16 << 10;
  private static final ThreadLocal<ByteBuffer> BUFFER =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(RECEIVE_BYTES));

  /// The reply of the current second; replaced as a whole.
  private static volatile byte[] reply = {};

  private final SocketChannel channel;
  private final @Nullable RequestScan scan;

  /// The bytes for which the socket had no room.
  private @Nullable ByteBuffer rest;

  /// The handle of a poller; set before the connection is watched.
  long handle;

  PollerDemoConnection(SocketChannel channel, boolean http) {
    this.channel = channel;
    this.scan = http ? new RequestScan() : null;
  }

  /// Prepares the reply with a file, and keeps its date current from now on.
  static void serveFile(@Nullable Path file) throws IOException {
    if (file == null) {
      return;
    }
    if (!Files.isReadable(file)) {
      throw new IOException("--http " + file + ": there is no such file, or it cannot be read");
    }
    CannedReply canned = CannedReply.of(file);
    reply = canned.bytes(Instant.now());
    Thread.ofPlatform()
        .daemon()
        .name("date")
        .start(() -> {
          while (true) {
            try {
              Thread.sleep(1000);
            } catch (InterruptedException e) {
              return;
            }
            reply = canned.bytes(Instant.now());
          }
        });
  }

  SocketChannel channel() {
    return channel;
  }

  /// Returns the event it waits for: input, or room for the remaining bytes.
  int interest() {
    return rest == null ? Poller.IN : Poller.OUT;
  }

  /// Reads once and answers.
  ///
  /// @return the number of bytes received, 0 if there were none, -1 if the peer is gone
  int serve() {
    return serve(BUFFER.get());
  }

  /// Reads once and answers, with a buffer of the calling thread.
  int serve(ByteBuffer buffer) {
    try {
      if (rest != null && !write(rest)) {
        return 0;
      }
      int count = channel.read(buffer.clear());
      if (count > 0) {
        answer(buffer.flip());
      }
      return count;
    } catch (IOException e) {
      return -1; // resets are ordinary: load generators end their connections that way
    }
  }

  private void answer(ByteBuffer input) throws IOException {
    if (scan == null) {
      write(input);
      return;
    }
    int requests = 0;
    while (input.hasRemaining()) {
      requests += scan.take(input.get()) ? 1 : 0;
    }
    byte[] bytes = reply;
    if (requests == 1 && bytes.length <= input.capacity()) {
      write(input.clear().put(bytes).flip());
    } else if (requests > 0) {
      ByteBuffer all = ByteBuffer.allocate(requests * bytes.length);
      for (int i = 0; i < requests; i++) {
        all.put(bytes);
      }
      write(all.flip());
    }
  }

  /// Returns true if all bytes were written; the remaining ones are kept.
  private boolean write(ByteBuffer bytes) throws IOException {
    do {
      channel.write(bytes);
    } while (bytes.hasRemaining() && channel.isBlocking());
    if (!bytes.hasRemaining()) {
      rest = null;
      return true;
    }
    if (bytes != rest) {
      rest = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
    }
    return false;
  }

  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      System.err.println("close: " + e.getMessage());
    }
  }
}

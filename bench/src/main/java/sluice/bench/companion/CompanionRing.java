package sluice.bench.companion;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.uring.BufferRing;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.SubmissionQueue;

/// What a ring costs that several threads could take turns with: an echo on a bare ring, whose
/// thread owns it, opened with the given flags. The main thread is the client.
final class CompanionRing implements AutoCloseable {
  private static final int CONNECTIONS = 64;
  private static final int BUFFERS = 256;
  private static final int BUFFER_BYTES = 4096;
  private static final int GROUP = 1;
  private static final byte[] PING = new byte[64];
  private static final int SEND = Sockets.MSG_WAITALL | Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private final List<SocketChannel> clients = new ArrayList<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Thread server;
  private volatile long entered;

  CompanionRing(int setupFlags) throws IOException {
    int listener = Sockets.socket(2, Sockets.SOCK_STREAM, 0);
    Sockets.bind(listener, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Sockets.listen(listener, CONNECTIONS);
    List<Integer> accepted = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        SocketChannel client = SocketChannel.open();
        clients.add(client);
        client.connect(Sockets.getsockname(listener));
        accepted.add(Sockets.accept4(listener, 0));
      }
    } finally {
      Files.close(listener);
    }
    server =
        Thread.ofPlatform()
            .name("ring")
            .start(() -> {
              try {
                echo(setupFlags, accepted);
                ended.complete(null);
              } catch (IOException | RuntimeException | Error e) {
                ended.completeExceptionally(e);
              }
            });
  }

  private void echo(int setupFlags, List<Integer> sockets) throws IOException {
    try (Arena memory = Arena.ofShared();
        IoUring ring = IoUring.open(256, 4096, setupFlags)) {
      MemorySegment region = memory.allocate((long) BUFFERS * BUFFER_BYTES, 4096);
      ring.registerRingFd();
      BufferRing buffers = ring.registerBufferRing(GROUP, region, BUFFERS, BUFFER_BYTES);
      for (int i = 0; i < BUFFERS; i++) {
        buffers.add(i);
      }
      buffers.commit();
      for (int socket : sockets) {
        ring.submission().receiveMultishot(socket, false, GROUP, socket);
      }
      int open = sockets.size();
      int[] sent = new int[BUFFERS];
      int sentCount = 0;
      while (open > 0) {
        ring.enter(1, -1);
        entered = ring.enters();
        for (int i = 0; i < sentCount; i++) {
          buffers.add(sent[i]);
        }
        buffers.commit();
        sentCount = 0;
        CompletionQueue completion = ring.completion();
        int count = completion.available();
        for (int i = 0; i < count; i++) {
          int result = completion.result(i);
          if (result > 0) {
            int buffer = completion.flags(i) >>> 16;
            sent[sentCount++] = buffer;
            ring.submission()
                .send(
                    (int) completion.userData(i),
                    false,
                    region,
                    (long) buffer * BUFFER_BYTES,
                    result,
                    SEND,
                    true,
                    SubmissionQueue.IGNORED);
          } else {
            open--;
          }
        }
        completion.advance(count);
      }
    } finally {
      sockets.forEach(Files::close);
    }
  }

  /// All connections send one message each and wait for it, again and again.
  ///
  /// @return processor nanoseconds of the ring's thread for each message, and messages a kernel
  ///   crossing
  double[] measure(double seconds) throws IOException {
    long cpu = CompanionServer.THREADS.getThreadCpuTime(server.threadId());
    long enters = entered;
    long end = System.nanoTime() + (long) (seconds * 1e9);
    long messages = 0;
    ByteBuffer bytes = ByteBuffer.allocateDirect(PING.length);
    while (System.nanoTime() - end < 0) {
      for (SocketChannel client : clients) {
        bytes.clear();
        client.write(bytes);
      }
      for (SocketChannel client : clients) {
        bytes.clear();
        while (bytes.hasRemaining() && client.read(bytes) >= 0) {
          // until the whole message is back
        }
        messages++;
      }
    }
    long spent = CompanionServer.THREADS.getThreadCpuTime(server.threadId()) - cpu;
    return new double[] {(double) spent / messages, (double) messages / (entered - enters)};
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel client : clients) {
      client.close();
    }
    ended.join();
  }
}

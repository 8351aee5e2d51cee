package sluice.bench;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// The client of a [ChurnWork] server: sends requests from a few threads, each over a connection of
/// its own. It uses blocking sockets, which do not involve a selector provider.
final class ChurnClient {
  /// The bytes of a request, and of its reply.
  static final int BYTES = 64;

  private static final int THREADS = 4;
  private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

  private ChurnClient() {}

  /// Sends requests until the deadline.
  ///
  /// @param deadline of `System.nanoTime()`
  /// @return the number of requests answered, and the processor time of the client, ns
  static long[] ask(InetSocketAddress address, long deadline) throws Exception {
    long[] sum = new long[2];
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<long[]>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        all.add(threads.submit(() -> askAlone(address, deadline)));
      }
      for (Future<long[]> each : all) {
        sum[0] += each.get()[0];
        sum[1] += each.get()[1];
      }
    }
    return sum;
  }

  private static long[] askAlone(InetSocketAddress address, long deadline) throws IOException {
    long before = TIMES.getCurrentThreadCpuTime();
    byte[] request = new byte[BYTES];
    long done = 0;
    while (System.nanoTime() < deadline) {
      try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
        socket.setSoLinger(true, 0); // no connection waits for late packets: ports would run out
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write(request);
        InputStream in = socket.getInputStream();
        if (in.readNBytes(BYTES).length != BYTES || in.read() >= 0) {
          throw new IOException("not the reply that was expected");
        }
      }
      done++;
    }
    return new long[] {done, TIMES.getCurrentThreadCpuTime() - before};
  }
}

package sluice.domain.guest;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/// Guests that open sockets and allocate native memory, one class for each way. Loaded only in
/// domains.
@SuppressWarnings({"all", "unused"})
public final class Opens {
  static final List<Object> HELD = new ArrayList<>();

  /// A socket of a class of the domain.
  static class Own extends Socket {
    final Object first;

    Own(Object first) {
      super();
      this.first = first;
    }
  }

  /// Opens one socket of each kind, eleven descriptors, and keeps them open.
  public static final class OfEachKind implements Callable<Object> {
    public Object call() throws IOException {
      boolean even = HELD.size() % 2 == 0;
      HELD.add(new Socket());
      HELD.add(new Own(even ? new Socket() : null));
      HELD.add(new ServerSocket(0));
      HELD.add(new DatagramSocket());
      HELD.add(SocketChannel.open());
      HELD.add(ServerSocketChannel.open());
      HELD.add(DatagramChannel.open());
      HELD.add(Selector.open());
      HELD.add(Pipe.open());
      return HELD.size();
    }
  }

  /// Opens and closes a socket repeatedly.
  public static final class OneAfterTheOther implements Callable<Object> {
    public Object call() throws IOException {
      int done = 0;
      for (; done < 300; done++) {
        try (SocketChannel channel = SocketChannel.open();
            ServerSocket _ = new ServerSocket()) {
          HELD.add(channel);
        }
      }
      return done;
    }
  }

  /// Opens sockets until it is refused, from four threads.
  public static final class Bomb implements Callable<Object> {
    public Object call() throws Exception {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Thread thread =
            new Thread(() -> {
              try {
                while (true) {
                  Closeable made = SocketChannel.open();
                  synchronized (HELD) {
                    HELD.add(made);
                  }
                }
              } catch (IOException | IllegalStateException e) {
                // refused
              }
            });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
      return HELD.size();
    }
  }

  /// Allocates a direct buffer of a megabyte and keeps it.
  public static final class Buffer implements Callable<Object> {
    public Object call() {
      HELD.add(ByteBuffer.allocateDirect(1 << 20));
      return HELD.size();
    }
  }

  /// Drops everything that it keeps.
  public static final class Drop implements Callable<Object> {
    public Object call() {
      HELD.clear();
      return 0;
    }
  }
}

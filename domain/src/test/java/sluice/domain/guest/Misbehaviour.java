package sluice.domain.guest;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/// Guests that misbehave, one class for each way. Loaded only in domains.
@SuppressWarnings({"all", "unused"})
public final class Misbehaviour {
  static volatile boolean never;
  static long sink;

  public static final class EndlessLoop implements Runnable {
    public void run() {
      while (!never) {
        sink++;
      }
    }
  }

  public static final class CountedLoop implements Runnable {
    public void run() {
      int[] values = new int[256];
      while (true) {
        long sum = 0;
        for (int i = 0; i < 2_000_000_000; i++) {
          sum += values[i & 255] * (long) i;
        }
        sink += sum;
      }
    }
  }

  public static final class CatchAll implements Runnable {
    public void run() {
      while (true) {
        try {
          while (!never) {
            sink++;
          }
        } catch (Throwable t) {
          sink = 0;
        }
      }
    }
  }

  public static final class FinallyLoop implements Runnable {
    public void run() {
      try {
        while (!never) {
          sink++;
        }
      } finally {
        while (!never) {
          sink--;
        }
      }
    }
  }

  public static final class Switching implements Runnable {
    public void run() {
      int state = 0;
      while (true) {
        switch (state) {
          case 0:
            state = 1;
            continue;
          case 1:
            state = 2;
            continue;
          default:
            state = 0;
            continue;
        }
      }
    }
  }

  public static final class Recursion implements Runnable {
    public void run() {
      while (true) {
        try {
          down(1);
        } catch (StackOverflowError e) {
          sink++;
        }
      }
    }

    private long down(long depth) {
      return depth + down(depth + 1);
    }
  }

  public static final class AllocationBomb implements Runnable {
    public void run() {
      List<byte[]> some = new ArrayList<>();
      while (true) {
        some.add(new byte[1 << 16]);
        if (some.size() > 100) {
          some.clear();
        }
      }
    }
  }

  public static final class ThreadBomb implements Runnable {
    public void run() {
      while (true) {
        try {
          new Thread(new EndlessPark()).start();
        } catch (IllegalStateException e) {
          sink++;
        }
      }
    }
  }

  public static final class VirtualThreadBomb implements Runnable {
    public void run() {
      while (true) {
        try {
          Thread.startVirtualThread(new EndlessPark());
          Thread.startVirtualThread(new EndlessLoop());
        } catch (IllegalStateException e) {
          sink++;
        }
      }
    }
  }

  public static final class EndlessPark implements Runnable {
    public void run() {
      while (true) {
        LockSupport.park();
      }
    }
  }

  public static final class EndlessSleep implements Runnable {
    public void run() {
      while (true) {
        try {
          Thread.sleep(100_000);
        } catch (InterruptedException e) {
          sink++;
        }
      }
    }
  }

  public static final class OwnMonitor implements Runnable {
    private final Object monitor = new Object();

    public void run() {
      new Thread(this::hold).start();
      hold();
    }

    private void hold() {
      synchronized (monitor) {
        while (!never) {
          sink++;
        }
      }
    }
  }

  public static final class WaitOnMonitor implements Runnable {
    public synchronized void run() {
      while (true) {
        try {
          wait();
        } catch (InterruptedException e) {
          sink++;
        }
      }
    }
  }

  public static final class MonitorOfJdk implements Runnable {
    public void run() {
      synchronized (Runtime.getRuntime()) {
        sink++;
      }
    }
  }

  public static final class ChannelAccept implements Runnable {
    public void run() {
      while (true) {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
          channel.bind(new InetSocketAddress("127.0.0.1", 0));
          channel.accept();
        } catch (IOException e) {
          sink++;
        }
      }
    }
  }

  public static final class SocketAccept implements Runnable {
    public static volatile int port;

    public void run() {
      try (ServerSocket socket = new ServerSocket(0)) {
        port = socket.getLocalPort();
        socket.accept();
      } catch (IOException e) {
        sink++;
      }
    }
  }

  public static final class Regex implements Runnable {
    public void run() {
      sink += Pattern.matches("(a+a+)+\\1b", "a".repeat(120)) ? 1 : 0;
    }
  }

  public static final class RegexOfString implements Runnable {
    public void run() {
      sink += "a".repeat(120).replaceAll("(a+a+)+\\1b", "").length();
    }
  }

  public static final class HostileHash implements Runnable {
    public int hashCode() {
      while (!never) {
        sink++;
      }
      return 1;
    }

    public void run() {
      Map<Object, Object> map = new HashMap<>();
      map.put(this, this);
    }
  }

  public static final class HostileComparator implements Runnable {
    public void run() {
      List<Integer> list = new ArrayList<>(List.of(3, 2, 1));
      list.sort((a, b) -> {
        while (!never) {
          sink++;
        }
        return 0;
      });
    }
  }

  public static final class Power implements Runnable {
    public void run() {
      while (true) {
        sink += BigInteger.valueOf(3).pow(3_000_000).bitLength();
      }
    }
  }

  public static final class Uninterruptible implements Runnable {
    public static final Semaphore NONE = new Semaphore(0);

    public void run() {
      NONE.acquireUninterruptibly();
    }
  }

  public static final class Initializer implements Runnable {
    public void run() {
      while (true) {
        try {
          Overflowing.touch();
        } catch (LinkageError | StackOverflowError e) {
          sink++;
        }
      }
    }
  }

  static final class Overflowing {
    static final long VALUE = down(0);

    static void touch() {}

    private static long down(long depth) {
      return depth + down(depth + 1);
    }
  }

  public static final class ShutdownHook implements Runnable {
    public void run() {
      Runtime.getRuntime().addShutdownHook(new Thread(this));
    }
  }

  public static final class Quick implements Runnable {
    public void run() {
      sink += "a,b;c".split("[,;]").length;
      Runnable task = () -> sink++;
      task.run();
      System.setProperty("quick", "yes");
    }
  }

  /// Waits in a read of a FIFO, made by the test, whose writer does not write.
  public static final class ReadsFifo implements Runnable {
    public void run() {
      try (java.io.InputStream in = new java.io.FileInputStream(System.getProperty("guest.fifo"))) {
        in.read();
      } catch (IOException e) {
        sink++;
      }
    }
  }

  /// Connects to a server that accepts but does not answer.
  public static final class OpensUrl implements Runnable {
    public void run() {
      try {
        java.net.URI.create(System.getProperty("guest.url")).toURL().openStream().read();
      } catch (IOException e) {
        sink++;
      }
    }
  }

  /// Waits in a socket whose overridden close does nothing.
  public static final class AcceptOfOwnSocket implements Runnable {
    static final class Own extends ServerSocket {
      Own() throws IOException {
        super(0);
      }

      @Override
      public void close() {
        sink++;
      }
    }

    public void run() {
      try {
        new Own().accept();
      } catch (IOException e) {
        sink++;
      }
    }
  }
}

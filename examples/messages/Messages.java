import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongBinaryOperator;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAttributes;
import sluice.vi.ViException;
import sluice.vi.ViServer;
import sluice.vi.WaitMode;

/// A small message-passing library over Virtual Interfaces, and a program of N processes that uses
/// it: barrier, broadcast, reduce, all-to-all. Each two processes have a VI.
///
/// Run: `./sluice example messages [PROCESSES [DEVICE [WAIT]]]`
final class Messages {
  /// The processes that belong together; this one has a rank from 0. Of one thread.
  static final class Group implements AutoCloseable {
    private static final int TAG = 1;
    private static final int PATIENCE_MICROS = 60_000_000;
    private static final byte[] NOTHING = {};

    private final int rank;
    private final Vi[] peers;
    private final Nic nic;
    private final ViAttributes attributes;

    /// Connects to all others: to those of a lower rank, which accept.
    ///
    /// @param places where each rank listens
    Group(Nic nic, List<String> places, int rank, ViAttributes attributes) throws IOException {
      this.nic = nic;
      this.rank = rank;
      this.attributes = attributes;
      int size = places.size();
      peers = new Vi[size];
      try (ViServer server = new ViServer(nic.address(places.get(rank)), TAG)) {
        for (int lower = 0; lower < rank; lower++) {
          peers[lower] = connect(places.get(lower));
          send(lower, ByteBuffer.allocate(4).putInt(rank).array());
        }
        for (int i = rank + 1; i < size; i++) {
          Vi vi = server.accept(attributes, PATIENCE_MICROS);
          peers[ByteBuffer.wrap(vi.recv(PATIENCE_MICROS)).getInt()] = vi;
        }
      }
    }

    /// The others start when they start.
    private Vi connect(String place) throws IOException {
      long begin = System.nanoTime();
      while (true) {
        try {
          return new Vi(nic.address(place), attributes, null, null, TAG);
        } catch (ViException e) {
          if (System.nanoTime() - begin > PATIENCE_MICROS * 1000L) {
            throw e;
          }
          LockSupport.parkNanos(1_000_000);
        }
      }
    }

    int rank() {
      return rank;
    }

    int size() {
      return peers.length;
    }

    void send(int to, byte[] message) throws IOException {
      peers[to].send(message, 0, message.length, PATIENCE_MICROS);
    }

    byte[] receive(int from) throws IOException {
      return peers[from].recv(PATIENCE_MICROS);
    }

    private int behind(int distance) {
      return Math.floorMod(rank + distance, size());
    }

    /// Returns when all are here. Dissemination: in round k each tells the one 2^k behind it.
    void barrier() throws IOException {
      for (int distance = 1; distance < size(); distance *= 2) {
        send(behind(distance), NOTHING);
        byte[] _ = receive(behind(-distance));
      }
    }

    /// What rank 0 has, everywhere. A binomial tree: each passes it on to those above it.
    byte[] broadcast(byte[] message) throws IOException {
      int low = rank == 0 ? Integer.highestOneBit(size() - 1) * 2 : Integer.lowestOneBit(rank);
      byte[] got = rank == 0 ? message : receive(rank - low);
      for (int distance = low / 2; distance > 0; distance /= 2) {
        if (rank + distance < size()) {
          send(rank + distance, got);
        }
      }
      return got;
    }

    /// The numbers of all, put together place by place; complete at rank 0. The same tree, upward.
    long[] reduce(long[] numbers, LongBinaryOperator operator) throws IOException {
      long[] sum = numbers.clone();
      for (int distance = 1; distance < size(); distance *= 2) {
        if ((rank & distance) != 0) {
          ByteBuffer bytes = ByteBuffer.allocate(sum.length * Long.BYTES);
          bytes.asLongBuffer().put(sum);
          send(rank - distance, bytes.array());
          break;
        }
        if (rank + distance < size()) {
          long[] other = new long[sum.length];
          ByteBuffer.wrap(receive(rank + distance)).asLongBuffer().get(other);
          for (int i = 0; i < sum.length; i++) {
            sum[i] = operator.applyAsLong(sum[i], other[i]);
          }
        }
      }
      return sum;
    }

    /// Sends a message to each rank, and returns those of all. Round k is with the ranks k away.
    byte[][] allToAll(byte[][] messages) throws IOException {
      byte[][] got = new byte[size()][];
      got[rank] = messages[rank];
      for (int distance = 1; distance < size(); distance++) {
        send(behind(distance), messages[behind(distance)]);
        got[behind(-distance)] = receive(behind(-distance));
      }
      return got;
    }

    @Override
    public void close() {
      for (Vi peer : peers) {
        if (peer != null) {
          peer.close();
        }
      }
    }
  }

  public static void main(String[] args) throws Exception {
    if (args.length == 5 && args[0].equals("rank")) {
      List<String> places = List.of(args[2].split(","));
      try (Nic nic = Nic.open(args[3]);
          Group group = new Group(nic, places, Integer.parseInt(args[1]), waiting(args[4]))) {
        work(group);
      }
      return;
    }
    int size = args.length > 0 ? Integer.parseInt(args[0]) : 4;
    String device = args.length > 1 ? args[1] : "local";
    String wait = args.length > 2 ? args[2] : "hybrid";
    boolean known = List.of("spin", "hybrid", "park").contains(wait);
    if (args.length > 3 || size < 1 || size > 64 || !known) {
      System.err.println(
          "usage: sluice example messages"
              + " [1 to 64 [local|ring|ofi-shm|ofi-tcp [spin|hybrid|park]]]");
      System.exit(2);
    }
    List<String> places = places(device, size);
    List<Process> others = new ArrayList<>();
    try (Nic nic = Nic.open(device)) {
      for (int rank = 1; rank < size; rank++) {
        others.add(start("rank", "" + rank, String.join(",", places), device, wait));
      }
      try (Group group = new Group(nic, places, 0, waiting(wait))) {
        work(group);
      }
      for (Process other : others) {
        if (other.waitFor() != 0) {
          throw new IllegalStateException("a process ended with " + other.exitValue());
        }
      }
    } finally {
      others.forEach(Process::destroy);
    }
  }

  /// What each process does. What comes out wrong ends it.
  private static void work(Group group) throws IOException {
    int size = group.size();
    group.barrier();
    byte[] word = group.broadcast(group.rank() == 0 ? "hello".getBytes() : null);
    check(new String(word).equals("hello"), "broadcast");
    long[] sum = group.reduce(new long[] {1, group.rank()}, Long::sum);
    long ranks = (long) size * (size - 1) / 2;
    check(group.rank() > 0 || Arrays.equals(sum, new long[] {size, ranks}), "reduce");
    byte[][] mine = new byte[size][];
    for (int to = 0; to < size; to++) {
      mine[to] = new byte[] {(byte) group.rank(), (byte) to};
    }
    byte[][] got = group.allToAll(mine);
    for (int from = 0; from < size; from++) {
      check(got[from][0] == from && got[from][1] == group.rank(), "all-to-all");
    }
    int rounds = 200;
    long begin = System.nanoTime();
    for (int i = 0; i < rounds; i++) {
      group.barrier();
    }
    if (group.rank() == 0) {
      double micros = (System.nanoTime() - begin) / 1e3 / rounds;
      System.out.printf(
          "%d processes: hello to all, sum of ranks %d, all-to-all right, barrier %.1f us%n",
          size, sum[1], micros);
    }
  }

  private static void check(boolean right, String what) {
    if (!right) {
      throw new IllegalStateException(what + " came out wrong");
    }
  }

  /// Where each rank listens: of `ring`, ports that are free now.
  private static List<String> places(String device, int size) throws IOException {
    List<String> places = new ArrayList<>();
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int rank = 0; rank < size; rank++) {
        if (device.equals("ring")) {
          ServerSocket socket = new ServerSocket(0);
          sockets.add(socket); // open until the last has its own
          places.add("127.0.0.1:" + socket.getLocalPort());
        } else {
          places.add("messages-" + ProcessHandle.current().pid() + "-" + rank);
        }
      }
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
    return places;
  }

  private static ViAttributes waiting(String wait) {
    return ViAttributes.DEFAULT.withWaiting(WaitMode.valueOf(wait.toUpperCase(Locale.ROOT)));
  }

  /// This program again, in another process.
  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin/java");
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=sluice.sys"));
    command.addAll(List.of("--module-path", System.getProperty("jdk.module.path")));
    command.addAll(List.of("--add-modules", "ALL-MODULE-PATH"));
    command.add(System.getProperty("sun.java.command").split(" ")[1]); // the source file
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).inheritIO().start();
  }
}

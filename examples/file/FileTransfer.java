import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAttributes;
import sluice.vi.ViBuffer;
import sluice.vi.ViBufferAttributes;
import sluice.vi.ViBufferTicket;
import sluice.vi.ViServer;
import sluice.vi.ViTicket;
import sluice.vi.WaitMode;

/// Sends a file to another process over a Virtual Interface, with registered buffers: eight are on
/// their way while the next is read. An empty message is the end, and is answered.
///
/// Run: `./sluice example file [FILE [DEVICE [WAIT]]]`
final class FileTransfer {
  private static final int TAG = 1;
  private static final int PIECE = 64 << 10;
  private static final int WINDOW = 8;
  private static final int PATIENCE_MICROS = 60_000_000;

  /// Registered buffers that are used in turn.
  private static final class Buffers implements AutoCloseable {
    private final ViBufferTicket[] tickets = new ViBufferTicket[WINDOW];

    Buffers(Vi vi) throws IOException {
      for (int i = 0; i < WINDOW; i++) {
        tickets[i] = new ViBuffer(PIECE).register(vi, ViBufferAttributes.READ_WRITE);
      }
    }

    @Override
    public void close() {
      for (ViBufferTicket ticket : tickets) {
        ticket.buffer().close();
      }
    }
  }

  static long send(Vi vi, Path file) throws IOException {
    long sent = 0;
    Buffers buffers = new Buffers(vi);
    try (FileChannel in = FileChannel.open(file)) {
      ByteBuffer piece = ByteBuffer.allocate(PIECE);
      int posted = 0;
      int length;
      do {
        piece.clear();
        while (piece.hasRemaining() && in.read(piece) >= 0) {}
        length = piece.position();
        ViBufferTicket ticket = buffers.tickets[posted % WINDOW];
        if (posted >= WINDOW) {
          ViTicket _ = vi.sendBufWait(PATIENCE_MICROS);
        }
        ticket.buffer().bytes().copyFrom(piece.array(), 0, 0, length);
        vi.sendBufPost(ticket, 0, length);
        posted++;
        sent += length;
      } while (length > 0);
      for (int i = Math.min(posted, WINDOW); i > 0; i--) {
        ViTicket _ = vi.sendBufWait(PATIENCE_MICROS);
      }
      if (vi.recv(PATIENCE_MICROS).length != Long.BYTES) {
        throw new IOException("the other process did not confirm");
      }
    } finally {
      vi.close(); // gives the buffers back
      buffers.close();
    }
    return sent;
  }

  static void receive(Vi vi, Path file) throws IOException {
    Buffers buffers = new Buffers(vi);
    try (FileChannel out =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (ViBufferTicket ticket : buffers.tickets) {
        vi.recvBufPost(ticket, 0);
      }
      byte[] piece = new byte[PIECE];
      long received = 0;
      while (true) {
        ViBufferTicket got = (ViBufferTicket) vi.recvBufWait(PATIENCE_MICROS);
        int length = got.length();
        if (length == 0) {
          break;
        }
        got.buffer().bytes().copyTo(0, piece, 0, length);
        vi.recvBufPost(got, 0);
        ByteBuffer bytes = ByteBuffer.wrap(piece, 0, length);
        while (bytes.hasRemaining()) {
          received += out.write(bytes);
        }
      }
      vi.send(ByteBuffer.allocate(Long.BYTES).putLong(received).array(), 0, Long.BYTES);
    } finally {
      vi.close();
      buffers.close();
    }
  }

  public static void main(String[] args) throws Exception {
    if (args.length == 5 && args[0].equals("receive")) {
      try (Nic nic = Nic.open(args[2]);
          ViServer server = new ViServer(nic.address(args[1]), TAG)) {
        System.out.println("ready");
        receive(server.accept(waiting(args[3]), PATIENCE_MICROS), Path.of(args[4]));
      }
      return;
    }
    String device = args.length > 1 ? args[1] : "local";
    String wait = args.length > 2 ? args[2] : "hybrid";
    if (args.length > 3 || !List.of("spin", "hybrid", "park").contains(wait)) {
      System.err.println(
          "usage: sluice example file [FILE [local|ring|ofi-shm|ofi-tcp [spin|hybrid|park]]]");
      System.exit(2);
    }
    Path folder = Files.createTempDirectory("sluice-file");
    Path copy = folder.resolve("copy");
    Path file = args.length > 0 ? Path.of(args[0]) : Files.write(folder.resolve("file"), some());
    String place = place(device, "file-" + ProcessHandle.current().pid());
    Process other = start("receive", place, device, wait, copy.toString());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> clean(other, folder)));
    try (Nic nic = Nic.open(device)) {
      if (!"ready".equals(other.inputReader().readLine())) {
        throw new IllegalStateException("the other process did not start");
      }
      long begin = System.nanoTime();
      long sent = send(new Vi(nic.address(place), waiting(wait), null, null, TAG), file);
      double seconds = (System.nanoTime() - begin) / 1e9;
      if (other.waitFor() != 0 || Files.mismatch(file, copy) >= 0) {
        throw new IllegalStateException("the copy is not the file");
      }
      System.out.printf("%d bytes, %.0f MB/s, the copy is the file%n", sent, sent / seconds / 1e6);
    }
  }

  /// Ends the other process and removes the files: at the end of this process, also by Ctrl-C.
  private static void clean(Process other, Path folder) {
    other.destroyForcibly().onExit().join();
    try {
      Files.deleteIfExists(folder.resolve("copy"));
      Files.deleteIfExists(folder.resolve("file"));
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      System.err.println("files stay in " + folder + ": " + e.getMessage());
    }
  }

  private static byte[] some() {
    byte[] bytes = new byte[(16 << 20) + 12_345];
    new Random(7).nextBytes(bytes);
    return bytes;
  }

  /// Where a process listens: of `ring`, a port that is free now.
  private static String place(String device, String name) throws IOException {
    if (!device.equals("ring")) {
      return name;
    }
    try (ServerSocket socket = new ServerSocket(0)) {
      return "127.0.0.1:" + socket.getLocalPort();
    }
  }

  private static ViAttributes waiting(String wait) {
    return ViAttributes.DEFAULT.withWaiting(WaitMode.valueOf(wait.toUpperCase(Locale.ROOT)));
  }

  /// This program again, in another process.
  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=sluice.sys"));
    command.addAll(List.of("--module-path", System.getProperty("jdk.module.path")));
    command.addAll(List.of("--add-modules", "ALL-MODULE-PATH"));
    command.add(System.getProperty("sun.java.command").split(" ")[1]); // the source file
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}

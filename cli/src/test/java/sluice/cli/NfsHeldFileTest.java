package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Ends `sluice nfs` while an NFSv4.1 client holds a removed file open, and checks the server's
/// statement about the image. Used by the test's thread.
@Timeout(300)
final class NfsHeldFileTest {
  private static final Pattern PORT = Pattern.compile("mountport=(\\d+)");

  /// The number of words in a reply before the result of its first operation: header, status, tag,
  /// count, operation number and the status of the operation.
  private static final int FIRST_RESULT = 11;

  @TempDir Path directory = Path.of(".");
  private long session1;
  private long session2;
  private int sequence;

  private interface Arguments {
    void write(DataOutputStream to) throws IOException;
  }

  private static void words(DataOutputStream to, int... words) throws IOException {
    for (int word : words) {
      to.writeInt(word);
    }
  }

  private static void opaque(DataOutputStream to, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    to.writeInt(bytes.length);
    to.write(bytes);
    to.write(new byte[-bytes.length & 3]);
  }

  /// Sends one COMPOUND, in which every operation must succeed, and returns the reply.
  private static ByteBuffer compound(Socket socket, int operations, Arguments ops)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream to = new DataOutputStream(bytes);
    // As root, without a machine name.
    words(to, 0, 7, 0, 2, 100_003, 4, 1, 1, 20, 0, 0, 0, 0, 0, 0, 0);
    words(to, 0, 1, operations);
    ops.write(to);
    byte[] message = bytes.toByteArray();
    ByteBuffer.wrap(message).putInt(0x8000_0000 | (message.length - 4));
    socket.getOutputStream().write(message);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] reply = new byte[in.readInt() & 0x7FFF_FFFF];
    in.readFully(reply);
    ByteBuffer answer = ByteBuffer.wrap(reply);
    assertThat(answer.getInt(6 * 4)).as("status").isZero();
    return answer;
  }

  private void inSession(Socket socket, int operations, Arguments ops) throws IOException {
    ByteBuffer _ =
        compound(
            socket,
            1 + operations,
            to -> {
              to.writeInt(53); // SEQUENCE
              to.writeLong(session1);
              to.writeLong(session2);
              words(to, ++sequence, 0, 15, 0);
              ops.write(to);
            });
  }

  private void connect(Socket socket) throws IOException {
    ByteBuffer known =
        compound(
            socket,
            1,
            to -> {
              words(to, 42, 0, 9); // EXCHANGE_ID
              opaque(to, "holder");
              words(to, 0, 0, 0);
            });
    long client = known.getLong(FIRST_RESULT * 4);
    int next = known.getInt((FIRST_RESULT + 2) * 4);
    ByteBuffer made =
        compound(
            socket,
            1,
            to -> {
              to.writeInt(43); // CREATE_SESSION
              to.writeLong(client);
              words(to, next, 0, 0, 1 << 20, 1 << 20, 4096, 32, 16, 0);
              words(to, 0, 4096, 4096, 0, 2, 1, 0, 0x4000_0000, 1, 0);
            });
    session1 = made.getLong(FIRST_RESULT * 4);
    session2 = made.getLong((FIRST_RESULT + 2) * 4);
    inSession(socket, 1, to -> words(to, 58, 0)); // RECLAIM_COMPLETE
  }

  private void hold(Socket socket, String name) throws IOException {
    inSession(
        socket,
        4,
        to -> {
          words(to, 24, 15); // PUTROOTFH, LOOKUP
          opaque(to, "data");
          words(to, 18, 0, 2, 0, 0, 0); // OPEN for writing
          opaque(to, "owner");
          words(to, 1, 0, 0, 0, 0); // create the file without attributes, by name
          opaque(to, name);
          words(to, 38, 1, 0, 0, 0, 0, 0, 2); // WRITE by the current stateid
          opaque(to, "x".repeat(50_000));
        });
    inSession(
        socket,
        3,
        to -> {
          words(to, 24, 15);
          opaque(to, "data");
          to.writeInt(28); // REMOVE
          opaque(to, name);
        });
  }

  @Test
  void anOrderlyEndFreesIt() throws Exception {
    Path image = directory.resolve("image");
    assertThat(Commands.run("fs", "mkfs", "--size", "16M", image.toString())).isZero();
    List<String> command = SluiceProcess.command("nfs", image.toString(), "--port", "0");
    command.addAll(List.of("--bind", "127.0.0.1", "--export", "/data"));
    command.addAll(List.of("--squash", "none", "--no-portmap"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    Process process = builder.start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(lines))) {
      socket.setSoTimeout(120_000);
      connect(socket);
      hold(socket, "one");
      hold(socket, "two");
      process.toHandle().destroy(); // SIGTERM; the streams stay open
      String rest = String.join("\n", lines.lines().toList());
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(rest).isTrue();
      assertThat(rest).contains("the image is clean");
    } finally {
      process.destroyForcibly();
    }
    assertThat(Commands.run("fs", "fsck", image.toString())).isZero();
    assumeTrue(
        Files.isExecutable(Path.of("/sbin/e2fsck")),
        "no e2fsck; Fix: apt-get install" + " e2fsprogs");
    Process e2fsck =
        new ProcessBuilder("/sbin/e2fsck", "-fn", image.toString())
            .redirectErrorStream(true)
            .start();
    String said = String.join("\n", e2fsck.inputReader().lines().toList());
    assertThat(e2fsck.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(e2fsck.exitValue()).as(said).isZero();
  }

  private static int port(BufferedReader lines) throws IOException {
    StringBuilder said = new StringBuilder();
    String line;
    while ((line = lines.readLine()) != null) {
      said.append(line).append('\n');
      Matcher matcher = PORT.matcher(line);
      if (matcher.find()) {
        return Integer.parseInt(matcher.group(1));
      }
    }
    throw new AssertionError("the server has not started: " + said);
  }
}

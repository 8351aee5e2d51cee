package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Kills `sluice nfs` repeatedly during calls. A client that repeats its calls gets the first
/// replies again, and no operation is carried out twice.
@Timeout(600)
final class NfsKillTest {
  private static final Pattern PORT = Pattern.compile("mountport=(\\d+)");
  private static final int MKDIR = 9;
  private static final int RMDIR = 13;
  private static final int CREATE = 8;
  private static final int COMMIT = 21;
  private static final int RENAME = 14;
  private static final int CALLS = 40;

  @TempDir Path directory = Path.of(".");
  private @Nullable Process process;
  private final Random random = new Random(2);
  private byte[] top = {};
  private int xid = 1000;

  /// A call with its transaction ID and message.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Call(int xid, byte[] message) {}

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  private Socket start(Path image) throws Exception {
    List<String> command = SluiceProcess.command("nfs", image.toString());
    command.addAll(List.of("--port", "0", "--bind", "127.0.0.1", "--export", "/data"));
    command.addAll(List.of("--squash", "none", "--no-portmap"));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    Process started = builder.start();
    process = started;
    BufferedReader lines = started.inputReader(StandardCharsets.UTF_8);
    StringBuilder said = new StringBuilder();
    String line;
    while ((line = lines.readLine()) != null) {
      said.append(line).append('\n');
      Matcher matcher = PORT.matcher(line);
      if (matcher.find()) {
        Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(matcher.group(1)));
        socket.setSoTimeout(120_000);
        return socket;
      }
    }
    throw new AssertionError("the server has not started: " + said);
  }

  private void kill() throws InterruptedException {
    Process running = Objects.requireNonNull(process);
    running.destroyForcibly();
    assertThat(running.waitFor(120, TimeUnit.SECONDS)).isTrue();
  }

  // ---- calls ------------------------------------------------------------------------------------

  private interface Arguments {
    void write(DataOutputStream to) throws IOException;
  }

  private static void opaque(DataOutputStream to, byte[] bytes) throws IOException {
    to.writeInt(bytes.length);
    to.write(bytes);
    to.write(new byte[-bytes.length & 3]);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private Call call(int program, int procedure, Arguments arguments) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream to = new DataOutputStream(bytes);
    for (int word : new int[] {0, xid, 0, 2, program, 3, procedure, 1, 28}) {
      to.writeInt(word);
    }
    to.writeInt(0);
    opaque(to, text("host"));
    for (int word : new int[] {0, 0, 1, 0, 0, 0}) {
      to.writeInt(word);
    }
    arguments.write(to);
    byte[] message = bytes.toByteArray();
    ByteBuffer.wrap(message).putInt(0x8000_0000 | (message.length - 4));
    return new Call(xid++, message);
  }

  private static void send(Socket socket, List<Call> calls) throws IOException {
    for (Call call : calls) {
      socket.getOutputStream().write(call.message);
    }
    socket.getOutputStream().flush();
  }

  private static byte[] receive(DataInputStream from) throws IOException {
    byte[] reply = new byte[from.readInt() & 0x7FFF_FFFF];
    from.readFully(reply);
    return reply;
  }

  private static int word(byte[] reply, int at) {
    return ByteBuffer.wrap(reply).getInt(4 * at);
  }

  private List<Call> batch(int procedure, int round) throws IOException {
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      String name = round + "-" + i;
      calls.add(
          call(
              100003,
              procedure,
              to -> {
                opaque(to, top);
                opaque(to, text(procedure == RMDIR ? "moved" + name : name));
                if (procedure == MKDIR) {
                  for (int word : new int[] {1, 0755, 0, 0, 0, 0, 0}) {
                    to.writeInt(word);
                  }
                }
                if (procedure == RENAME) {
                  opaque(to, top);
                  opaque(to, text("moved" + name));
                }
              }));
    }
    return calls;
  }

  private byte[] answer(Socket socket, Call call) throws IOException {
    send(socket, List.of(call));
    byte[] reply = receive(new DataInputStream(socket.getInputStream()));
    assertThat(word(reply, 6)).as("status").isZero();
    return reply;
  }

  /// Returns the opaque data whose length is at the given word of a reply.
  private static byte[] opaque(byte[] reply, int word) {
    byte[] bytes = new byte[word(reply, word)];
    ByteBuffer.wrap(reply).get(4 * word + 4, bytes);
    return bytes;
  }

  private void mount(Socket socket) throws IOException {
    top = opaque(answer(socket, call(100005, 1, to -> opaque(to, text("/data")))), 7);
  }

  /// Checks that the write verifier changes with each start of the server. It tells clients to
  /// repeat writes that were not stable: see RFC 1813, 3.3.7.
  @Test
  void theVerifierOfWritesIsThatOfOneServer() throws Exception {
    Path image = directory.resolve("image");
    assertThat(Commands.run("fs", "mkfs", "--size", "32M", image.toString())).isZero();
    Socket socket = start(image);
    mount(socket);
    byte[] made =
        answer(
            socket,
            call(
                100003,
                CREATE,
                to -> {
                  opaque(to, top);
                  opaque(to, text("file"));
                  for (int word : new int[] {0, 0, 0, 0, 0, 0, 0}) {
                    to.writeInt(word);
                  }
                }));
    byte[] file = opaque(made, 8);
    long first = verifier(socket, file);
    assertThat(verifier(socket, file)).isEqualTo(first);
    kill();
    socket.close();
    socket = start(image);
    assertThat(verifier(socket, file)).isNotEqualTo(first);
    socket.close();
    kill();
  }

  /// Sends COMMIT and returns the verifier at the end of the reply.
  private long verifier(Socket socket, byte[] file) throws IOException {
    byte[] reply =
        answer(
            socket,
            call(
                100003,
                COMMIT,
                to -> {
                  opaque(to, file);
                  to.writeLong(0);
                  to.writeInt(0);
                }));
    return ByteBuffer.wrap(reply).getLong(reply.length - Long.BYTES);
  }

  @Test
  void repeatedCallsGetTheirFirstAnswers() throws Exception {
    Path image = directory.resolve("image");
    assertThat(Commands.run("fs", "mkfs", "--size", "32M", image.toString())).isZero();
    Socket socket = start(image);
    mount(socket);
    for (int round = 0; round < 2; round++) {
      for (int procedure : new int[] {MKDIR, RENAME, RMDIR}) {
        socket = killAmid(socket, image, batch(procedure, round));
      }
    }
    socket.close();
    kill();
  }

  private Socket killAmid(Socket socket, Path image, List<Call> calls) throws Exception {
    send(socket, calls);
    Map<Integer, byte[]> answers = new HashMap<>();
    int most = random.nextInt(CALLS);
    DataInputStream replies = new DataInputStream(socket.getInputStream());
    while (answers.size() < most) {
      byte[] reply = receive(replies);
      answers.put(word(reply, 0), reply);
    }
    kill();
    socket.close();
    Socket next = start(image);
    send(next, calls);
    replies = new DataInputStream(next.getInputStream());
    for (int i = 0; i < CALLS; i++) {
      byte[] reply = receive(replies);
      assertThat(word(reply, 5)).as("accept_stat").isZero();
      assertThat(word(reply, 6)).as("status of call " + word(reply, 0)).isZero();
      byte[] before = answers.get(word(reply, 0));
      if (before != null) {
        assertThat(reply).isEqualTo(before);
      }
    }
    return next;
  }
}

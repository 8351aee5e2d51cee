package sluice.host.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

@Timeout(120)
final class ControlSocketTest {
  private static final long PID = ProcessHandle.current().pid();
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory = Path.of(".");
  private final List<String> messages = new ArrayList<>();
  private @Nullable ControlSocket socket;

  @AfterEach
  void close() {
    if (socket != null) {
      socket.close();
    }
  }

  private void open() {
    socket =
        ControlSocket.open(
            directory.resolve(PID + ".counters"),
            Map.of(
                "echo",
                argument -> ControlAnswer.done(argument),
                "fail",
                _ -> {
                  throw new IllegalStateException("as it should");
                }),
            messages::add);
    assertThat(messages).isEmpty();
  }

  private ControlAnswer ask(String verb, String argument) throws Exception {
    return ControlClient.ask(directory, PID, verb, argument, PATIENCE);
  }

  private SocketChannel connect() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(ControlWire.socketOf(directory, PID)));
    return channel;
  }

  /// Sends strange names. A name is only text in a request and never becomes part of a file name.
  @ParameterizedTest
  @ValueSource(
      strings = {"/hello", "../../etc/passwd", "a b", "", "ü\u0001", "-rf", ".", "x\u0000y"})
  void namesAreTakenAsTheyAre(String name) throws Exception {
    open();
    assertThat(ask("echo", name).lines()).isEqualTo(name.isEmpty() ? List.of() : List.of(name));
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(ControlWire.socketOf(directory, PID));
    }
  }

  @Test
  void whatIsNotKnownOrFailsIsRefused() throws Exception {
    open();
    assertThat(ask("nope", "x"))
        .matches(answer -> !answer.isDone() && answer.lines().getFirst().contains("echo"));
    assertThat(ask("fail", "x"))
        .matches(answer -> !answer.isDone() && answer.lines().getFirst().contains("as it should"));
    try (SocketChannel raw = connect()) {
      raw.shutdownOutput();
      assertThat(ControlWire.receiveAnswer(raw).isDone()).isFalse();
    }
  }

  @Test
  void aLongRequestIsCutOffAndOthersAreAnswered() throws Exception {
    open();
    try (SocketChannel raw = connect()) {
      ByteBuffer bytes = ByteBuffer.allocate(ControlWire.REQUEST_BYTES + 4096);
      assertThatThrownBy(
              () -> {
                while (bytes.hasRemaining()) {
                  raw.write(bytes);
                }
                raw.shutdownOutput();
                ControlWire.receiveAnswer(raw);
              })
          .isInstanceOf(IOException.class);
    }
    assertThat(ask("echo", "x").isDone()).isTrue();
  }

  @Test
  void silentClientsHoldUpNoOther() throws Exception {
    open();
    List<SocketChannel> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 15; i++) {
        silent.add(connect());
      }
      assertThat(ask("echo", "x").isDone()).isTrue();
    } finally {
      for (SocketChannel each : silent) {
        each.close();
      }
    }
    // Until the threads of the closed clients have noticed the end, all 16 places may be taken.
    Await.until("a request after those of the silent clients", this::isServed);
  }

  private boolean isServed() throws Exception {
    try {
      return ask("echo", "x").isDone();
    } catch (IOException e) {
      return false;
    }
  }

  /// Interrupts the accepting thread. An interrupt closes a channel on which the thread waits, but
  /// not a selector.
  @Test
  void anInterruptThatWasNotExpectedIsSurvived() throws Exception {
    open();
    List<Thread> accepting =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("sluice-control"))
            .toList();
    assertThat(accepting).isNotEmpty();
    for (int i = 0; i < 200; i++) {
      accepting.forEach(Thread::interrupt);
      assertThat(ask("echo", "x").isDone()).isTrue();
    }
  }

  @Test
  void anotherUserIsRefused() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root may become another user");
    assumeTrue(Files.exists(Path.of("/bin/nc")), "there is no nc (netcat-openbsd)");
    open();
    Path file = ControlWire.socketOf(directory, PID);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(askAs65534(file)).contains("Permission denied");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThat(askAs65534(file)).contains("only root may ask");
  }

  private static String askAs65534(Path socket) throws Exception {
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "printf 'echo\\nx' | setpriv --reuid=65534 --regid=65534 --clear-groups nc -NU"
                    + " \"$1\"",
                "sh",
                socket.toString())
            .redirectErrorStream(true)
            .start();
    Await.limit(process);
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Await.end(process);
    return said;
  }

  @Test
  void socketsOfProcessesThatAreGoneAreRemoved() throws Exception {
    Path stale = Files.createFile(directory.resolve("99999999999.control"));
    open();
    assertThat(stale).doesNotExist();
    Objects.requireNonNull(socket).close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aProcessThatCannotListenSaysSoAndRunsOn() throws Exception {
    Path deep = Files.createDirectories(directory.resolve("d".repeat(100)));
    ControlSocket none =
        ControlSocket.open(
            deep.resolve(PID + ".counters"), Map.of("echo", ControlAnswer::done), messages::add);
    assertThat(none).isNull();
    assertThat(messages)
        .singleElement()
        .asString()
        .contains("no command reaches this process (echo). Why: ", ". Fix: a short SLUICE_RUN_DIR");
  }

  @Test
  void aProcessThatDoesNotAnswerIsNamed() {
    assertThatThrownBy(() -> ask("echo", "x"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("process " + PID + " does not answer. Why: there is no ")
        .hasMessageContaining("Fix: ");
  }
}

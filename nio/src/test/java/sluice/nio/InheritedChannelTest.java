package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A process that was started with a connection as its standard input, as inetd does it.
@Timeout(180)
class InheritedChannelTest {
  /// Connects standard input to the port, and becomes the rest of the words.
  private static final String CONNECTED = "exec 0<>/dev/tcp/127.0.0.1/$0; exec \"$@\"";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "readiness", "completion"})
  void itIsSelectedReadAndWritten(String engine) throws Exception {
    Path log = directory.resolve("log");
    assertThat(answer(engine, CONNECTED, log)).isEqualTo("HELLO");
    assertThat(Files.readString(log)).contains("connected true, the same true\n", "answered\n");
  }

  /// What inetd does: all three are the connection. The JDK lets what is printed get to the peer.
  @ParameterizedTest
  @ValueSource(strings = "completion")
  void nothingThatIsPrintedGetsToThePeer(String engine) throws Exception {
    Path log = directory.resolve("log");
    String all = CONNECTED.replace("exec \"", "exec 1>&0 2>&0; exec \"");
    assertThat(answer(engine, all, log)).isEqualTo("HELLO");
    assertThat(Files.readString(log)).isEmpty();
  }

  private String answer(String engine, String script, Path log) throws Exception {
    String missing = CompletionEngine.unavailable();
    assumeTrue(
        missing == null || !engine.equals("completion"), () -> "no io_uring here: " + missing);
    assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "needs bash, for its /dev/tcp");
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(60_000);
      List<String> options =
          List.of(
              "-Djava.nio.channels.spi.SelectorProvider=" + SluiceSelectorProvider.class.getName(),
              "-Dsluice.nio.engine=" + engine,
              "-Dsluice.nio.quiet=true",
              "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
      List<String> command = new ArrayList<>(List.of("/bin/bash", "-c", script));
      command.add(Integer.toString(server.getLocalPort()));
      command.addAll(ChildJvm.of(options, Child.class).command());
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
      builder.environment().remove("JAVA_TOOL_OPTIONS"); // the JVM would print that it heeds them
      Process child = builder.start();
      try (Socket peer = server.accept()) {
        peer.setSoTimeout(60_000);
        peer.getOutputStream().write("hello".getBytes(StandardCharsets.US_ASCII));
        byte[] all = peer.getInputStream().readAllBytes();
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(Files.readString(log)).isZero();
        return new String(all, StandardCharsets.US_ASCII);
      } finally {
        child.destroyForcibly();
      }
    }
  }

  /// Answers five bytes in capitals.
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      Channel inherited = System.inheritedChannel();
      try (SocketChannel socket = (SocketChannel) inherited;
          Selector selector = Selector.open()) {
        boolean same = inherited == System.inheritedChannel();
        System.out.println("connected " + socket.isConnected() + ", the same " + same);
        socket.configureBlocking(false);
        SelectionKey _ = socket.register(selector, SelectionKey.OP_READ);
        ByteBuffer bytes = ByteBuffer.allocate(5);
        while (bytes.hasRemaining()) {
          int _ = selector.select();
          selector.selectedKeys().clear();
          int _ = socket.read(bytes);
        }
        for (int i = 0; i < 5; i++) {
          bytes.put(i, (byte) Character.toUpperCase(bytes.get(i)));
        }
        bytes.flip();
        while (bytes.hasRemaining()) {
          int _ = socket.write(bytes);
        }
        System.out.println("answered");
      }
    }
  }
}

package sluice.isocket;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.ForeignInterruptlet;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.engine.Backend;

/// Tests of handlers in C, compiled by the test.
@Timeout(120)
final class CHandlerTest {
  private static final String SOURCE =
      """
      #include <string.h>
      int echo(const void *request, size_t length, void *reply, size_t capacity) {
        if (length > capacity || *(const char *)request != 'f') {
          memset(reply, 'x', 100);
          return -1;
        }
        memcpy(reply, request, length);
        return (int)length;
      }
      int liar(const void *request, size_t length, void *reply, size_t capacity) {
        return (int)capacity + 1;
      }
      """;

  @TempDir static Path directory;

  private static Path library() {
    return directory.resolve("handler.so");
  }

  @BeforeAll
  static void compile() throws Exception {
    Path source = directory.resolve("handler.c");
    Files.writeString(source, SOURCE);
    Process cc;
    try {
      cc =
          new ProcessBuilder(
                  "cc", "-shared", "-fPIC", "-o", library().toString(), source.toString())
              .inheritIO()
              .start();
    } catch (IOException e) {
      assumeTrue(false, "no C compiler: " + e.getMessage());
      return;
    }
    assertThat(cc.waitFor()).isZero();
  }

  private static IServerSocket serve(ISocketLoop loop, String function) throws IOException {
    IServerSocket server = new IServerSocket(loop);
    ForeignInterruptlet handler = ForeignInterruptlet.of(library(), function);
    HandlerGuard guard =
        server.admit(handler.name(), Framing.LINES, () -> handler, Duration.ofSeconds(30));
    assertThat(guard.name()).isEqualTo(function + " in " + library());
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return server;
  }

  @Test
  void aFunctionAnswersWhereTheBytesAre() throws Exception {
    try (ISocketLoop loop = ISocketLoop.start("c", Backend.AUTO);
        IServerSocket server = serve(loop, "echo");
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
      client.getOutputStream().write("f one\nf two\nthree\nf four\n".getBytes(ISO_8859_1));
      try (ISocket accepted = server.accept()) {
        assertThat(accepted.getInputStream().readNBytes(6)).asString().isEqualTo("three\n");
        accepted.getOutputStream().write("slow\n".getBytes(ISO_8859_1));
        assertThat(accepted.getInputStream().available()).isZero();
        accepted.setSoTimeout(1);
        assertThatThrownBy(() -> accepted.getInputStream().read())
            .isInstanceOf(java.net.SocketTimeoutException.class);
        assertThat(client.getInputStream().readNBytes(24))
            .asString()
            .isEqualTo("f one\nf two\nslow\nf four\n");
      }
    }
  }

  @Test
  void aFunctionThatClaimsTooMuchLosesItsConnection() throws Exception {
    try (ISocketLoop loop = ISocketLoop.start("c", Backend.AUTO);
        IServerSocket server = serve(loop, "liar");
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
      client.getOutputStream().write("f\n".getBytes(ISO_8859_1));
      assertThat(ends(client)).isTrue();
    }
  }

  private static boolean ends(Socket client) {
    try {
      return client.getInputStream().read() < 0;
    } catch (IOException reset) {
      return true;
    }
  }

  @Test
  void whatIsMissingIsToldWithTheFix() {
    assertThatThrownBy(() -> ForeignInterruptlet.of(directory.resolve("no.so"), "echo"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Why: there is no such file. Fix: compile it");
    assertThatThrownBy(() -> ForeignInterruptlet.of(directory.resolve("handler.c"), "echo"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Why: the file is no shared library");
    assertThatThrownBy(() -> ForeignInterruptlet.of(library(), "absent"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Why: the library exports no such function");
  }
}

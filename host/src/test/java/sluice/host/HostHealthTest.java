package sluice.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.host.life.PartHealth;
import sluice.host.life.PartHealth.State;
import sluice.loop.counters.CounterSnapshot;
import sluice.sys.threads.Uninterrupted;
import sluice.testbase.Await;
import sluice.testkit.machine.Privileges;

/// Tests the health of the parts of a host from start to end, and the replies of `/healthz`.
@Timeout(240)
final class HostHealthTest {
  @TempDir Path directory = Path.of(".");
  private final List<String> messages = new CopyOnWriteArrayList<>();

  @BeforeEach
  void files() throws IOException {
    Files.createDirectories(directory.resolve("public"));
    Files.writeString(directory.resolve("public/index.html"), "home");
  }

  private static final String SITE =
      """
      directory = "public"
      [server]
      port = 0
      metrics-port = 0
      backend = "epoll"
      """;

  private HostFile read(String text) throws Exception {
    return HostFile.read(Files.writeString(directory.resolve("all.toml"), text));
  }

  private static SiteServer site(Host host) {
    return (SiteServer) host.parts().getFirst();
  }

  private static String health(Host host) throws IOException {
    InetSocketAddress at = (InetSocketAddress) site(host).http().monitoringAddresses().getFirst();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), at.getPort())) {
      socket.setSoTimeout(60_000);
      String request = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aReadyHostIsWell() throws Exception {
    try (Host host = read(SITE).start(messages::add)) {
      assertThat(host.counters()).isNull();
      host.publish("test");
      assertThat(host.health()).containsExactly(new PartHealth("site", State.READY, List.of()));
      assertThat(health(host)).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nok\n");
      Await.until("the counters have names of connections", () -> counted(host));
    }
  }

  private static boolean counted(Host host) {
    CounterSnapshot counters = host.counters();
    return counters != null
        && counters.values().stream().anyMatch(each -> each.label().contains("connections"));
  }

  @Test
  void healthzTellsOfAllParts() throws Exception {
    FailingPart failing = new FailingPart();
    try (Host host = read(SITE).start(messages::add)) {
      host.add(failing);
      assertThat(health(host)).startsWith("HTTP/1.1 200 ");
      failing.degrade();
      assertThat(host.health())
          .containsExactly(
              new PartHealth("site", State.READY, List.of()),
              new PartHealth("test", State.DEGRADED, List.of("stuck: its thread")));
      assertThat(health(host))
          .startsWith("HTTP/1.1 503 ")
          .endsWith("\r\n\r\ntest: degraded: stuck: its thread\n");
      failing.fail();
      assertThat(host.awaitEnd()).isFalse();
      assertThat(host.health())
          .containsExactly(
              new PartHealth("site", State.ENDED, List.of()),
              new PartHealth("test", State.FAILED, List.of("it was told to")));
    }
  }

  @Test
  void aPartIsStartingUntilItRuns() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    FailingPart part = new FailingPart();
    try (Host host = new Host(List.of(), messages::add)) {
      Thread starting =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  host.start(
                      "test",
                      () -> {
                        Uninterrupted.await(started::await);
                        return part;
                      });
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      PartHealth expected = new PartHealth("test", State.STARTING, List.of());
      Await.until("the part is being started", () -> host.health().equals(List.of(expected)));
      assertThat(expected.troubles()).containsExactly("test: starting");
      started.countDown();
      Await.end(starting);
      assertThat(host.health()).containsExactly(new PartHealth("test", State.READY, List.of()));
      host.drain();
      assertThat(host.health())
          .containsExactly(new PartHealth("test", State.DRAINING, List.of("ended by its host")));
      part.fail();
    }
  }

  @Test
  void aPartThatCannotStartHasFailed() throws Exception {
    Privileges.requireRoot("it exports a directory over NFS");
    try (Host host = new Host(List.of(), messages::add)) {
      HostFile file =
          read("[disk.a]\ndirectory = \"public\"\nnfs = { bind = [\"192.0.2.1\"], port = 0 }\n");
      assertThatThrownBy(() -> file.startIn(host)).isInstanceOf(IOException.class);
      assertThat(host.health())
          .singleElement()
          .satisfies(health -> {
            assertThat(health.part()).isEqualTo("disk a");
            assertThat(health.state()).isEqualTo(State.FAILED);
            assertThat(health.reasons()).singleElement().asString().contains("192.0.2.1");
          });
    }
  }

  @Test
  void aDomainTellsWhyItHasFailed() throws Exception {
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of("Throws"),
                builder ->
                    builder.withMethodBody(
                        "main",
                        MethodTypeDesc.of(
                            ConstantDescs.CD_void, ConstantDescs.CD_String.arrayType()),
                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                        code -> code.aconst_null().athrow()));
    try (JarOutputStream jar =
        new JarOutputStream(Files.newOutputStream(directory.resolve("t.jar")))) {
      jar.putNextEntry(new JarEntry("Throws.class"));
      jar.write(bytes);
    }
    try (Host host =
        read("[domain.t]\njars = [\"t.jar\"]\nmain = \"Throws\"\n").start(messages::add)) {
      assertThat(host.awaitEnd()).isFalse();
      assertThat(host.health())
          .singleElement()
          .satisfies(health -> {
            assertThat(health.state()).isEqualTo(State.FAILED);
            assertThat(health.troubles())
                .singleElement()
                .asString()
                .startsWith("domains: failed: domain t ended: main threw ");
          });
    }
  }
}

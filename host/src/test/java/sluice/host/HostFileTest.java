package sluice.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.host.file.UsageException;
import sluice.testbase.Await;
import sluice.testkit.machine.Privileges;

/// Tests a host file, which configures everything that runs in a process.
@Timeout(240)
final class HostFileTest {
  private static final Pattern PORT = Pattern.compile("on port ([0-9]+)|:([0-9]+)/");

  @TempDir Path directory = Path.of(".");
  private final List<String> messages = new CopyOnWriteArrayList<>();

  @BeforeEach
  void files() throws IOException {
    Files.createDirectories(directory.resolve("public"));
    Files.createDirectories(directory.resolve("data"));
    Files.writeString(directory.resolve("public/index.html"), "home");
    program("Returns", CodeBuilder::return_);
    program("Loops", code -> code.goto_(code.startLabel()));
  }

  /// Creates a jar with one class that has a main method.
  private void program(String name, Consumer<CodeBuilder> main) throws IOException {
    byte[] bytes =
        ClassFile.of()
            .build(
                ClassDesc.of(name),
                builder ->
                    builder.withMethodBody(
                        "main",
                        MethodTypeDesc.of(
                            ConstantDescs.CD_void, ConstantDescs.CD_String.arrayType()),
                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                        main));
    try (JarOutputStream jar =
        new JarOutputStream(Files.newOutputStream(directory.resolve(name + ".jar")))) {
      jar.putNextEntry(new JarEntry(name + ".class"));
      jar.write(bytes);
    }
  }

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("all.toml"), text);
  }

  private static int port(String line) {
    Matcher matcher = PORT.matcher(line);
    assertThat(matcher.find()).as(line).isTrue();
    return Integer.parseInt(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
  }

  private static String ask(int port, String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      String request = "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static final String WHOLE =
      """
      [site]
      directory = "public"
      [site.server]
      port = 0
      backend = "epoll"

      [domain.worker]
      jars = ["Loops.jar"]
      main = "Loops"

      [disk.data]
      directory = "data"
      nfs = { port = 0, bind = ["127.0.0.1"], portmap = false, backend = "epoll" }
      """;

  @Test
  void allThatAFileNamesRunsInOneProcessAndEndsTogether() throws Exception {
    Privileges.requireRoot("it exports a directory over NFS");
    Path file = write(WHOLE);
    assertThat(HostFile.read(file).explain())
        .hasSize(3)
        .anyMatch(line -> line.contains("data is exported over NFS as /"))
        .anyMatch(line -> line.startsWith("domain worker runs "))
        .anyMatch(line -> line.startsWith("1 site on "));
    try (Host host = HostFile.read(file).start(messages::add)) {
      List<String> parts = host.describe();
      assertThat(parts).hasSize(3);
      assertThat(parts.get(0)).startsWith("nfs ");
      assertThat(parts.get(1)).isEqualTo("domain worker");
      assertThat(ask(port(parts.get(2)), "/")).startsWith("HTTP/1.1 200").endsWith("home");
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(parts.get(0)))) {
        assertThat(socket.isConnected()).isTrue();
      }
      Thread ending = Thread.ofVirtual().start(host::drain);
      assertThat(host.awaitEnd()).isTrue();
      Await.end(ending);
      assertThat(messages)
          .contains("draining, for at most 10 s", "domain worker was ended by its host");
      assertThatThrownBy(() -> ask(port(parts.get(2)), "/")).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aSiteIsReadAgainAndTheOthersStay() throws Exception {
    Privileges.requireRoot("it exports a directory over NFS");
    Path file = write(WHOLE);
    try (Host host = HostFile.read(file).start(messages::add)) {
      int port = port(host.describe().getLast());
      write(
          WHOLE.replace(
              "[site.server]",
              "[[site.header]]\npath = \"/*\"\nset = { X-A = \"1\" }\n[site.server]"));
      assertThat(host.reload().lines())
          .anyMatch(line -> line.contains("loaded again from " + file));
      assertThat(ask(port, "/")).contains("X-A: 1\r\n");
      write(WHOLE.replace("[site]", "[sit]"));
      assertThat(host.reload().isDone()).isFalse();
      assertThat(ask(port, "/")).contains("X-A: 1\r\n");
    }
  }

  @Test
  void domainsThatHaveEndedEndAHostOfDomains() throws Exception {
    Path file = write("[domain.short]\njars = [\"Returns.jar\"]\nmain = \"Returns\"\n");
    try (Host host = HostFile.read(file).start(messages::add)) {
      assertThat(host.awaitEnd()).isTrue();
      assertThat(messages).containsExactly("domain short ended: main returned");
    }
  }

  @Test
  void ifOnePartCannotStartTheOthersAreEnded() throws Exception {
    Privileges.requireRoot("it exports a directory over NFS");
    Path file = write(WHOLE.replace("main = \"Loops\"", "main = \"None\""));
    assertThatThrownBy(() -> HostFile.read(file).start(messages::add))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no class None");
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().startsWith("nfs-"));
  }

  @Test
  void filesOfServeAndOfDomainRunAreSuchFiles() throws Exception {
    assertThat(HostFile.read(write("directory = \"public\"\n[server]\nport = 0\n")).site())
        .isNotNull();
    Path domains = write("[domain.a]\njars = [\"Returns.jar\"]\nmain = \"Returns\"\n");
    assertThat(HostFile.read(domains).site()).isNull();
  }

  private static Arguments arguments(String text, String... lines) {
    return Arguments.of(text, List.of(lines));
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        arguments("", ": it names nothing that runs. Fix: write [site], "),
        arguments("[sit]\n", ":1: unknown key sit of the file. Fix: write site;"),
        arguments(
            "directory = \"public\"\n[site]\n",
            ":1: unknown key directory of the file. Fix: known are site, ",
            ": it names no directory to serve. Fix: directory ="),
        arguments("\n[disk.a]\n", ":2: [disk.a] has no image. Fix: image = "),
        arguments(
            "[disk.a]\nimage = \"none.img\"\nnfs = { squash = \"x\" }\n",
            ":2: ",
            "none.img is not there. Fix: make it: sluice fs mkfs --size 64M ",
            ":3: squash takes root, all or none, not x. Fix: squash = \"root\""),
        arguments(
            "[disk.a]\ndirectory = \"data\"\n",
            ":1: [disk.a] is neither mounted nor exported. Fix: mount = "),
        arguments(
            "[disk.a]\ndirectory = \"data\"\nimage = \"x\"\nnfs = {}\n",
            ":1: [disk.a] has an image and a directory. Fix: "),
        arguments(
            "[disk.a]\ndirectory = \"data\"\ncache = \"1k\"\nnfs = { net = \"lan\" }\n",
            ":3: cache: no number of bytes, at least 1M: 1k. Fix: cache = \"64M\"",
            ":4: there is no [net.lan]. Fix: write that table"),
        arguments(
            "[domain.a]\n[component.b]\n",
            "domain a has no components",
            "component b has no jars. Fix: "),
        arguments(
            """
            [component.a]
            jars = ["a.jar"]
            class = "A"
            provides = "p.A"
            path = "quick"
            [component.b]
            jars = ["b.jar"]
            class = "B"
            provides = "p.B"
            calls = 0
            [component.c]
            jars = ["c.jar"]
            class = "C"
            calls = 2
            [component.d]
            jars = ["d.jar"]
            class = "D"
            provides = "p.D"
            path = "fast"
            calls = 2
            """,
            ":5: path \"quick\" is none of service, direct, fast. Fix: ",
            ":10: calls takes a number from 1 to 1024: 0. Fix: ",
            "component c provides nothing that could have a path or calls",
            "Fix: leave calls out, or path = \"service\""));
  }

  @ParameterizedTest
  @MethodSource
  void wrong(String text, List<String> parts) throws Exception {
    Path file = write(text);
    assertThatThrownBy(() -> HostFile.read(file))
        .isInstanceOf(UsageException.class)
        .satisfies(e ->
            assertThat(String.valueOf(e.getMessage()).replace(file.toString(), ""))
                .contains(parts));
  }

  @Test
  void aPartThatFailsEndsTheOthers() throws Exception {
    Path file =
        write(
            """
            directory = "public"
            [server]
            port = 0
            backend = "epoll"
            """);
    HostFile read = HostFile.read(file);
    FailingPart failing = new FailingPart();
    try (Host site = read.start(messages::add);
        Host host = new Host(List.of(site.parts().getFirst(), failing), messages::add)) {
      failing.fail();
      assertThat(host.awaitEnd()).isFalse();
      assertThat(messages).contains("a part of a test has failed; see above");
    }
  }
}

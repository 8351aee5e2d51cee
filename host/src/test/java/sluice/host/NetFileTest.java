package sluice.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.host.file.UsageException;
import sluice.host.net.NetSettings;
import sluice.net.transport.StackOption;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAttributes;
import sluice.vi.ViServer;

/// Tests the networks of a configuration file: devices of virtual interfaces, and stacks of
/// exports.
@Timeout(240)
final class NetFileTest {
  @TempDir Path directory = Path.of(".");

  @BeforeEach
  void files() throws IOException {
    Files.createDirectories(directory.resolve("data"));
  }

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("all.toml"), text);
  }

  private static final String ALL =
      """
      [net.fast]
      device = "local"
      [net.wire]
      device = "ring"
      backend = "epoll"
      [net.lan]
      device = "tap"
      interface = "tap0"
      address = "10.9.0.1/24"
      via = "10.9.0.254"
      [net.words]
      stack = "xdp:eth0,10.0.0.2/24,queues=4"
      [net.parts]
      device = "xdp"
      interface = "eth0"
      address = "10.0.0.2/24"
      queues = 4
      [disk.data]
      directory = "data"
      nfs = { port = 0, net = "lan" }
      """;

  @Test
  void tablesAndWordsDescribeTheSameDevices() throws Exception {
    HostFile file = HostFile.read(write(ALL));
    assertThat(file.net("fast").device()).isEqualTo("local");
    assertThat(file.net("lan").device()).isEqualTo("xdp");
    assertThat(file.net("lan").stack())
        .isEqualTo(StackOption.parse("tap:tap0,10.9.0.1/24,via=10.9.0.254"));
    assertThat(file.net("parts").stack())
        .isEqualTo(file.net("words").stack())
        .hasToString("xdp:eth0,10.0.0.2/24,queues=4");
    assertThat(file.explain())
        .contains(
            "net fast is local, for VIs: sluice vi --net " + directory + "/all.toml#fast",
            "net lan is tap tap0 at 10.9.0.1/24 via 10.9.0.254, of disk data",
            "net parts is xdp eth0 at 10.0.0.2/24, queues 4, for VIs: sluice vi --net "
                + directory
                + "/all.toml#parts")
        .anyMatch(line -> line.startsWith("net wire is ring by epoll, for VIs"))
        .anyMatch(line -> line.contains(", UDP by tap:tap0,10.9.0.1/24,via=10.9.0.254"));
  }

  @Test
  void messagesPassOverDevicesThatAFileNames() throws Exception {
    Path file =
        write(
            """
            [net.fast]
            device = "local"
            [net.wire]
            device = "ring"
            backend = "poll"
            """);
    String place = "net-file-" + ProcessHandle.current().pid();
    exchange(HostFile.netOf(file + "#fast"), place);
    NetSettings wire = HostFile.netOf(file + "#wire");
    try (Nic nic = wire.open()) {
      assertThat(nic.name()).isEqualTo("ring");
    }
  }

  private static void exchange(NetSettings net, String place) throws Exception {
    try (Nic nic = net.open();
        ViServer server = new ViServer(nic.address(place), 7)) {
      Thread answering =
          Thread.ofVirtual()
              .start(() -> {
                try (Vi vi = server.accept(ViAttributes.DEFAULT, Vi.INFINITE)) {
                  vi.send(vi.recv(60_000_000), 0, 5, 60_000_000);
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      try (Vi vi = new Vi(nic.address(place), ViAttributes.DEFAULT, null, null, 7)) {
        vi.send("hello".getBytes(StandardCharsets.US_ASCII), 0, 5, 60_000_000);
        assertThat(vi.recv(60_000_000)).asString(StandardCharsets.US_ASCII).isEqualTo("hello");
      }
      answering.join();
    }
  }

  @Test
  void networksAloneDoNotRun() throws Exception {
    Path file = write("[net.fast]\ndevice = \"local\"\n");
    assertThatThrownBy(() -> HostFile.read(file).start(_ -> {}))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("names networks, and nothing that runs. Fix: ");
    assertThatThrownBy(() -> HostFile.netOf(file + "#lan"))
        .isInstanceOf(UsageException.class)
        .hasMessageEndingWith("there is no [net.lan]. Fix: name fast");
    assertThatThrownBy(() -> HostFile.netOf(file.toString()))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("--net takes FILE#NAME, not ");
    assertThatThrownBy(() -> HostFile.netOf(write("[net]\n") + "#lan"))
        .isInstanceOf(UsageException.class)
        .hasMessageEndingWith("there is no [net.lan]. Fix: write that table");
  }

  private static Arguments arguments(String text, String... lines) {
    return Arguments.of(text, List.of(lines));
  }

  private static String net(String... lines) {
    return "[net.a]\n" + String.join("\n", lines) + "\n";
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        arguments("net = 1\n", ":1: net is no table. Fix: write [net]"),
        arguments("[net]\na = 1\n", ":2: a is no table. Fix: write [net.a]"),
        arguments(net(), ":1: [net.a] has no device. Fix: device = \"local\""),
        arguments(
            net("device = \"lokal\""),
            ":2: device takes local, ",
            ", tap, not lokal. Fix: device = \"local\""),
        arguments(net("device = 1"), ":2: device is no string. Fix: device = \"text\""),
        arguments(
            net("device = \"local\"", "port = 1"),
            ":3: unknown key port of [net.a]. Fix: known are device, interface, address, via,"),
        arguments(
            net("device = \"local\"", "address = \"10.0.0.1/24\""),
            ":3: address goes with a device that has a network stack, not with local. Fix: device ="
                + " \"xdp\", or leave address out"),
        arguments(
            net("device = \"ring\"", "stack = \"tap:tap0,10.0.0.1/24\""),
            ":3: stack goes with a device that has a network stack, not with ring. Fix: "),
        arguments(
            net("device = \"local\"", "backend = \"epoll\""),
            ":3: backend goes with the device ring, not with local. Fix: device = \"ring\", or"),
        arguments(
            net("device = \"ring\"", "backend = \"kqueue\""),
            ":3: backend: no backend 'kqueue': use auto, ",
            "Fix: backend = \"auto\""),
        arguments(
            net("device = \"tap\""),
            ":2: the device tap needs an interface and an address of its own. Fix: stack ="
                + " \"tap:tap0,10.0.0.2/24\""),
        arguments(
            net("device = \"xdp\"", "via = \"10.0.0\""),
            ":1: [net.a] has no interface. Fix: interface = \"eth0\"",
            ":1: [net.a] has no address. Fix: address = \"10.0.0.2/24\"",
            ":3: via: not as 10.0.0.2: 10.0.0. Fix: via = \"10.0.0.1\""),
        arguments(
            net("device = \"xdp\"", "interface = \"\"", "address = \"10.0.0.2/24\""),
            ":3: an interface has a name of 1 to 15 letters, such as eth0, not ''. Fix: interface"),
        arguments(
            net("device = \"xdp\"", "interface = \"e\"", "address = \"10.0.0.0/24\""),
            ":4: address: 10.0.0.0/24 is no address of a host, ",
            "Fix: address = \"10.0.0.2/24\""),
        arguments(
            net("device = \"xdp\"", "interface = \"e\"", "address = \"10.0.0.1\"", "queues = 0"),
            ":4: address: not as 10.0.0.2/24: 10.0.0.1. Fix: ",
            ":5: queues takes a number from 1 to 99: 0. Fix: queues = 1"),
        arguments(
            net("device = \"tap\"", "interface = \"t\"", "address = \"10.0.0.1/24\"", "queues = 2"),
            ":5: queues goes with the device xdp, not with tap. Fix: leave queues out"));
  }

  /// Returns wrong stacks in the one-line form, and wrong networks of disks.
  static Stream<Arguments> wrongStacks() {
    String disk = "[disk.d]\ndirectory = \"data\"\nnfs = { ";
    return Stream.of(
        arguments(
            net("stack = \"tun:x\""),
            ":2: stack: not as tap|xdp:INTERFACE,ADDRESS/PREFIX",
            "Fix: stack = \"xdp:eth0,10.0.0.2/24\""),
        arguments(
            net("stack = \"tap:t,10.0.0.1/24\"", "via = \"10.0.0.2\""),
            ":3: via is given beside stack, which has it in it. Fix: leave one of the two out"),
        arguments(
            net("device = \"tap\"", "stack = \"xdp:t,10.0.0.1/24\""),
            ":3: stack is of xdp, and the device is tap. Fix: device = \"xdp\""),
        arguments(
            disk + "net = \"lan\" }\n" + net("device = \"local\""),
            ":3: there is no [net.lan]. Fix: name a"),
        arguments(
            disk + "net = \"a\" }\n" + net("device = \"local\""),
            ":3: [net.a] is the device local, which carries no UDP. Fix: name one with device ="),
        arguments(
            disk + "net = \"a\", udp = false }\n" + net("stack = \"tap:t,10.0.0.1/24\""),
            ":3: net goes with UDP and at most one bind. Fix: leave udp out"),
        arguments(
            disk
                + "net = \"a\", bind = [\"127.0.0.1\", \"::1\"] }\n"
                + net("stack = \"tap:t,10.0.0.1/24\""),
            ":3: net goes with UDP and at most one bind. Fix: leave bind out"),
        arguments(
            disk
                + "net = \"a\" }\n[disk.e]\ndirectory = \"data\"\nnfs = { net = \"a\" }\n"
                + net("stack = \"tap:t,10.0.0.1/24\""),
            ":6: [net.a] is used by disk d already. Fix: write another [net.NAME]"));
  }

  @ParameterizedTest
  @MethodSource({"wrong", "wrongStacks"})
  void wrong(String text, List<String> parts) throws Exception {
    Path file = write(text);
    assertThatThrownBy(() -> HostFile.read(file))
        .isInstanceOf(UsageException.class)
        .satisfies(e -> {
          String message = String.valueOf(e.getMessage()).replace(file.toString(), "");
          assertThat(message).contains(parts);
          assertThat(message.lines()).allMatch(line -> line.contains(". Fix: "));
        });
  }

  @Test
  void allThatIsWrongIsToldAtOnceInOrder() throws Exception {
    Path file =
        write(
            """
            [disk.d]
            directory = "data"
            [disk.d.nfs]
            port = 70000
            squash = "some"
            allow = ["nowhere/99"]
            loops = 0
            backend = "kqueue"
            anonuid = -1
            export = "data"
            [net.a]
            device = "lokal"
            backend = 1
            """);
    assertThatThrownBy(() -> HostFile.read(file))
        .isInstanceOf(UsageException.class)
        .satisfies(e ->
            assertThat(
                    String.valueOf(e.getMessage())
                        .lines()
                        .map(line -> line.replaceAll(".*toml(:[0-9]+): .*", "$1")))
                .containsExactly(":4", ":5", ":6", ":7", ":8", ":9", ":10", ":12", ":13"));
  }
}

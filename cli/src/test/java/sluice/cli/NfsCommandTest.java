package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testkit.machine.Privileges;

/// Tests `sluice nfs` in a separate process with independent clients: libnfs, rpcinfo and
/// showmount. tshark checks the captured packets.
@Timeout(600)
final class NfsCommandTest {
  private static final Pattern PORT = Pattern.compile("mountport=(\\d+)");

  @TempDir Path directory = Path.of(".");
  private Path image = Path.of("");
  private @Nullable Process process;
  private @Nullable BufferedReader out;

  @BeforeEach
  void format() {
    image = directory.resolve("image");
    assertThat(Commands.run("fs", "mkfs", "--size", "64M", image.toString())).isZero();
  }

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  private int start(String... more) throws Exception {
    List<String> command =
        SluiceProcess.command(
            "nfs", image.toString(), "--port", "0", "--bind", "127.0.0.1", "--export", "/data");
    if (!List.of(more).contains("--squash")) {
      command.addAll(List.of("--squash", "none"));
    }
    command.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
    Process started = builder.start();
    process = started;
    BufferedReader lines = started.inputReader(StandardCharsets.UTF_8);
    out = lines;
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

  /// Ends the server as a service manager does, and returns the rest of its output.
  private String terminate() throws Exception {
    Process running = process;
    BufferedReader lines = out;
    if (running == null || lines == null) {
      throw new IllegalStateException("not started");
    }
    running.toHandle().destroy(); // this way of ending keeps the streams open
    String rest = String.join("\n", lines.lines().toList());
    assertThat(running.waitFor(120, TimeUnit.SECONDS)).as(rest).isTrue();
    assertThat(running.exitValue()).as(rest).isZero();
    return rest;
  }

  private record Ran(int status, String text) {}

  /// Runs an external program, which may in turn start a JVM and wait for it.
  private Ran run(String... command) throws Exception {
    Path output = Files.createTempFile(directory, "out", "");
    Process ran =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(ran.waitFor(300, TimeUnit.SECONDS)).as(String.join(" ", command)).isTrue();
    } finally {
      ran.descendants().forEach(ProcessHandle::destroyForcibly);
      ran.destroyForcibly();
    }
    return new Ran(ran.exitValue(), Files.readString(output, StandardCharsets.ISO_8859_1));
  }

  private String ok(String... command) throws Exception {
    Ran ran = run(command);
    assertThat(ran.status).as("%s: %s", String.join(" ", command), ran.text).isZero();
    return ran.text;
  }

  private static void needs(String program, String debianPackage) {
    boolean there = false;
    for (String folder : List.of("/usr/bin", "/usr/sbin", "/sbin", "/bin")) {
      there |= Files.isExecutable(Path.of(folder, program));
    }
    assumeTrue(there, "no " + program + "; Fix: apt-get install " + debianPackage);
  }

  private static String url(String name, int port) {
    return "nfs://127.0.0.1/data/%1$s?nfsport=%2$d&mountport=%2$d".formatted(name, port);
  }

  @Test
  void libnfsCopiesFilesInAndOutAndTheImageStaysClean() throws Exception {
    Privileges.requireRoot("its client writes into a directory of root");
    needs("nfs-cp", "libnfs-utils");
    byte[] content = new byte[9_000_001];
    new Random(7).nextBytes(content);
    Path file = Files.write(directory.resolve("file"), content);
    Path back = directory.resolve("back");
    int port = start();
    ok("nfs-cp", file.toString(), url("one", port));
    ok("nfs-cp", url("one", port), url("two", port));
    ok("nfs-cp", url("two", port), back.toString());
    assertThat(Files.readAllBytes(back)).isEqualTo(content);
    assertThat(ok("nfs-ls", url("", port))).contains("9000001 one").contains("9000001 two");
    assertThat(run("nfs-cat", url("nothing", port)).status).isNotZero();
    assertThat(terminate()).contains("the image is clean");
    assertThat(Commands.run("fs", "fsck", image.toString())).isZero();
    needs("e2fsck", "e2fsprogs");
    ok("e2fsck", "-fn", image.toString());
  }

  @Test
  void rpcinfoFindsTheProgramsOnBothTransports() throws Exception {
    needs("rpcinfo", "rpcbind");
    int port = start();
    String address = "127.0.0.1." + (port >> 8) + "." + (port & 255);
    for (String transport : List.of("tcp", "udp")) {
      for (int[] program : new int[][] {{100_000, 2}, {100_003, 3}, {100_005, 3}}) {
        String number = Integer.toString(program[0]);
        String version = Integer.toString(program[1]);
        String text = ok("rpcinfo", "-a", address, "-T", transport, number, version);
        assertThat(text).contains("ready and waiting");
      }
      assertThat(run("rpcinfo", "-a", address, "-T", transport, "100099", "1").status).isNotZero();
    }
    terminate();
  }

  @Test
  void aReadOnlyExportTakesNothing() throws Exception {
    needs("nfs-cp", "libnfs-utils");
    byte[] before = Files.readAllBytes(image);
    int port = start("--read-only");
    Path file = Files.writeString(directory.resolve("file"), "text");
    assertThat(run("nfs-cp", file.toString(), url("file", port)).status).isNotZero();
    assertThat(ok("nfs-ls", url("", port))).doesNotContain("file");
    terminate();
    assertThat(Files.readAllBytes(image)).isEqualTo(before);
  }

  /// Exports an image read-only after a crash. The stable data is only in the journal, and the
  /// image must not change.
  @Test
  void whatACrashLeftIsExportedReadOnly() throws Exception {
    Privileges.requireRoot("its client writes into a directory of root");
    needs("nfs-cp", "libnfs-utils");
    byte[] content = new byte[300_001];
    new Random(8).nextBytes(content);
    Path file = Files.write(directory.resolve("file"), content);
    int port = start();
    ok("nfs-cp", file.toString(), url("one", port));
    Objects.requireNonNull(process).destroyForcibly().waitFor();
    byte[] before = Files.readAllBytes(image);
    port = start("--read-only");
    Path back = directory.resolve("back");
    ok("nfs-cp", url("one", port), back.toString());
    assertThat(back).hasBinaryContent(content);
    terminate();
    assertThat(Files.readAllBytes(image)).isEqualTo(before);
  }

  @Test
  void aClientThatIsNotAllowedIsNotServed() throws Exception {
    needs("nfs-ls", "libnfs-utils");
    int port = start("--allow", "192.0.2.0/24,2001:db8::/32");
    assertThat(run("nfs-ls", url("", port)).status).isNotZero();
    terminate();
  }

  /// Runs in a separate network namespace, where the ports 111 and 2049 are free.
  @Test
  void thePortmapperListsAndNothingOnTheWireIsMalformed() throws Exception {
    needs("showmount", "nfs-common");
    needs("rpcinfo", "rpcbind");
    needs("tshark", "tshark");
    assumeTrue(
        run("unshare", "-n", "true").status == 0, "no network of one's own; Fix: run as root");
    Path script = directory.resolve("script");
    Path file = Files.write(directory.resolve("file"), new byte[300_000]);
    Files.writeString(
        script,
        """
        cd "$1"; shift
        rm -f wire tshark.log server.log # of the attempt before
        ip link set lo up
        # Knocks at a door that nobody answers until that is in the file: all before is too.
        knock() {
          for i in $(seq 300); do
            rpcinfo -a 127.0.0.1.0.$1 -T tcp 100003 3 >knock.log 2>&1
            sleep 0.2
            [ "$(tshark -r wire -Y tcp.port==$1 2>/dev/null | wc -l)" -gt 0 ] && return
          done
          echo "capture: nothing of port $1 in $i attempts"
          cat tshark.log knock.log
        }
        tshark -q -B 64 -i lo -w wire 2>tshark.log & wire=$!
        knock 9
        "$@" >server.log 2>&1 & server=$!
        for i in $(seq 1000); do grep -q 'mount it' server.log && break; sleep 0.1; done
        cat server.log
        rpcinfo -p 127.0.0.1
        showmount -e 127.0.0.1
        nfs-cp file nfs://127.0.0.1/data/one
        nfs-cat nfs://127.0.0.1/data/one | cmp - file && echo SAME
        nfs-ls nfs://127.0.0.1/data/
        rpcinfo -T udp 127.0.0.1 100003 3
        kill -TERM $server; wait $server; echo "ended with $?"
        knock 10
        kill -INT $wire; wait $wire
        # Clients have ports below 1024, of which some belong to other protocols: 639 to MSDP.
        ours="-d tcp.port==512-1023,rpc -d udp.port==512-1023,rpc"
        echo "malformed: $(tshark -r wire $ours -Y _ws.malformed 2>/dev/null | wc -l)"
        tshark -r wire $ours -Y _ws.malformed -V 2>/dev/null | head -n 300
        lost="tcp.analysis.lost_segment || tcp.analysis.ack_lost_segment"
        echo "not captured: $(tshark -r wire -Y "$lost" 2>/dev/null | wc -l)"
        echo "calls: $(tshark -r wire $ours -Y nfs 2>/dev/null | wc -l)"
        """);
    List<String> command = new ArrayList<>(List.of("unshare", "-n", "sh", script.toString()));
    command.add(directory.toString());
    command.addAll(
        SluiceProcess.command("nfs", image.toString(), "--export", "/data", "--squash", "none"));
    String text = ok(command.toArray(String[]::new));
    for (int i = 0; i < 3 && !text.contains("not captured: 0\n"); i++) {
      // On a busy machine tshark misses packets and reports the rest of a stream as malformed.
      text = ok(command.toArray(String[]::new));
    }
    assertThat(file).exists();
    assertThat(text).doesNotContain("capture: ");
    assertThat(text).contains("SAME").contains("ended with 0").contains("malformed: 0\n");
    assertThat(text)
        .containsPattern("100000 +2 +tcp +111 ")
        .containsPattern("100003 +3 +udp +2049 ");
    assertThat(text).containsPattern("/data ").contains("program 100003 version 3 ready");
    Matcher calls = Pattern.compile("calls: (\\d+)").matcher(text);
    assertThat(calls.find()).isTrue();
    assertThat(Integer.parseInt(calls.group(1))).as(text).isGreaterThan(20);
  }

  /// Sends SIGHUP, as a closed terminal does. It ends the server as cleanly as a service manager.
  @Test
  void aLostTerminalDrains() throws Exception {
    start();
    Process running = Objects.requireNonNull(process);
    ok("kill", "-HUP", Long.toString(running.pid()));
    String rest = String.join("\n", running.inputReader(StandardCharsets.UTF_8).lines().toList());
    assertThat(running.waitFor(120, TimeUnit.SECONDS)).as(rest).isTrue();
    assertThat(rest).contains("draining").contains("the image is clean");
    assertThat(running.exitValue()).isZero();
  }

  @Test
  void aUserThatCannotWriteIsToldAtTheStart() throws Exception {
    start("--squash", "root");
    assertThat(terminate())
        .contains("note: only root may write", "--squash none")
        .doesNotContain("any machine");
    start("--bind", "0.0.0.0");
    assertThat(terminate())
        .contains("note: any machine that reaches this one may mount it", "--allow")
        .doesNotContain("only root may write");
    start("--squash", "root", "--read-only");
    assertThat(terminate()).doesNotContain("only root may write");
  }

  private static String failure(String... words) {
    StringWriter err = new StringWriter();
    int code =
        Commands.commandLine()
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err, true))
            .execute(words);
    assertThat(code).as(err.toString()).isEqualTo(1);
    return err.toString();
  }

  @Test
  void aBusyPortAndAnImageInUseAreSaid() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertThat(failure("nfs", image.toString(), "--bind", "127.0.0.1", "--port", port))
          .contains("EADDRINUSE")
          .contains(port)
          .contains("Fix: ");
    }
    // The failed start did not keep the image open.
    assertThat(Commands.run("fs", "fsck", image.toString())).isZero();
    start();
    assertThat(failure("fs", "ls", image.toString())).contains("another process has this image");
    assertThat(failure("fs", "mkfs", "--force", "--size", "1M", image.toString()))
        .contains("another process has this image")
        .contains("Fix: ");
    assertThat(Files.size(image)).isEqualTo(64 << 20);
    terminate();
  }

  @Test
  void wrongUseIsExplained() throws IOException {
    assertThat(Commands.run("nfs")).isEqualTo(2);
    assertThat(Commands.run("nfs", image.toString(), "--squash", "some")).isEqualTo(2);
    assertThat(Commands.run("nfs", image.toString(), "--allow", "nowhere/99")).isEqualTo(2);
    assertThat(Commands.run("nfs", image.toString(), "--port", "70000")).isEqualTo(2);
    assertThat(Commands.run("nfs", image.toString(), "--cache", "much")).isEqualTo(2);
    assertThat(Commands.run("nfs", directory.resolve("nothing").toString())).isEqualTo(1);
    Path empty = Files.write(directory.resolve("empty"), new byte[100_000]);
    assertThat(Commands.run("nfs", empty.toString(), "--port", "0")).isEqualTo(1);
    assertThat(failure("nfs", image.toString(), "--directory", "/none", "--port", "0"))
        .contains("ENOENT")
        .contains("/none")
        .contains("Fix: ");
    assertThat(Commands.run("nfs", image.toString(), "--export", "data")).isEqualTo(2);
    StringWriter err = new StringWriter();
    int code =
        Commands.commandLine()
            .setErr(new PrintWriter(err, true))
            .execute("nfs", image.toString(), "--squash", "some");
    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains("--squash takes root, all or none, not some");
    assertThat(err.toString()).doesNotContain("enum");
  }

  @Test
  void allThatIsWrongWithTheOptionsIsToldAtOnce() {
    StringWriter err = new StringWriter();
    int code =
        Commands.commandLine()
            .setErr(new PrintWriter(err, true))
            .execute(
                "nfs",
                image.toString(),
                "--squash=some",
                "--allow=nowhere/99",
                "--port=70000",
                "--cache=much",
                "--loops=0",
                "--backend=kqueue",
                "--export=data",
                "--anonuid=-1",
                "--drain-timeout=-1",
                "--no-udp",
                "--udp-stack=tap:t,10.0.0.2/24");
    assertThat(code).isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "--squash takes root, all or none, not some. Fix: --squash root",
            "--allow takes addresses and networks: ",
            ". Fix: --allow 10.0.0.0/8",
            "--port takes a number from 0 to 65535: 70000. Fix: --port 2049",
            "--cache: no number of bytes, at least 1M: much. Fix: --cache 64M",
            "--loops takes a number from 1 to 1024: 0. Fix: --loops 1",
            "--backend: no backend 'kqueue': use auto, ",
            "--export: a path begins with /, not as data. Fix: --export /",
            "--anonuid takes a number from 0 to 2147483647: -1. Fix: --anonuid 65534",
            "--drain-timeout takes a number from 0 to 86400: -1. Fix: --drain-timeout 30",
            "--udp-stack goes with UDP and at most one --bind. Fix: leave --no-udp out");
  }

  @Test
  void aFileNamesTheNetwork() throws IOException {
    Path file = directory.resolve("all.toml");
    Files.writeString(file, "[net.fast]\ndevice = \"local\"\n");
    StringWriter err = new StringWriter();
    int code =
        Commands.commandLine()
            .setErr(new PrintWriter(err, true))
            .execute("nfs", image.toString(), "--net", file + "#fast");
    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains("[net.fast] is the device local, which carries no UDP");
  }
}

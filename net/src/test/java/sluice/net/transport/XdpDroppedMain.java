package sluice.net.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;

/// Opens a stack, drops the privileges that this needed, and echoes at port 7 until it is killed. A
/// separate process, used by [XdpPrivilegesIT]. It prints the capabilities that the kernel reports
/// for its threads.
final class XdpDroppedMain {
  private XdpDroppedMain() {}

  public static void main(String[] args) throws Exception {
    System.out.println("before " + capabilities());
    StackPorts stack = StackPorts.open(StackOption.parse(args[0]));
    System.out.println("why " + stack.why().replace('\n', ';'));
    stack.dropPrivileges();
    System.out.println("main " + capabilities());
    Thread later = Thread.ofPlatform().start(() -> System.out.println("thread " + capabilities()));
    later.join();
    Thread.startVirtualThread(() -> System.out.println("virtual " + capabilities())).join();
    try {
      StackPorts.open(StackOption.parse(args[0])).close();
      System.out.println("again opened");
    } catch (IOException e) {
      System.out.println("again " + String.valueOf(e.getMessage()).replace('\n', ' '));
    }
    Process child = new ProcessBuilder("grep", "CapEff", "/proc/self/status").start();
    System.out.println("child " + text(child).strip());
    var engine = Engines.open(Engines.choose(Backend.EPOLL), new EngineConfig(64, 64, 64));
    try (var slow = Executors.newVirtualThreadPerTaskExecutor();
        Loop loop = new Loop("echo", engine, LoopConfig.DEFAULT, NanoClock.SYSTEM, slow)) {
      var _ =
          stack.open(
              loop,
              new InetSocketAddress(7),
              (port, datagram, from) -> port.to(from).put(datagram, 0, datagram.length()).send());
      System.out.println("echoing");
      loop.run();
    }
  }

  private static String text(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
  }

  private static String capabilities() {
    try {
      return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
          .filter(line -> line.startsWith("CapEff") || line.startsWith("CapPrm"))
          .reduce("", (all, line) -> all + " " + line.replace('\t', ' '));
    } catch (IOException e) {
      return e.toString();
    }
  }
}

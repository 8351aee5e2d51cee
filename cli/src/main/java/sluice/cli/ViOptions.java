package sluice.cli;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import sluice.cli.console.ByteCount;
import sluice.cli.console.Child;
import sluice.cli.console.Json;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAddress;
import sluice.vi.ViAttributes;
import sluice.vi.ViServer;
import sluice.vi.WaitMode;

/// What the commands of `sluice vi` have in common: the options, and which end this process is. Of
/// the main thread.
abstract class ViOptions {
  private static final int TAG = 1;
  private static final int DEPTH = 32;
  private static final int MAX_SIZE = 64 << 20;
  private static final int WARM_UP_SHARE = 5;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--provider",
      defaultValue = "local",
      description = "Which device: local (the default), ring, ofi-shm or ofi-tcp.")
  String provider = "local";

  @Option(
      names = "--size",
      defaultValue = "4",
      description = "Bytes of a message, as 64, 4K or 1M; 4 by default.")
  String sizeText = "4";

  long size;

  @Option(
      names = "--wait",
      defaultValue = "hybrid",
      description = "How threads wait: spin, hybrid (the default) or park.")
  String wait = "hybrid";

  @Option(names = "--count", defaultValue = "0", description = "How many messages.")
  int count;

  @Option(
      names = "--level",
      defaultValue = "2",
      description = "1 copies arrays, 2 uses registered buffers (the default).")
  int level = 2;

  @Option(
      names = "--listen",
      paramLabel = "PLACE",
      defaultValue = "",
      description = "Be the answering end only, at this place; of ring, HOST:PORT.")
  String listen = "";

  @Option(
      names = "--connect",
      paramLabel = "PLACE",
      defaultValue = "",
      description = "Be the asking end only; the other one listens there.")
  String connect = "";

  @Option(names = "--json", description = "One line of JSON instead.")
  boolean json;

  /// The asking end, which measures.
  abstract Map<String, Object> ask(ViExchange exchange) throws IOException;

  /// The answering end.
  abstract void answer(ViExchange exchange) throws IOException;

  /// One line about what [#ask] measured.
  abstract String line(Map<String, Object> figures);

  static double number(Map<String, Object> figures, String name) {
    return figures.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /// How many messages when none are said.
  abstract int defaultCount();

  final int run(String word) throws Exception {
    check();
    if (!listen.isEmpty()) {
      serve();
      return 0;
    }
    if (!connect.isEmpty()) {
      show(measure(connect));
      return 0;
    }
    String place =
        provider.equals("ring")
            ? "127.0.0.1:" + freePort()
            : "sluice-" + ProcessHandle.current().pid();
    try (Child _ = new Child(ViPeer.start(word, place, this))) {
      show(measure(place));
    }
    return 0;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private void check() {
    try {
      WaitMode _ = mode();
    } catch (IllegalArgumentException e) {
      throw wrong("--wait is spin, hybrid or park, not " + wait);
    }
    size = ByteCount.parse(sizeText);
    if (size < 1 || size > MAX_SIZE) {
      throw wrong("--size is 1 byte to 64M, not " + sizeText);
    }
    if (level != 1 && level != 2) {
      throw wrong("--level is 1 or 2, not " + level);
    }
    if (count < 0) {
      throw wrong("--count must not be negative: " + count);
    }
    if (!listen.isEmpty() && !connect.isEmpty()) {
      throw wrong("--listen and --connect are two ends: start two commands");
    }
    count = count == 0 ? defaultCount() : count;
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  private WaitMode mode() {
    return WaitMode.valueOf(wait.toUpperCase(Locale.ROOT));
  }

  private ViAttributes attributes() {
    return ViAttributes.DEFAULT
        .withWaiting(mode())
        .withDepths(DEPTH, DEPTH)
        .withTransferBytes((int) size);
  }

  private ViExchange exchange(Vi vi) throws IOException {
    return new ViExchange(vi, (int) size, count, count / WARM_UP_SHARE, level == 1);
  }

  private void serve() throws IOException {
    try (Nic nic = Nic.open(provider);
        ViServer server = new ViServer(nic.address(listen), TAG)) {
      spec.commandLine().getOut().println("listening at " + listen + " (" + provider + ")");
      spec.commandLine().getOut().flush();
      try (Vi vi = server.accept(attributes(), Vi.INFINITE);
          ViExchange exchange = exchange(vi)) {
        answer(exchange);
      }
    }
  }

  private Map<String, Object> measure(String place) throws IOException {
    try (Nic nic = Nic.open(provider)) {
      ViAddress address = nic.address(place);
      try (Vi vi = new Vi(address, attributes(), null, null, TAG);
          ViExchange exchange = exchange(vi)) {
        return ask(exchange);
      }
    }
  }

  private void show(Map<String, Object> figures) {
    CommandLine command = spec.commandLine();
    if (json) {
      figures.put("provider", provider);
      figures.put("size", size);
      figures.put("wait", wait);
      figures.put("level", level);
      figures.put("count", count);
      command.getOut().println(Json.of(figures));
    } else {
      String how = provider + ", " + size + " B, " + wait + ", level " + level + ": ";
      command.getOut().println(how + line(figures));
    }
    command.getOut().flush();
  }
}

package sluice.cli;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import sluice.cli.console.Child;
import sluice.cli.console.GivenOptions;
import sluice.cli.console.Json;
import sluice.host.file.OptionValues;
import sluice.host.file.UsageException;
import sluice.host.net.NetSettings;
import sluice.host.text.ByteCount;
import sluice.loop.engine.Backend;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAddress;
import sluice.vi.ViAttributes;
import sluice.vi.ViCompletionQ;
import sluice.vi.ViException;
import sluice.vi.ViServer;
import sluice.vi.WaitMode;

/// The options that are common to the `sluice vi` commands, and the roles of the process. Instances
/// are confined to the main thread.
abstract class ViOptions {
  private static final int TAG = 1;
  private static final int DEPTH = 32;
  private static final int MAX_SIZE = 64 << 20;
  private static final int WARM_UP_SHARE = 5;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"--device", "--provider"},
      paramLabel = "NAME",
      description =
          "Which device: local (the default), ring, xdp, ofi-shm, ofi-tcp, ofi-verbs or ofi-efa.")
  @Nullable String device;

  @Option(
      names = "--udp-stack",
      paramLabel = "STACK",
      description = {
        "Device xdp, with the network stack of this end: xdp:INTERFACE,ADDRESS/PREFIX for AF_XDP,",
        "or tap:NAME,ADDRESS/PREFIX; then ,via=GATEWAY and ,queues=N if wanted."
      })
  @Nullable String stack;

  @Option(
      names = "--net",
      paramLabel = "FILE#NAME",
      description = "Instead of both: the device that [net.NAME] of a file of 'sluice up' says.")
  @Nullable String named;

  NetSettings net = new NetSettings("", "local", null, Backend.AUTO);

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "4",
      description = "Bytes of a message, as 64, 4K or 1M; 4 by default.")
  String sizeText = "4";

  long size;

  @Option(
      names = "--wait",
      paramLabel = "HOW",
      defaultValue = "hybrid",
      description =
          "How threads wait: spin, hybrid (the default), park, or many: one thread for the"
              + " completions of eight VIs.")
  String wait = "hybrid";

  @Option(
      names = "--count",
      defaultValue = "0",
      paramLabel = "N",
      description = "How many messages, 100000 by default.")
  int count;

  @Option(
      names = "--level",
      paramLabel = "1|2",
      defaultValue = "2",
      description = "1 copies arrays, 2 uses registered buffers (the default).")
  int level = 2;

  @Option(
      names = "--listen",
      paramLabel = "PLACE",
      defaultValue = "",
      description = "Be the answering end only, at this place; of ring and xdp, HOST:PORT.")
  String listen = "";

  @Option(
      names = "--connect",
      paramLabel = "PLACE",
      defaultValue = "",
      description = "Be the asking end only; the other one listens there.")
  String connect = "";

  @Option(names = "--json", description = "One line of JSON instead.")
  boolean json;

  /// Executes the asking role, which performs the measurement.
  abstract Map<String, Object> ask(ViWork exchange) throws IOException;

  /// Executes the answering role.
  abstract void answer(ViWork exchange) throws IOException;

  /// Returns one line that contains the results of [#ask].
  abstract String line(Map<String, Object> figures);

  static double number(Map<String, Object> figures, String name) {
    return figures.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /// Returns the default number of messages.
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
        net.device().equals("ring")
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
      throw wrong("--wait is spin, hybrid, park or many, not " + wait);
    }
    size = ByteCount.parse(sizeText);
    if (size < 1 || size > MAX_SIZE) {
      throw wrong("--size is 1 byte to 64M, not " + sizeText + ". Fix: --size 4K");
    }
    if (level != 1 && level != 2) {
      throw wrong("--level is 1 or 2, not " + level);
    }
    if (isMany() && level == 1) {
      throw wrong("--wait many is for --level 2: a completion queue returns posted buffers");
    }
    if (count < 0) {
      throw wrong("--count must not be negative: " + count);
    }
    if (!listen.isEmpty() && !connect.isEmpty()) {
      throw wrong("--listen and --connect are two ends: start two commands");
    }
    try {
      OptionValues given = GivenOptions.of(spec);
      net = Objects.requireNonNull(GivenOptions.net(given, "local"));
      given.requireGood();
    } catch (UsageException e) {
      throw GivenOptions.wrong(spec, e);
    }
    if (net.stack() != null && listen.isEmpty() && connect.isEmpty()) {
      throw wrong("each end of xdp has a stack of its own: start one with --listen, then another");
    }
    count = count == 0 ? defaultCount() : count;
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  private WaitMode mode() {
    return isMany() ? WaitMode.HYBRID : WaitMode.valueOf(wait.toUpperCase(Locale.ROOT));
  }

  private boolean isMany() {
    return wait.equals("many");
  }

  private ViAttributes attributes() {
    return ViAttributes.DEFAULT
        .withWaiting(mode())
        .withDepths(DEPTH, DEPTH)
        .withTransferBytes((int) size);
  }

  /// Creates a VI whose completions are added to the given queue, if there is one.
  private interface Maker {
    Vi make(@Nullable ViCompletionQ completions) throws ViException;
  }

  private ViWork exchange(Maker maker) throws IOException {
    ViTiming timing = new ViTiming((int) size, count, count / WARM_UP_SHARE);
    if (!isMany()) {
      Vi vi = maker.make(null);
      return new ViExchange(vi, timing, level == 1);
    }
    ViCompletionQ completions = new ViCompletionQ(attributes());
    List<Vi> vis = new ArrayList<>();
    try {
      while (vis.size() < ViManyExchange.VIS) {
        vis.add(maker.make(completions));
      }
      return new ViManyExchange(completions, vis, timing);
    } catch (ViException e) {
      vis.forEach(Vi::close);
      throw e;
    }
  }

  private void serve() throws IOException {
    try (Nic nic = net.open();
        ViServer server = new ViServer(nic.address(listen), TAG)) {
      spec.commandLine().getOut().println("listening at " + listen + " (" + net.device() + ")");
      spec.commandLine().getOut().flush();
      try (ViWork exchange = exchange(q -> server.accept(attributes(), q, q, Vi.INFINITE))) {
        answer(exchange);
      }
    }
  }

  private Map<String, Object> measure(String place) throws IOException {
    try (Nic nic = net.open()) {
      ViAddress address = nic.address(place);
      try (ViWork exchange = exchange(q -> new Vi(address, attributes(), q, q, TAG))) {
        return ask(exchange);
      }
    }
  }

  private void show(Map<String, Object> figures) {
    CommandLine command = spec.commandLine();
    if (json) {
      figures.put("provider", net.device());
      figures.put("size", size);
      figures.put("wait", wait);
      figures.put("level", level);
      figures.put("count", count);
      command.getOut().println(Json.of(figures));
    } else {
      String how = net.device() + ", " + size + " B, " + wait + ", level " + level + ": ";
      command.getOut().println(how + line(figures));
    }
    command.getOut().flush();
  }
}

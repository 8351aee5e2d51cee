import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.datagrams.DatagramOutput;
import sluice.loop.datagrams.DatagramPeer;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.datagrams.Datagrams;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;
import sluice.memory.View;
import sluice.net.Ipv4Prefix;
import sluice.net.transport.StackOption;
import sluice.net.transport.StackPorts;

/// A DNS server for three names (RFC 1035). The same code answers on the kernel's sockets and on a
/// network stack in this process.
///
/// Run: `./sluice example dns PORT [STACK]`, such as `./sluice example dns 5300` or, as root,
/// `./sluice example dns 53 tap:tap0,10.0.0.2/24`, and beside it `ip addr add 10.0.0.1/24 dev tap0`
/// and `ip link set tap0 up`
/// Try: `dig @127.0.0.1 -p 5300 one.example` or `dig @10.0.0.2 one.example`
final class DnsResponder {
  private static final Map<String, Integer> ADDRESSES =
      Map.of(
          "one.example", Ipv4Prefix.parseAddress("192.0.2.1"),
          "two.example", Ipv4Prefix.parseAddress("192.0.2.2"),
          "three.example", Ipv4Prefix.parseAddress("192.0.2.3"));

  private static final int HEADER_BYTES = 12;
  private static final int ADDRESS = 1;
  private static final int INTERNET = 1;
  private static final int NAME_ERROR = 3;
  private static final int NOT_IMPLEMENTED = 4;

  public static void main(String[] args) throws Exception {
    if (args.length < 1 || args.length > 2 || !args[0].matches("[0-9]{1,5}")) {
      System.err.println("usage: sluice example dns PORT [STACK]");
      System.exit(2);
    }
    InetSocketAddress wanted = new InetSocketAddress(Integer.parseInt(args[0]));
    DatagramPorts ports = DatagramPorts.KERNEL;
    String on = "the kernel's sockets";
    if (args.length == 2) {
      StackPorts stack = StackPorts.open(StackOption.parse(args[1]));
      on = stack.describe();
      stack.dropPrivileges();
      ports = stack;
    }
    var engine = Engines.open(Engines.choose(Backend.AUTO), new EngineConfig(64, 64, 64));
    try (var slow = Executors.newVirtualThreadPerTaskExecutor();
        Loop loop = new Loop("dns", engine, LoopConfig.DEFAULT, NanoClock.SYSTEM, slow)) {
      Datagrams port = ports.open(loop, wanted, DnsResponder::answer);
      System.out.println("answering at " + port.address() + " on " + on);
      loop.run();
    }
  }

  /// On the loop's thread. What is no question gets no answer.
  private static void answer(Datagrams port, View query, DatagramPeer from) {
    boolean isQuestion = query.length() > HEADER_BYTES && (query.get(2) & 0x80) == 0;
    int end = isQuestion ? endOfQuestion(query) : -1;
    if (end < 0) {
      return;
    }
    Integer address = ADDRESSES.get(name(query));
    boolean wanted = number(query, end - 4) == ADDRESS && number(query, end - 2) == INTERNET;
    int code = (query.get(2) & 0x78) != 0 ? NOT_IMPLEMENTED : address == null ? NAME_ERROR : 0;
    int answers = code == 0 && wanted ? 1 : 0;
    DatagramOutput reply = port.to(from).put(query, 0, 2);
    reply.put((byte) (0x84 | (query.get(2) & 0x79))).put((byte) code);
    reply.putInt(1 << 16 | answers).putInt(0).put(query, HEADER_BYTES, end - HEADER_BYTES);
    if (answers == 1) {
      reply.put((byte) 0xc0).put((byte) HEADER_BYTES); // the name, as it was asked
      reply.putInt(ADDRESS << 16 | INTERNET).putInt(60).put((byte) 0).put((byte) 4);
      reply.putInt(address);
    }
    reply.send();
  }

  /// Where the only question ends; -1 when it is not all there, or its name is wrong.
  private static int endOfQuestion(View query) {
    int at = HEADER_BYTES;
    while (number(query, 4) == 1 && at < query.length() && at < HEADER_BYTES + 255) {
      int label = query.get(at);
      if (label == 0) {
        return at + 5 <= query.length() ? at + 5 : -1;
      }
      if (label < 0 || label > 63) {
        return -1;
      }
      at += 1 + label;
    }
    return -1;
  }

  private static int number(View query, int at) {
    return (query.get(at) & 0xff) << 8 | (query.get(at + 1) & 0xff);
  }

  private static String name(View query) {
    StringBuilder name = new StringBuilder();
    int at = HEADER_BYTES;
    while (query.get(at) != 0) {
      int label = query.get(at);
      name.append(name.isEmpty() ? "" : ".").append(query.latin1(at + 1, at + 1 + label));
      at += 1 + label;
    }
    return name.toString().toLowerCase(Locale.ROOT);
  }
}

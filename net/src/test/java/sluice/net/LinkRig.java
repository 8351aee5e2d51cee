package sluice.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import sluice.net.port.LinkChange;
import sluice.net.port.PacketPort;
import sluice.net.stack.Ipv4Stack;
import sluice.net.stack.UdpSocket;
import sluice.net.tap.TapPort;
import sluice.net.xdp.XdpConfig;
import sluice.net.xdp.XdpPort;
import sluice.testbase.Await;
import sluice.testkit.NetRoom;

/// A link between our stack and the kernel's in network namespaces of a test. The test's thread and
/// our end with the stack are in one namespace. The ends of a veth pair, [#OUR_END] and
/// [#KERNEL_END], are in two namespaces; a TAP device, [#TAP], needs only one for both ends. Used
/// by the test's thread.
public final class LinkRig implements AutoCloseable {
  public static final int OURS = Ipv4Prefix.parseAddress("10.9.0.2");
  public static final int KERNEL = Ipv4Prefix.parseAddress("10.9.0.1");
  public static final String OUR_END = "vA";
  public static final String KERNEL_END = "vB";
  public static final String TAP = "t0";

  private final NetRoom room;
  private final @Nullable NetRoom peer;
  private @Nullable Ipv4Stack stack;

  private LinkRig(@Nullable NetRoom peer) {
    this.peer = peer;
    room = NetRoom.enter("ip");
  }

  /// Creates a rig with two namespaces, for a veth pair, or skips the test with the reason.
  public static LinkRig veth() {
    return new LinkRig(NetRoom.enter("ip"));
  }

  /// Creates a rig with one namespace, for a TAP device, or skips the test with the reason.
  public static LinkRig tap() {
    return new LinkRig(null);
  }

  // ---- namespaces ----------------------------------------------------------------------------

  /// Runs a command at our end and returns its output.
  public String run(String command) {
    return room.run(command);
  }

  /// Runs a command at the kernel's end and returns its output.
  public String there(String command) {
    return there(() -> room.run(command));
  }

  /// Runs an action at the kernel's end.
  public <T, X extends Exception> T there(NetRoom.Action<T, X> action) throws X {
    return peer == null ? action.run() : room.outside(action);
  }

  /// Starts a command at the kernel's end.
  public Process start(String command) {
    return there(() -> room.start(command));
  }

  // ---- links ---------------------------------------------------------------------------------

  /// Creates the veth pair and gives the kernel's end its address.
  ///
  /// @param queues the number of queues of each end
  public void link(int mtu, int queues) {
    room.link(OUR_END, KERNEL_END, queues);
    mtu(mtu);
    String _ = there("ip addr add 10.9.0.1/24 dev " + KERNEL_END);
  }

  /// Changes the MTU of both ends of the veth pair.
  public void mtu(int mtu) {
    String _ = run("ip link set dev " + OUR_END + " mtu " + mtu);
    String _ = there("ip link set dev " + KERNEL_END + " mtu " + mtu);
  }

  /// Opens the stack on our end of the veth pair.
  ///
  /// @param owned true if only the stack has the address; false if our kernel has it too
  public XdpPort openXdp(boolean owned, int queues) throws IOException {
    if (!owned) {
      String _ = run("ip addr add 10.9.0.2/24 dev " + OUR_END);
    }
    XdpPort port = XdpPort.open(new XdpConfig(OUR_END, OURS, owned, queues));
    open(port, owned);
    return port;
  }

  /// Creates the TAP device, gives the kernel its address and opens our stack on it.
  public void openTap() throws IOException {
    open(TapPort.open(TAP), true);
    String _ = run("ip addr add 10.9.0.1/24 dev " + TAP);
    String _ = run("ip link set dev " + TAP + " up");
  }

  private void open(PacketPort port, boolean owned) {
    StackConfig config = StackConfig.of(Ipv4Prefix.parse("10.9.0.2/24")).withOwnsAddress(owned);
    stack = new Ipv4Stack(port, config, System::nanoTime, System.nanoTime());
  }

  /// Closes the stack and deletes the veth pair, so that another one can be created.
  public void unlink() {
    stack().close();
    String _ = run("ip link del dev " + OUR_END);
  }

  // ---- the stack -----------------------------------------------------------------------------

  public Ipv4Stack stack() {
    return Objects.requireNonNull(stack);
  }

  /// Returns the stack and leaves it to the caller to close.
  public Ipv4Stack giveStack() {
    Ipv4Stack given = stack();
    stack = null;
    return given;
  }

  public long changes(LinkChange change) {
    return stack().counters().changes(change);
  }

  /// Runs the stack until a condition holds.
  public void pollUntil(String what, Await.Condition<IOException> done) throws IOException {
    Await.until(
        what,
        () -> {
          int _ = stack().poll();
          stack().tick();
          return done.holds();
        });
  }

  /// Runs the stack until a process has ended, and returns the output of the process.
  public String await(Process process) throws IOException {
    pollUntil("the end of " + process.info(), () -> !process.isAlive());
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /// Pings our end from the kernel's end until all requests are answered. The option `-w` is needed
  /// because ping otherwise waits for its last reply no longer than the interval between two
  /// requests. Skips the test if ping is not installed.
  ///
  /// @param options further options of ping, such as a length
  public void bePinged(int count, String options) throws IOException {
    assumeTrue(NetRoom.isInstalled("ping"), "no ping: apt-get install iputils-ping");
    String command = "ping -n -c " + count + " -i 0.05 -w " + Await.SECONDS + " " + options;
    assertThat(await(start(command + " 10.9.0.2"))).contains(count + " received");
  }

  /// Opens a socket that echoes each datagram.
  public UdpSocket echo(int number) throws IOException {
    UdpSocket socket = stack().bind(number, _ -> {});
    socket.receiver((memory, at, length, from, fromPort) -> {
      boolean _ = socket.send(memory, at, length, from, fromPort);
    });
    return socket;
  }

  /// Opens a non-blocking channel at the kernel's end.
  public DatagramChannel channel() throws IOException {
    DatagramChannel channel = there(() -> DatagramChannel.open());
    channel.bind(new InetSocketAddress("10.9.0.1", 0));
    channel.configureBlocking(false);
    return channel;
  }

  /// Sends a datagram to an echo port of ours and checks that the whole datagram comes back.
  public void exchange(DatagramChannel channel, int number, int length) throws IOException {
    byte[] data = new byte[length];
    new Random(length).nextBytes(data);
    int _ = channel.send(ByteBuffer.wrap(data), new InetSocketAddress("10.9.0.2", number));
    ByteBuffer came = ByteBuffer.allocate(70_000);
    pollUntil("the reply of " + length, () -> channel.receive(came) != null);
    assertThat(Arrays.copyOf(came.array(), came.position())).isEqualTo(data);
  }

  @Override
  public void close() {
    if (stack != null) {
      stack.close();
    }
    room.close();
    if (peer != null) {
      peer.close();
    }
  }
}

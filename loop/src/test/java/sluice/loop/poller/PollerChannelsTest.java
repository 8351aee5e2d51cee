package sluice.loop.poller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Child;

/// Objects of the JDK with the flags that make their descriptors accessible: in a JVM of its own,
/// which runs [#main].
@Timeout(120)
class PollerChannelsTest {
  @Test
  void socketsAndChannelsOfTheJdkAreFoundWithTheFlags() throws Exception {
    String main = PollerChannelsTest.class.getName();
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    for (String flag :
        List.of(
            "exports java.base/sun.nio.ch",
            "opens java.base/java.net",
            "opens java.base/java.io")) {
      command.add("--add-" + flag.replace(' ', '=') + "=ALL-UNNAMED");
    }
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath(), main));
    assertThat(Child.run(new ProcessBuilder(command)).output().strip()).endsWith("all found");
  }

  /// Where the classes are: the tests' modules are jars and folders, used as a class path here.
  private static String classPath() throws Exception {
    List<String> parts = new ArrayList<>();
    for (Class<?> type :
        List.of(PollerChannelsTest.class, Poller.class, sluice.sys.EventFd.class)) {
      parts.add(
          Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    Path own = Path.of("target", "test-classes").toAbsolutePath();
    parts.add(own.toString());
    return String.join(java.io.File.pathSeparator, parts);
  }

  public static void main(String[] args) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (PollerFacade mux = new PollerFacade(100);
        ServerSocket listener = new ServerSocket(0, 5, loopback);
        DatagramSocket packets = new DatagramSocket(0, loopback);
        Socket client = new Socket();
        SocketChannel channel = SocketChannel.open()) {
      check(mux, mux.add(listener, PollerFacade.POLLIN), false);
      client.connect(new InetSocketAddress(loopback, listener.getLocalPort()));
      check(mux, fd(mux, listener), true);
      Socket accepted = listener.accept();
      check(mux, mux.add(accepted, PollerFacade.POLLIN), false);
      client.getOutputStream().write(1);
      check(mux, fd(mux, accepted), true);
      mux.remove(accepted);
      check(mux, mux.add(packets, PollerFacade.POLLIN), false);
      packets.send(new DatagramPacket(new byte[1], 1, packets.getLocalSocketAddress()));
      check(mux, fd(mux, packets), true);
      mux.remove(packets);
      channel.connect(new InetSocketAddress(loopback, listener.getLocalPort()));
      listener.accept().getOutputStream().write(1);
      check(mux, mux.add(channel, PollerFacade.POLLIN), true);
      channel.read(ByteBuffer.allocate(1));
      check(mux, fd(mux, channel), false);
      mux.remove(channel.socket());
      accepted.close();
    }
    System.out.println("all found");
  }

  private static int fd(PollerFacade mux, Object object) throws IOException {
    if (!mux.isMember(object)) {
      throw new AssertionError(object + " is no member");
    }
    return PollerDescriptors.of(object);
  }

  /// Fails unless the descriptor is reported, or nothing is.
  private static void check(PollerFacade mux, int fd, boolean ready) {
    int[] fds = new int[8];
    int count = mux.waitMultiple(8, fds, new short[8], ready ? 30_000 : 20);
    if (count != (ready ? 1 : 0) || (ready && fds[0] != fd)) {
      throw new AssertionError(count + " ready, first " + fds[0] + ", expected of " + fd);
    }
  }
}

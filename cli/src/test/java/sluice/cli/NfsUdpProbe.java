package sluice.cli;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// An NFSv3 client over UDP that mounts an export and asks for its attributes (RFC 1813). A
/// separate process in another network namespace than the test. Prints the type of the root.
final class NfsUdpProbe {
  private static final int MOUNT = 100_005;
  private static final int NFS = 100_003;
  private static final int DIRECTORY = 2;
  private static final int REPLY_HEADER_BYTES = 24;

  private final DatagramSocket socket = new DatagramSocket();
  private final InetSocketAddress server;
  private int number = 17;

  private NfsUdpProbe(InetSocketAddress server) throws IOException {
    this.server = server;
    socket.setSoTimeout(2000);
  }

  /// Runs the client.
  ///
  /// @param args the host, the port, the export and the number of attribute calls
  public static void main(String[] args) throws IOException {
    NfsUdpProbe probe = new NfsUdpProbe(new InetSocketAddress(args[0], Integer.parseInt(args[1])));
    byte[] path = args[2].getBytes(StandardCharsets.UTF_8);
    ByteBuffer mounted = probe.call(MOUNT, 1, path);
    check(mounted.getInt() == 0, "mounted");
    byte[] handle = new byte[mounted.getInt()];
    mounted.get(handle);
    for (int i = 0; i < Integer.parseInt(args[3]); i++) {
      ByteBuffer attributes = probe.call(NFS, 1, handle);
      check(attributes.getInt() == 0, "attributes");
      check(attributes.getInt() == DIRECTORY, "a directory");
    }
    System.out.println("the root is a directory");
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("not as expected: " + what);
    }
  }

  /// Calls a procedure with one opaque argument and repeats the call until a reply arrives.
  private ByteBuffer call(int program, int procedure, byte[] argument) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream call = new DataOutputStream(bytes);
    int[] header = {++number, 0, 2, program, 3, procedure, 0, 0, 0, 0, argument.length};
    for (int each : header) {
      call.writeInt(each);
    }
    call.write(argument);
    call.write(new byte[-argument.length & 3]);
    byte[] message = bytes.toByteArray();
    for (int attempt = 0; attempt < 20; attempt++) {
      socket.send(new DatagramPacket(message, message.length, server));
      DatagramPacket reply = new DatagramPacket(new byte[9000], 9000);
      try {
        socket.receive(reply);
      } catch (SocketTimeoutException e) {
        continue;
      }
      ByteBuffer read = ByteBuffer.wrap(reply.getData(), 0, reply.getLength());
      if (read.getInt(0) == number) {
        check(read.getInt(8) == 0 && read.getInt(20) == 0, "accepted");
        return read.position(REPLY_HEADER_BYTES);
      }
    }
    throw new IOException("no reply of " + server);
  }
}

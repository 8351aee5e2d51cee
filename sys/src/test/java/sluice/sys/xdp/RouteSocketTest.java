package sluice.sys.xdp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Errno;

/// Tests valid and invalid messages of rtnetlink.
@Timeout(60)
class RouteSocketTest {
  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }

  private static byte[] link(int type, int index, int flags, int mtu) {
    byte[] bytes = new byte[16 + 16 + 8 + 12];
    ByteBuffer message = buffer(bytes);
    message.putInt(52).putShort((short) type).putShort((short) 0).putInt(0).putInt(0);
    message.put((byte) 0).put((byte) 0).putShort((short) 1).putInt(index).putInt(flags).putInt(0);
    message.putShort((short) 8).putShort((short) RouteSocket.IFLA_MTU).putInt(mtu);
    message.putShort((short) 10).putShort((short) RouteSocket.IFLA_ADDRESS);
    message.put(new byte[] {2, 0, 0, 0, 1, (byte) 255, 0, 0});
    return bytes;
  }

  private static byte[] address(int type, int index, int address) {
    byte[] bytes = new byte[16 + 8 + 8];
    ByteBuffer message = buffer(bytes);
    message.putInt(32).putShort((short) type).putShort((short) 0).putInt(0).putInt(0);
    message.put((byte) 2).put((byte) 24).putShort((short) 0).putInt(index);
    message.putShort((short) 8).putShort((short) RouteSocket.IFA_LOCAL);
    message.order(ByteOrder.BIG_ENDIAN).putInt(address);
    return bytes;
  }

  private static byte[] joined(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(1000);
    for (byte[] part : parts) {
      all.put(part);
    }
    byte[] bytes = new byte[all.position()];
    all.flip().get(bytes);
    return bytes;
  }

  @Test
  void messagesAreReadOneByOne() {
    byte[] both =
        joined(
            link(RouteSocket.RTM_NEWLINK, 7, 0x41, 9000),
            address(RouteSocket.RTM_DELADDR, 8, 0x0a000002));
    RouteSocket socket = RouteSocket.over(both);
    assertThat(socket.next()).isTrue();
    assertThat(socket.type()).isEqualTo(RouteSocket.RTM_NEWLINK);
    assertThat(socket.index()).isEqualTo(7);
    assertThat(socket.mtu()).isEqualTo(9000);
    assertThat(socket.flags()).isEqualTo(0x41);
    assertThat(socket.mac()).isEqualTo(0x0200_0000_01ffL);
    assertThat(socket.next()).isTrue();
    assertThat(socket.type()).isEqualTo(RouteSocket.RTM_DELADDR);
    assertThat(socket.index()).isEqualTo(8);
    assertThat(socket.address()).isEqualTo(0x0a000002);
    assertThat(socket.mac()).isEqualTo(-1);
    assertThat(socket.next()).isFalse();
  }

  @Test
  void lengthsThatLieAreNotFollowed() {
    byte[] good = link(RouteSocket.RTM_NEWLINK, 7, 1, 9000);
    for (int length : new int[] {0, 3, 15, 53, 1 << 20, -1, Integer.MIN_VALUE}) {
      byte[] bad = good.clone();
      ByteBuffer.wrap(bad).order(ByteOrder.nativeOrder()).putInt(0, length);
      assertThat(RouteSocket.over(bad).next()).as("%d", length).isFalse();
    }
    for (int length : new int[] {0, 3, 21, 0xffff}) {
      byte[] bad = good.clone();
      ByteBuffer.wrap(bad).order(ByteOrder.nativeOrder()).putShort(32, (short) length);
      RouteSocket socket = RouteSocket.over(bad);
      assertThat(socket.next()).isTrue();
      assertThat(socket.mtu()).as("%d", length).isZero();
    }
    for (int cut = 0; cut < good.length; cut++) {
      byte[] bad = Arrays.copyOf(good, cut);
      assertThat(RouteSocket.over(bad).next()).isFalse();
      if (cut >= 16) {
        ByteBuffer.wrap(bad).order(ByteOrder.nativeOrder()).putInt(0, cut);
        assertThat(RouteSocket.over(bad).next()).isTrue();
      }
    }
  }

  @Test
  void anyBytesEnd() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] good =
        joined(
            link(RouteSocket.RTM_NEWLINK, 7, 1, 9000),
            address(RouteSocket.RTM_NEWADDR, 7, 1),
            link(RouteSocket.RTM_DELLINK, 7, 1, 1500));
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = good.clone();
      for (int j = random.nextInt(6); j >= 0; j--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      RouteSocket socket = RouteSocket.over(bytes);
      int messages = 0;
      while (socket.next()) {
        messages++;
      }
      assertThat(messages).as("seed %d", seed).isLessThanOrEqualTo(bytes.length / 16);
    }
  }

  @Test
  void theKernelAnswersForLoopback() throws Exception {
    try (RouteSocket socket = RouteSocket.open()) {
      assertThat(socket.askLink(1)).isZero();
      assertThat(socket.read()).isPositive();
      assertThat(socket.next()).isTrue();
      assertThat(socket.type()).isEqualTo(RouteSocket.RTM_NEWLINK);
      assertThat(socket.mtu()).isPositive();
      assertThat(socket.askLink(1 << 30)).isZero();
      // messages about other changes may be in between
      while (socket.type() != RouteSocket.NLMSG_ERROR) {
        assertThat(socket.read()).isPositive();
        while (socket.next() && socket.type() != RouteSocket.NLMSG_ERROR) {}
      }
      assertThat(socket.error()).isEqualTo(-Errno.ENODEV);
    }
  }
}

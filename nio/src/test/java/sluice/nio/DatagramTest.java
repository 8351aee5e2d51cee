package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.UnresolvedAddressException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Datagrams that are not connected: sending, receiving, selecting.
class DatagramTest extends Scenario {
  @ParameterizedTest
  @EnumSource
  void aBlockingReceiveWaits(Task.Kind kind) throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    ByteBuffer buffer = ByteBuffer.allocate(10);
    Task<SocketAddress> receiving = kind.start(() -> two.receive(buffer));
    receiving.awaitBlocked("receive");
    assertThat(one.send(text("hello"), two.getLocalAddress())).isEqualTo(5);
    assertThat(receiving.join()).isEqualTo(one.getLocalAddress());
    assertThat(buffer.flip()).isEqualTo(text("hello"));
  }

  @Test
  void withoutADatagramANonBlockingReceiveIsNull() throws Exception {
    DatagramChannel channel = boundDatagram();
    channel.configureBlocking(false);
    ByteBuffer buffer = ByteBuffer.allocate(10);
    assertThat(channel.receive(buffer)).isNull();
    assertThat(buffer.position()).isZero();
  }

  @Test
  void sendingBindsAndReceivingUnboundIsNull() throws Exception {
    DatagramChannel channel = datagram();
    channel.configureBlocking(false);
    assertThat(channel.receive(ByteBuffer.allocate(1))).isNull();
    DatagramChannel other = datagram();
    assertThat(other.send(text("x"), boundDatagram().getLocalAddress())).isEqualTo(1);
    assertThat(addressOf(other).getPort()).isPositive();
  }

  @Test
  void datagramsKeepTheirBoundsAndWhatDoesNotFitIsLost() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    one.send(text("first"), two.getLocalAddress());
    one.send(text("second"), two.getLocalAddress());
    one.send(text(""), two.getLocalAddress());
    one.send(text("last"), two.getLocalAddress());
    ByteBuffer small = ByteBuffer.allocate(3);
    assertThat(two.receive(small)).isEqualTo(one.getLocalAddress());
    assertThat(small.flip()).isEqualTo(text("fir"));
    ByteBuffer direct = ByteBuffer.allocateDirect(64);
    assertThat(two.receive(direct)).isNotNull();
    assertThat(direct.flip()).isEqualTo(text("second"));
    assertThat(two.receive(direct.clear())).as("an empty one").isEqualTo(one.getLocalAddress());
    assertThat(direct.position()).isZero();
    assertThat(two.receive(direct.clear())).isNotNull();
    assertThat(direct.flip()).isEqualTo(text("last"));
  }

  @Test
  void aBufferWithoutRoomStillTakesOneAway() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    one.send(text("gone"), two.getLocalAddress());
    one.send(text("next"), two.getLocalAddress());
    assertThat(two.receive(ByteBuffer.allocate(0))).isEqualTo(one.getLocalAddress());
    ByteBuffer buffer = ByteBuffer.allocate(8);
    two.receive(buffer);
    assertThat(buffer.flip()).isEqualTo(text("next"));
  }

  @Test
  void theLargestDatagramPassesAndOneMoreByteDoesNot() throws Exception {
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    one.setOption(StandardSocketOptions.SO_SNDBUF, 200_000);
    byte[] bytes = pattern(65_507);
    assertThat(one.send(ByteBuffer.wrap(bytes), two.getLocalAddress())).isEqualTo(65_507);
    ByteBuffer in = ByteBuffer.allocate(70_000);
    two.receive(in);
    assertThat(java.util.Arrays.copyOf(in.array(), in.position())).isEqualTo(bytes);
    ByteBuffer tooLong = ByteBuffer.allocate(65_508);
    assertThatThrownBy(() -> one.send(tooLong, two.getLocalAddress()))
        .isInstanceOf(SocketException.class);
    assertThat(one.isOpen()).isTrue();
  }

  @Test
  void readableUntilAllAreReceived() throws Exception {
    Selector selector = selector();
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    SelectionKey key = register(two, selector, OP_READ);
    assertThat(isReady(selector, key, 0)).isFalse();
    for (int i = 0; i < 5; i++) {
      one.send(text("n" + i), two.getLocalAddress());
    }
    ByteBuffer buffer = ByteBuffer.allocate(10);
    for (int i = 0; i < 5; i++) {
      awaitReady(selector, key, OP_READ);
      assertThat(two.receive(buffer.clear())).isEqualTo(one.getLocalAddress());
      assertThat(buffer.flip()).isEqualTo(text("n" + i));
    }
    assertThat(isReady(selector, key, 20)).isFalse();
    assertThat(two.receive(buffer.clear())).isNull();
  }

  @Test
  void writableAndDeregisteredWithDatagramsWaiting() throws Exception {
    Selector selector = selector();
    DatagramChannel one = boundDatagram();
    DatagramChannel two = boundDatagram();
    SelectionKey writing = register(one, selector, OP_WRITE);
    assertThat(selector.select()).isEqualTo(1);
    writing.cancel();
    SelectionKey reading = register(two, selector, OP_READ);
    selector.selectNow();
    for (int i = 0; i < 3; i++) {
      one.send(text("n" + i), two.getLocalAddress());
    }
    awaitReady(selector, reading, OP_READ);
    reading.cancel();
    selector.selectNow();
    two.configureBlocking(true);
    for (int i = 0; i < 3; i++) {
      ByteBuffer buffer = ByteBuffer.allocate(10);
      assertThat(two.receive(buffer)).isEqualTo(one.getLocalAddress());
      assertThat(buffer.flip()).isEqualTo(text("n" + i));
    }
  }

  @Test
  void whatCannotBeSaysSo() throws Exception {
    DatagramChannel channel = boundDatagram();
    assertThatThrownBy(() -> channel.receive(ByteBuffer.allocate(4).asReadOnlyBuffer()))
        .isInstanceOf(IllegalArgumentException.class);
    SocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere", 9);
    assertThatThrownBy(() -> channel.send(text("x"), unresolved))
        .isInstanceOf(UnresolvedAddressException.class);
    channel.close();
    assertThatThrownBy(() -> channel.receive(ByteBuffer.allocate(4)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.send(text("x"), loopback(9)))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void broadcastingNeedsItsOption() throws Exception {
    DatagramChannel channel = datagram();
    var everybody = new InetSocketAddress("127.255.255.255", 9);
    channel.setOption(StandardSocketOptions.SO_BROADCAST, false);
    assertThatThrownBy(() -> channel.send(text("x"), everybody))
        .isExactlyInstanceOf(BindException.class) // the JDK takes it for an address's fault
        .hasMessage("Permission denied");
    channel.setOption(StandardSocketOptions.SO_BROADCAST, true);
    assertThat(channel.getOption(StandardSocketOptions.SO_BROADCAST)).isTrue();
    assertThat(channel.send(text("x"), everybody)).isEqualTo(1);
  }

  @Test
  void sendersInOtherThreadsDoNotMixDatagrams() throws Exception {
    DatagramChannel two = boundDatagram();
    two.setOption(StandardSocketOptions.SO_RCVBUF, 400_000);
    DatagramChannel one = boundDatagram();
    Task<?>[] senders = new Task<?>[4];
    for (int t = 0; t < senders.length; t++) {
      byte letter = (byte) ('a' + t);
      senders[t] =
          Task.start(() -> {
            byte[] bytes = new byte[50];
            java.util.Arrays.fill(bytes, letter);
            for (int i = 0; i < 25; i++) {
              one.send(ByteBuffer.wrap(bytes), two.getLocalAddress());
            }
            return true;
          });
    }
    for (Task<?> sender : senders) {
      sender.join();
    }
    for (int i = 0; i < 100; i++) {
      ByteBuffer buffer = ByteBuffer.allocate(60);
      two.receive(buffer);
      assertThat(buffer.position()).isEqualTo(50);
      for (int at = 1; at < 50; at++) {
        assertThat(buffer.get(at)).isEqualTo(buffer.get(0));
      }
    }
  }
}

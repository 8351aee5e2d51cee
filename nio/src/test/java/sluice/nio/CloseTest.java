package sluice.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// What closing does to the peer, to keys, and to bytes on their way.
class CloseTest extends Scenario {
  @Test
  void aClosedChannelRefusesEverythingTwice() throws IOException {
    SocketChannel channel = link().near();
    channel.close();
    channel.close();
    assertThat(channel.isOpen()).isFalse();
    ByteBuffer buffer = ByteBuffer.allocate(1);
    assertThatThrownBy(() -> channel.read(buffer)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.write(buffer)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.configureBlocking(false))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.connect(loopback(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(channel.toString()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void thePeerSeesTheEndAtOnceEvenBeforeTheNextSelect(boolean selected) throws IOException {
    Link link = link();
    Selector selector = selector();
    if (selected) {
      register(link.near(), selector, OP_READ);
      selector.selectNow();
    }
    link.near().close();
    assertThat(link.far().getInputStream().read()).isEqualTo(-1);
    if (selected) {
      assertThat(selector.selectNow()).isZero();
    }
  }

  @Test
  void theKeysAreCancelledAndKeepTheirChannel() throws IOException {
    Selector one = selector();
    Selector two = selector();
    SocketChannel channel = link().near();
    SelectionKey first = register(channel, one, OP_READ);
    SelectionKey second = register(channel, two, OP_READ);
    channel.close();
    assertThat(first.isValid()).isFalse();
    assertThat(second.isValid()).isFalse();
    assertThat(first.channel()).isSameAs(channel);
    assertThat(channel.isRegistered()).isTrue();
    assertThat(one.selectNow()).isZero();
    assertThat(one.keys()).isEmpty();
    assertThat(two.selectNow()).isZero();
    assertThat(two.keys()).isEmpty();
    assertThat(channel.isRegistered()).isFalse();
  }

  @Test
  void aSelectedServersPortIsFreeAfterTheNextSelect() throws IOException {
    Selector selector = selector();
    ServerSocketChannel server = listening();
    InetSocketAddress address = addressOf(server);
    register(server, selector, SelectionKey.OP_ACCEPT);
    selector.selectNow();
    server.close();
    selector.selectNow();
    assertThat(addressOf(server().bind(address))).isEqualTo(address);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closingWithUnreadBytesResetsThePeer(boolean selected) throws Exception {
    Link link = link();
    Selector selector = selector();
    SelectionKey key = unread(link, selector);
    if (!selected) {
      key.cancel();
      selector.selectNow();
    }
    link.near().close();
    selector.selectNow();
    assertPeerFails(link);
  }

  /// As a server does that refuses an upload: what it has written and its end arrive before the
  /// reset, which comes when the selector lets go of the channel.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLastReplyIsReadBeforeTheResetForWhatWasNeverRead(boolean byOther) throws Exception {
    Link link = accepted();
    Selector selector = selector();
    SelectionKey _ = unread(link, selector);
    writeFully(link.near(), text("413"));
    if (byOther) {
      Task.start(() -> closed(link.near())).join();
    } else {
      link.near().close();
    }
    assertThat(text(link.far().getInputStream().readAllBytes())).isEqualTo("413");
    sendsUnhindered(link);
    selector.selectNow();
    assertPeerFails(link);
  }

  /// Else a client that sends all of its upload first would wait until another channel is ready.
  @Test
  void whatArrivesAfterCloseMakesAWaitingSelectorLetGo() throws Exception {
    Link link = accepted();
    Selector selector = selector();
    SelectionKey key = register(link.near(), selector, OP_READ);
    send(link.far(), "?");
    awaitReady(selector, key, OP_READ);
    readFully(link.near(), 1);
    Task<Integer> selecting = Task.start(() -> selector.select());
    selecting.awaitBlocked("select");
    link.near().close();
    assertPeerFails(link);
    selector.wakeup();
    assertThat(selecting.join()).isZero();
    assertThat(key.isValid()).isFalse();
  }

  @Test
  void theLastOfTwoSelectorsLetsGo() throws Exception {
    Link link = accepted();
    Selector one = selector();
    Selector two = selector();
    register(link.near(), two, OP_READ);
    SelectionKey _ = unread(link, one);
    link.near().close();
    assertThat(link.far().getInputStream().read()).isEqualTo(-1);
    one.selectNow();
    sendsUnhindered(link);
    two.close();
    assertPeerFails(link);
  }

  /// Registers the near channel, which has bytes that no test reads.
  private SelectionKey unread(Link link, Selector selector) throws Exception {
    SelectionKey key = register(link.near(), selector, OP_READ);
    send(link.far(), "never read");
    awaitReady(selector, key, OP_READ);
    return key;
  }

  /// A reset for the first bytes would make the second fail.
  private static void sendsUnhindered(Link link) throws IOException {
    send(link.far(), "some more");
    send(link.far(), "which is not reset yet");
  }

  private static boolean closed(SocketChannel channel) throws IOException {
    channel.close();
    return true;
  }

  @Test
  void lingerOfZeroResetsThePeer() throws Exception {
    Link link = link();
    link.near().setOption(StandardSocketOptions.SO_LINGER, 0);
    link.near().close();
    assertThatThrownBy(() -> link.far().getInputStream().read()).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 5})
  void bytesThatWereWrittenArriveAfterClose(int linger) throws Exception {
    Link link = link();
    link.near().setOption(StandardSocketOptions.SO_LINGER, linger);
    Selector selector = selector();
    register(link.near(), selector, OP_READ);
    selector.selectNow();
    byte[] bytes = pattern(200_000);
    int written = link.near().write(ByteBuffer.wrap(bytes));
    assertThat(written).isPositive();
    Task<byte[]> reading = Task.start(() -> link.far().getInputStream().readAllBytes());
    link.near().close();
    selector.selectNow();
    assertThat(reading.join()).isEqualTo(java.util.Arrays.copyOf(bytes, written));
  }

  @Test
  void smallWritesBetweenSelectsArriveAfterClose() throws Exception {
    Selector selector = selector();
    for (int i = 0; i < 20; i++) {
      Link link = link();
      SelectionKey key = register(link.near(), selector, OP_READ);
      send(link.far(), "?");
      awaitReady(selector, key, OP_READ);
      readFully(link.near(), 1);
      writeFully(link.near(), text("good"));
      writeFully(link.near(), text("bye"));
      link.near().close();
      assertThat(text(link.far().getInputStream().readAllBytes())).isEqualTo("goodbye");
    }
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void writingToAResetPeerFailsAndNeverKills() throws Exception {
    Link link = link();
    link.far().setSoLinger(true, 0);
    link.far().close();
    Await.until("a write that fails", () -> writeFails(link.near()));
    for (int i = 0; i < 5; i++) {
      assertThat(writeFails(link.near())).as("again, with EPIPE").isTrue();
    }
    assertThat(link.near().isOpen()).isTrue();
  }

  @Test
  void readingFromAResetPeerFailsAgainAndAgain() throws Exception {
    Link link = link();
    link.far().setSoLinger(true, 0);
    link.far().close();
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> link.near().read(ByteBuffer.allocate(1)))
          .isInstanceOf(IOException.class);
    }
  }

  private static boolean writeFails(SocketChannel channel) {
    try {
      channel.write(text("x"));
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /// The reset may come while the peer reads, or as the end of the stream is read before it.
  private static void assertPeerFails(Link link) throws Exception {
    Await.until(
        "a write of the peer that fails",
        () -> {
          try {
            link.far().getOutputStream().write(1);
            return false;
          } catch (IOException e) {
            return true;
          }
        });
  }
}

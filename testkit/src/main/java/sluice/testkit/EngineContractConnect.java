package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static sluice.sys.Errno.ECANCELED;
import static sluice.sys.Errno.ECONNREFUSED;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.loop.engine.ListenOptions;
import sluice.testkit.EngineContractPeers.Peer;
import sluice.testkit.EngineContractRig.Event;

/// Tests of listening, accepting, connecting and closing.
interface EngineContractConnect {
  EngineContractRig rig();

  private int listen() throws IOException {
    return rig().sockets().listen(EngineContractRig.anyPort("127.0.0.1"), ListenOptions.DEFAULT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  default void acceptsOnAnEphemeralPort(String host) throws IOException {
    InetSocketAddress any = EngineContractRig.anyPort(host);
    assumeTrue(rig().peers.reaches(any), host + " is not an address of this machine");
    int listener = rig().sockets().listen(any, ListenOptions.DEFAULT);
    InetSocketAddress bound = (InetSocketAddress) rig().sockets().localAddress(listener);
    assertThat(bound.getPort()).isPositive();
    assertThat(bound.getAddress()).isEqualTo(any.getAddress());
    long token = rig().token();
    rig().sockets().accept(listener, token);
    rig().turn(0);
    Peer peer = rig().connectPeer(bound);
    Event accepted = rig().await(token);
    assertThat(accepted.result()).isNotNegative().isNotEqualTo(listener);
    assertThat(accepted.more()).isTrue();
    assertThat(rig().sockets().remoteAddress(accepted.result())).isEqualTo(peer.localAddress());
    exchange(accepted.result(), peer);
  }

  private void exchange(int socket, Peer peer) throws IOException {
    byte[] there = EngineContractRig.randomBytes(100, 1);
    byte[] back = EngineContractRig.randomBytes(200, 2);
    long token = rig().token();
    rig().sockets().receive(socket, token);
    rig().sockets().send(socket, rig().token(), rig().segment(back), 0, back.length);
    peer.write(there);
    assertThat(rig().awaitBytes(token, there.length)).isEqualTo(there);
    assertThat(peer.read(back.length)).isEqualTo(back);
  }

  @Test
  default void acceptsManyThatWaitedInTheBacklog() throws IOException {
    int listener = listen();
    SocketAddress address = rig().sockets().localAddress(listener);
    List<Peer> peers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      peers.add(rig().connectPeer(address));
    }
    long token = rig().token();
    rig().sockets().accept(listener, token);
    Set<Integer> sockets = new HashSet<>();
    for (int i = 0; i < peers.size(); i++) {
      Event event = rig().await(token);
      assertThat(event.more()).isTrue();
      sockets.add(event.result());
    }
    assertThat(sockets).hasSize(peers.size()).noneMatch(socket -> socket < 0);
  }

  @Test
  default void cancelledAcceptLeavesConnectionsInTheBacklog() throws IOException {
    int listener = listen();
    long first = rig().token();
    rig().sockets().accept(listener, first);
    rig().turn(0);
    rig().engine().cancel(first);
    Event ended = rig().await(first);
    assertThat(ended.result()).isEqualTo(-ECANCELED);
    assertThat(ended.more()).isFalse();
    rig().connectPeer(rig().sockets().localAddress(listener));
    rig().assertSilent(first);
    long second = rig().token();
    rig().sockets().accept(listener, second);
    assertThat(rig().await(second).result()).isNotNegative();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  default void connectsToItsOwnListener(String host) throws IOException {
    InetSocketAddress any = EngineContractRig.anyPort(host);
    assumeTrue(rig().peers.reaches(any), host + " is not an address of this machine");
    int listener = rig().sockets().listen(any, ListenOptions.DEFAULT);
    long accept = rig().token();
    long connect = rig().token();
    rig().sockets().accept(listener, accept);
    int client = rig().sockets().connect(rig().sockets().localAddress(listener), connect);
    Event connected = rig().await(connect);
    assertThat(connected.result()).isZero();
    assertThat(connected.more()).isFalse();
    int server = rig().await(accept).result();
    assertThat(server).isNotNegative().isNotEqualTo(client);
    byte[] bytes = EngineContractRig.randomBytes(300, 3);
    long receive = rig().token();
    rig().sockets().receive(server, receive);
    rig().sockets().send(client, rig().token(), rig().segment(bytes), 0, bytes.length);
    assertThat(rig().awaitBytes(receive, bytes.length)).isEqualTo(bytes);
  }

  @Test
  default void connectsToManyAtOnce() throws IOException {
    var listener = rig().keep(rig().peers.listen());
    List<Long> tokens = new ArrayList<>();
    Set<Integer> sockets = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      tokens.add(rig().token());
      sockets.add(rig().sockets().connect(listener.address(), tokens.getLast()));
    }
    assertThat(sockets).hasSize(tokens.size());
    for (long token : tokens) {
      assertThat(rig().await(token).result()).isZero();
    }
    for (int i = 0; i < tokens.size(); i++) {
      rig().keep(listener.accept());
    }
  }

  @Test
  default void connectedSocketCarriesBytesBothWays() throws IOException {
    var listener = rig().keep(rig().peers.listen());
    long token = rig().token();
    int socket = rig().sockets().connect(listener.address(), token);
    assertThat(rig().await(token).result()).isZero();
    Peer peer = rig().keep(listener.accept());
    assertThat(rig().sockets().remoteAddress(socket)).isEqualTo(listener.address());
    exchange(socket, peer);
  }

  /// Checks a large send right after connecting, when nothing has been exchanged yet.
  @Test
  default void connectedSocketSendsAtOnce() throws IOException {
    var listener = rig().keep(rig().peers.listen());
    long token = rig().token();
    int socket = rig().sockets().connect(listener.address(), token);
    assertThat(rig().await(token).result()).isZero();
    byte[] bytes = EngineContractRig.randomBytes(16 << 20, 4);
    long all = rig().token();
    rig().sockets().sendAll(socket, all, rig().segment(bytes), 0, bytes.length);
    rig().turn(0);
    Peer peer = rig().keep(listener.accept());
    var reader = rig().peers.later(0, () -> assertThat(peer.read(bytes.length)).isEqualTo(bytes));
    assertThat(rig().await(all).result()).isEqualTo(bytes.length);
    reader.join();
  }

  @Test
  default void refusedConnectionSaysSo() throws IOException {
    var listener = rig().peers.listen();
    SocketAddress nobody = listener.address();
    listener.close();
    long token = rig().token();
    int socket = rig().sockets().connect(nobody, token);
    assertThat(rig().await(token).result()).isEqualTo(-ECONNREFUSED);
    rig().sockets().close(socket);
    rig().assertSilent(token);
  }

  @Test
  default void listeningTwiceOnAPortIsRefusedWithReasonAndRemedy() throws IOException {
    SocketAddress taken = rig().sockets().localAddress(listen());
    assertThatThrownBy(() -> rig().sockets().listen(taken, ListenOptions.DEFAULT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("bind")
        .hasMessageContaining("EADDRINUSE")
        .hasMessageContaining("Why:")
        .hasMessageContaining("Fix:");
  }

  @Test
  default void listenersShareAPortWhenAsked() throws IOException {
    ListenOptions shared = ListenOptions.DEFAULT.withReusePort(true);
    int first = rig().sockets().listen(EngineContractRig.anyPort("127.0.0.1"), shared);
    SocketAddress address = rig().sockets().localAddress(first);
    int second = rig().sockets().listen(address, shared);
    assertThat(second).isNotEqualTo(first);
    long token = rig().token();
    rig().sockets().accept(first, token);
    rig().sockets().accept(second, rig().token());
    rig().turn(0);
    // The kernel spreads connections by a hash of their addresses.
    for (int i = 0; i < 64; i++) {
      rig().connectPeer(address);
    }
    assertThat(rig().await(token).result()).isNotNegative();
  }

  @Test
  default void closeSendsFin() throws IOException {
    var pair = rig().pair();
    long token = rig().token();
    rig().sockets().receive(pair.socket(), token);
    rig().turn(0);
    rig().engine().cancel(token);
    assertThat(rig().await(token).result()).isEqualTo(-ECANCELED);
    rig().sockets().close(pair.socket());
    rig().turn(0);
    assertThat(pair.peer().readsEnd()).isTrue();
  }

  @Test
  default void closedListenerRefuses() throws IOException {
    int listener = listen();
    SocketAddress address = rig().sockets().localAddress(listener);
    rig().sockets().close(listener);
    rig().turn(0);
    assertThatThrownBy(() -> rig().connectPeer(address)).isInstanceOf(IOException.class);
  }

  @Test
  default void reusedNumberHasNothingOfItsPredecessor() throws IOException {
    var old = rig().pair();
    long oldToken = rig().token();
    rig().sockets().receive(old.socket(), oldToken);
    old.peer().write(new byte[10]);
    rig().awaitBytes(oldToken, 10);
    rig().engine().cancel(oldToken);
    assertThat(rig().await(oldToken).result()).isEqualTo(-ECANCELED);
    Peer next = rig().dial(); // before the close, so that the number is still free after it
    rig().sockets().close(old.socket());
    var fresh = rig().accepted(next);
    rig().engine().cancel(oldToken); // late: has no meaning any more
    long token = rig().token();
    rig().sockets().receive(fresh.socket(), token);
    rig().turn(0);
    old.peer().close();
    fresh.peer().write(new byte[] {1, 2, 3});
    assertThat(rig().awaitBytes(token, 3)).containsExactly(1, 2, 3);
    rig().assertSilent(oldToken);
    assertThat(rig().poll(token)).isNull();
  }
}

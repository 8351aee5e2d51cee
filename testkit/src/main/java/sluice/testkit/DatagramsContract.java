package sluice.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.Loop;
import sluice.loop.datagrams.DatagramHandler;
import sluice.loop.datagrams.DatagramInterruptlets;
import sluice.loop.datagrams.DatagramOutput;
import sluice.loop.datagrams.DatagramPeer;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.datagrams.Datagrams;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.memory.View;
import sluice.testbase.Await;

/// The behaviour of datagram ports and the interruptlets on them, for every engine of the loop. The
/// test's thread owns engine and loop; the peers are plain sockets.
@Timeout(120)
public abstract class DatagramsContract {
  private static final long TURN_NANOS = 2_000_000;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final ArrayDeque<Runnable> slow = new ArrayDeque<>();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private boolean refusing;
  private @Nullable Loop loop;
  private @Nullable Datagrams port;

  /// Opens the engine under test.
  protected abstract Engine open(EngineConfig config) throws IOException;

  @BeforeEach
  void openLoop() throws IOException {
    Engine engine = open(new EngineConfig(64, 64, 64));
    loop = new Loop("datagrams", engine, LeaseContractRig.PATIENT, System::nanoTime, this::later);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    loop().close();
  }

  private void later(Runnable task) {
    if (refusing) {
      throw new RejectedExecutionException("as the test wants");
    }
    slow.add(task);
  }

  /// Returns the loop under test.
  protected final Loop loop() {
    if (loop == null) {
      throw new AssertionError("no loop was opened");
    }
    return loop;
  }

  private Datagrams port() {
    if (port == null) {
      throw new AssertionError("the test has not called serve()");
    }
    return port;
  }

  /// Returns the factory that opens the port under test.
  protected DatagramPorts ports() {
    return DatagramPorts.KERNEL;
  }

  /// Returns a local address for the port by number: 1 is the usual one, 2 is another one of the
  /// same machine.
  protected String host(int number) {
    return "127.0.0." + number;
  }

  /// Returns the address of the peers.
  protected String peerHost() {
    return "127.0.0.1";
  }

  private void serve(String host, DatagramHandler handler) throws IOException {
    Datagrams made = ports().open(loop(), new InetSocketAddress(host, 0), handler);
    opened.add(made);
    port = made;
    loop().turn(0);
  }

  private void serve(DatagramHandler handler) throws IOException {
    serve(host(1), handler);
  }

  private void turnUntil(String what, BooleanSupplier done) {
    Await await = new Await();
    while (!done.getAsBoolean()) {
      await.check(what);
      loop().turn(TURN_NANOS);
    }
  }

  private void turnAWhile() {
    for (int i = 0; i < 10; i++) {
      loop().turn(TURN_NANOS);
    }
  }

  private static void echo(Datagrams port, View datagram, DatagramPeer from) {
    port.to(from).put(datagram, 0, datagram.length()).send();
  }

  /// A peer of the port under test.
  private final class Peer implements AutoCloseable {
    private final DatagramChannel channel;

    Peer(String host) throws IOException {
      channel = DatagramChannel.open().bind(new InetSocketAddress(host, 0));
      channel.configureBlocking(false);
    }

    void send(byte[] bytes) throws IOException {
      channel.send(ByteBuffer.wrap(bytes), port().address());
    }

    void send(String text) throws IOException {
      send(text.getBytes(ISO_8859_1));
    }

    byte @Nullable [] poll() {
      ByteBuffer room = ByteBuffer.allocate(1 << 16);
      try {
        if (channel.receive(room) == null) {
          return null;
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      return Arrays.copyOf(room.array(), room.position());
    }

    byte[] next() {
      List<byte[]> got = new ArrayList<>();
      turnUntil(
          "a datagram",
          () -> {
            byte[] bytes = poll();
            if (bytes != null) {
              got.add(bytes);
            }
            return bytes != null;
          });
      return got.getFirst();
    }

    String text() {
      return new String(next(), ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private Peer peer(String host) throws IOException {
    Peer made = new Peer(host);
    opened.add(made);
    return made;
  }

  private Peer peer() throws IOException {
    return peer(peerHost());
  }

  // ---- the port -----------------------------------------------------------------------------

  @Test
  void datagramsOfEachLengthComeAndGoWhole() throws IOException {
    serve(DatagramsContract::echo);
    Peer peer = peer();
    for (int length : new int[] {0, 1, 512, 1472, 9000, Datagrams.MOST_BYTES}) {
      byte[] bytes = new byte[length];
      new Random(length).nextBytes(bytes);
      peer.send(bytes);
      assertThat(peer.next()).isEqualTo(bytes);
    }
    assertThat(port().received()).isEqualTo(6);
    assertThat(port().sent()).isEqualTo(6);
    assertThat(port().dropped()).isZero();
  }

  @Test
  void moreThanOneSystemCallTakesAreAllAnswered() throws IOException {
    serve(DatagramsContract::echo);
    Peer peer = peer();
    for (int i = 0; i < 100; i++) {
      peer.send("datagram " + i);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(peer.text()).isEqualTo("datagram " + i);
    }
  }

  @Test
  void oneDatagramMayHaveManyReplies() throws IOException {
    serve((at, datagram, from) -> {
      for (int i = 0; i < 50; i++) {
        at.to(from).putInt(i).send();
      }
    });
    Peer peer = peer();
    peer.send("x");
    for (int i = 0; i < 50; i++) {
      assertThat(ByteBuffer.wrap(peer.next()).getInt()).isEqualTo(i);
    }
  }

  @Test
  void aReplyComesFromTheAddressThatWasAsked() throws IOException {
    serve("0.0.0.0", DatagramsContract::echo);
    Peer peer = peer();
    InetSocketAddress asked = new InetSocketAddress(host(2), port().address().getPort());
    peer.channel.connect(asked); // receives from this address only
    peer.channel.write(ByteBuffer.wrap(new byte[] {'a'}));
    assertThat(peer.text()).isEqualTo("a");
  }

  @Test
  protected void theInternetProtocolOfToday() throws IOException {
    serve("::1", DatagramsContract::echo);
    Peer peer = peer("::1");
    peer.send("six");
    assertThat(peer.text()).isEqualTo("six");
  }

  @Test
  void aPeerThatIsKeptIsAnsweredLater() throws IOException {
    List<DatagramPeer> kept = new ArrayList<>();
    serve((at, datagram, from) -> kept.add(from.keep()));
    Peer first = peer();
    Peer second = peer();
    first.send("1");
    turnUntil("the first", () -> kept.size() == 1);
    second.send("2");
    first.send("1");
    turnUntil("all", () -> kept.size() == 3);
    assertThat(kept.get(0).sameSender(kept.get(2))).isTrue();
    assertThat(kept.get(0).sameSender(kept.get(1))).isFalse();
    assertThat(kept.get(0).address()).isEqualTo(first.channel.getLocalAddress());
    port().to(kept.get(0)).put((byte) 'a').send();
    port().to(kept.get(1)).put((byte) 'b').send();
    assertThat(first.text()).isEqualTo("a");
    assertThat(second.text()).isEqualTo("b");
  }

  @Test
  void whatAHandlerThrowsEndsNothingElse() throws IOException {
    serve((at, datagram, from) -> {
      DatagramOutput reply = at.to(from).put((byte) 'p');
      if (datagram.get(0) == '!') {
        throw new IllegalStateException("as the test wants");
      }
      reply.send();
    });
    Peer peer = peer();
    peer.send("!");
    peer.send("?");
    assertThat(peer.text()).isEqualTo("p");
    assertThat(port().dropped()).isEqualTo(1);
  }

  @Test
  void whatIsBegunAndNotSentIsForgotten() throws IOException {
    serve((at, datagram, from) -> {
      DatagramOutput forgotten = at.to(from).put((byte) 'x');
      assertThat(forgotten.length()).isEqualTo(1);
      at.to(from).put((byte) 'y').send();
      assertThatThrownBy(() -> forgotten.put((byte) 'z')).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(forgotten::send).isInstanceOf(IllegalStateException.class);
      at.to(from).put(new byte[3000]);
    });
    Peer peer = peer();
    peer.send("a");
    assertThat(peer.text()).isEqualTo("y");
    turnAWhile();
    assertThat(peer.poll()).isNull();
    assertThat(port().dropped()).isZero();
  }

  @Test
  void aReplyThatIsTooLongIsRefusedWhereItGrows() throws IOException {
    serve((at, datagram, from) -> {
      DatagramOutput reply = at.to(from).put(new byte[Datagrams.MOST_BYTES - 2]);
      assertThatThrownBy(() -> reply.putInt(1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> reply.put(datagram, 0, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
      reply.put((byte) 1).put((byte) 2).send();
    });
    Peer peer = peer();
    peer.send("a");
    assertThat(peer.next()).hasSize(Datagrams.MOST_BYTES);
    assertThat(port().dropped()).isZero();
  }

  @Test
  void aDatagramEndsWithItsHandler() throws IOException {
    List<View> kept = new ArrayList<>();
    serve((at, datagram, from) -> kept.add(datagram));
    peer().send("a");
    turnUntil("the datagram", () -> !kept.isEmpty());
    assertThat(kept.getFirst().length()).isZero();
    assertThatThrownBy(() -> kept.getFirst().get(0)).isInstanceOf(RuntimeException.class);
  }

  @Test
  void aPeerThatHasGoneDisturbsNoOther() throws IOException {
    serve(DatagramsContract::echo);
    Peer other = peer();
    for (int i = 0; i < 30; i++) {
      Peer gone = new Peer(peerHost());
      gone.send("gone");
      gone.close(); // the reply comes back as an error on the port
      other.send("here " + i);
      assertThat(other.text()).isEqualTo("here " + i);
    }
  }

  @Test
  void aClosedPortAnswersNothing() throws IOException {
    List<DatagramPeer> kept = new ArrayList<>();
    serve((at, datagram, from) -> {
      kept.add(from.keep());
      at.close();
    });
    Peer peer = peer();
    peer.send("a");
    peer.send("b");
    turnUntil("the datagram", () -> !kept.isEmpty());
    turnAWhile();
    assertThat(kept).hasSize(1);
    assertThat(port().isOpen()).isFalse();
    assertThatThrownBy(() -> port().to(kept.getFirst())).isInstanceOf(IllegalStateException.class);
    port().flush();
    port().close();
  }

  // ---- interruptlets ------------------------------------------------------------------------

  /// Answers datagrams that begin with `f`. Writes to the reply before it passes the others.
  private static boolean fast(char mark, View datagram, DatagramOutput reply) {
    reply.put((byte) mark);
    if (datagram.get(0) == '-') {
      reply.discard();
      return Interruptlet.DONE;
    }
    if (datagram.get(0) != 'f') {
      return Interruptlet.PASS;
    }
    reply.put(datagram, 0, datagram.length());
    return Interruptlet.DONE;
  }

  private static byte[] slowly(byte[] datagram, InetSocketAddress from) {
    return switch (datagram[0]) {
      case '!' -> throw new IllegalStateException("as the test wants");
      case '0' -> new byte[0];
      case '9' -> new byte[Datagrams.MOST_BYTES + 1];
      default -> ("S" + new String(datagram, ISO_8859_1)).getBytes(ISO_8859_1);
    };
  }

  private DatagramInterruptlets interruptlets(long copiedBytes) throws IOException {
    DatagramInterruptlets made =
        new DatagramInterruptlets(loop(), DatagramsContract::slowly, copiedBytes);
    serve(made);
    return made;
  }

  private void runSlowly() {
    while (!slow.isEmpty()) {
      slow.remove().run();
    }
  }

  private String exchange(Peer peer, String text) throws IOException {
    peer.send(text);
    List<String> got = new ArrayList<>();
    turnUntil(
        "the reply to " + text,
        () -> {
          runSlowly();
          byte[] bytes = peer.poll();
          if (bytes != null) {
            got.add(new String(bytes, ISO_8859_1));
          }
          return bytes != null;
        });
    return got.getFirst();
  }

  @Test
  void interruptletsComeAndGoWhileDatagramsCome() throws IOException {
    DatagramInterruptlets served = interruptlets(1000);
    Peer peer = peer();
    assertThat(exchange(peer, "f1")).isEqualTo("Sf1");
    HandlerGuard _ = served.admit("A", () -> (in, out) -> fast('A', in, out), LIMIT);
    assertThat(exchange(peer, "f2")).isEqualTo("Af2");
    assertThat(exchange(peer, "s3")).isEqualTo("Ss3");
    HandlerGuard _ = served.admit("B", () -> (in, out) -> fast('B', in, out), LIMIT);
    assertThat(exchange(peer, "f4")).isEqualTo("Bf4");
    served.evict();
    assertThat(exchange(peer, "f5")).isEqualTo("Sf5");
    assertThat(served.answered()).isEqualTo(2);
    assertThat(served.passed()).isEqualTo(3);
    assertThat(served.receivedBytes()).isEqualTo(10);
    assertThat(served.sentBytes()).isEqualTo(15);
    assertThat(served.dropped()).isZero();
  }

  @Test
  void anInterruptletMayLeaveADatagramUnanswered() throws IOException {
    DatagramInterruptlets served = interruptlets(1000);
    HandlerGuard _ = served.admit("A", () -> (in, out) -> fast('A', in, out), LIMIT);
    Peer peer = peer();
    peer.send("-");
    assertThat(exchange(peer, "f")).isEqualTo("Af");
    assertThat(served.answered()).isEqualTo(2);
  }

  @Test
  void anInterruptletThatOverranIsNotAskedAgain() throws IOException {
    DatagramInterruptlets served = interruptlets(1000);
    HandlerGuard guard = served.admit("A", () -> (in, out) -> fast('A', in, out), LIMIT);
    Peer peer = peer();
    guard.overran(); // as the watchdog does while it runs
    assertThat(exchange(peer, "f1")).isEqualTo("Af1");
    assertThat(guard.disabled()).isTrue();
    assertThat(exchange(peer, "f2")).isEqualTo("Sf2");
    guard.enable();
    assertThat(exchange(peer, "f3")).isEqualTo("Af3");
  }

  @Test
  void whatIsPassedIsBounded() throws IOException {
    DatagramInterruptlets served = interruptlets(10);
    Peer peer = peer();
    peer.send("s2345");
    peer.send("s2345");
    peer.send("s2345");
    turnUntil("the third", () -> served.dropped() == 1);
    assertThat(slow).hasSize(2);
    assertThat(exchange(peer, "")).as("an empty one costs too").isEqualTo("Ss2345");
  }

  @Test
  void aSlowHandlerThatFailsDropsItsDatagramOnly() throws IOException {
    DatagramInterruptlets served = interruptlets(100_000);
    Peer peer = peer();
    peer.send("!");
    peer.send("9");
    peer.send("0");
    assertThat(exchange(peer, "s")).isEqualTo("Ss");
    assertThat(served.dropped()).isEqualTo(2);
    refusing = true;
    peer.send("s");
    turnUntil("the refused one", () -> served.dropped() == 3);
    refusing = false;
    assertThat(exchange(peer, "s")).isEqualTo("Ss");
  }

  @Test
  void aSlowAnswerForAPortThatWasClosedIsDropped() throws IOException {
    DatagramInterruptlets served = interruptlets(1000);
    peer().send("s");
    turnUntil("the datagram", () -> !slow.isEmpty());
    port().close();
    runSlowly();
    turnUntil("the answer", () -> served.dropped() == 1);
  }
}

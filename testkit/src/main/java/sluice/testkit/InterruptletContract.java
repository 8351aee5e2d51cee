package sluice.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.Connection;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.Interruptlets;
import sluice.loop.Output;
import sluice.loop.Protocol;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.LeaseLimits;
import sluice.memory.View;
import sluice.testkit.EngineContractPeers.Peer;

/// Fast and slow answers on one connection, for every engine: replies are in order and complete,
/// and come from the right handler, while interruptlets are replaced. The test's thread owns engine
/// and loop.
@Timeout(120)
public abstract class InterruptletContract {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private LeaseContractRig rig = new LeaseContractRig(this::open, new EngineContractSockets());

  /// Opens the engine under test.
  protected abstract Engine open(EngineConfig config) throws IOException;

  /// Returns the peers; plain sockets unless overridden.
  protected EngineContractPeers peers() {
    return new EngineContractSockets();
  }

  @BeforeEach
  void openRig() {
    rig = new LeaseContractRig(this::open, peers());
  }

  @AfterEach
  void closeRig() throws Exception {
    rig.close();
  }

  /// Answers lines that begin with `f` by its mark and the line. Writes garbage to the reply before
  /// it passes a line.
  private static final class Fast implements Interruptlet {
    private final char mark;
    private long calls;

    Fast(char mark) {
      this.mark = mark;
    }

    @Override
    public boolean handle(View message, Output reply) {
      calls++;
      reply.put((byte) mark);
      if (message.get(0) != 'f') {
        reply.put(new byte[100]);
        reply.append(message, 0, message.length());
        return PASS;
      }
      if (message.get(1) == '!') {
        throw new IllegalStateException("as the test wants, at call " + calls);
      }
      reply.append(message, 0, message.length());
      return DONE;
    }
  }

  private static void slow(byte[] message, OutputStream reply) throws IOException {
    if (message[1] == '!') {
      throw new IllegalStateException("as the test wants");
    }
    reply.write('S');
    if (message[1] == '2') {
      reply.flush();
    }
    reply.write(message);
  }

  private static Interruptlets lines() {
    return new Interruptlets(Framing.LINES, InterruptletContract::slow);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(ISO_8859_1);
  }

  private void serve(Interruptlets socket) throws IOException {
    rig.serve((connection, input) -> 0); // opens the loop
    rig.serveAlso(socket.protocol(rig.loop()));
  }

  private void exchange(Peer peer, String request, String reply) throws IOException {
    rig.during(
        request.strip(),
        () -> {
          peer.write(ascii(request));
          assertThat(new String(peer.read(reply.length()), ISO_8859_1)).isEqualTo(reply);
        });
  }

  /// Checks that replies come in the order of their requests, however the bytes are split, and
  /// whichever handler answers.
  @Test
  void repliesKeepTheOrderOfRequests() throws IOException {
    Interruptlets socket = lines();
    socket.admit("fast", () -> new Fast('F'), LIMIT);
    serve(socket);
    Random random = new Random(7);
    StringBuilder requests = new StringBuilder();
    StringBuilder replies = new StringBuilder();
    int slow = 0;
    for (int i = 0; i < 600; i++) {
      boolean passed = random.nextInt(4) == 0;
      slow += passed ? 1 : 0;
      String line =
          (passed ? random.nextBoolean() ? "s1" : "s2" : "f")
              + i
              + "x".repeat(random.nextInt(random.nextInt(10) == 0 ? 3000 : 30))
              + "\n";
      requests.append(line);
      replies.append(passed ? 'S' : 'F').append(line);
    }
    Peer peer = rig.connect();
    byte[] bytes = ascii(requests.toString());
    rig.during(
        "writing in pieces",
        List.of(
            () -> {
              for (int at = 0; at < bytes.length; ) {
                int n = Math.min(bytes.length - at, 1 + random.nextInt(5000));
                peer.write(Arrays.copyOfRange(bytes, at, at + n));
                at += n;
              }
            },
            () ->
                assertThat(new String(peer.read(replies.length()), ISO_8859_1))
                    .isEqualTo(replies.toString())));
    assertThat(socket.answered()).isEqualTo(600 - slow);
    assertThat(socket.passed()).isEqualTo(slow);
    assertThat(socket.receivedBytes()).isEqualTo(requests.length());
    assertThat(socket.sentBytes()).isEqualTo(replies.length());
    assertThat(rig.loop().heldBytes()).isZero();
    assertThat(rig.loop().retainedBytes()).isZero();
  }

  @Test
  void interruptletsComeAndGoWhileConnectionsAreServed() throws IOException {
    Interruptlets socket = lines();
    serve(socket);
    Peer peer = rig.connect();
    exchange(peer, "f1\n", "Sf1\n");
    rig.elsewhere(() -> socket.admit("first", () -> new Fast('A'), LIMIT));
    exchange(peer, "f2\ns3\n", "Af2\nSs3\n");
    rig.elsewhere(() -> socket.admit("second", () -> new Fast('B'), LIMIT));
    exchange(peer, "f4\ns5\n", "Bf4\nSs5\n");
    rig.elsewhere(socket::evict);
    exchange(peer, "f6\n", "Sf6\n");
    assertThat(socket.answered()).isEqualTo(2);
  }

  /// Answers `K` if the kept views of all earlier messages throw, and keeps its own.
  private static final class Keeper implements Interruptlet {
    private final List<View> kept = new ArrayList<>();

    private static boolean isDead(View view) {
      try {
        view.get(0);
        return false;
      } catch (IndexOutOfBoundsException e) {
        return true;
      }
    }

    @Override
    public boolean handle(View message, Output reply) {
      boolean allThrow = kept.stream().allMatch(Keeper::isDead);
      kept.add(message);
      reply.put((byte) (allThrow ? 'K' : 'x'));
      reply.append(message, 0, message.length());
      return DONE;
    }
  }

  /// Checks views within one delivery and across deliveries.
  @Test
  void aViewThatIsKeptThrowsWhenOtherMessagesAreShown() throws IOException {
    Interruptlets socket = lines();
    serve(socket);
    socket.admit("keeper", Keeper::new, LIMIT);
    Peer peer = rig.connect();
    exchange(peer, "f1\nf2\nf3\n", "Kf1\nKf2\nKf3\n");
    for (int i = 0; i < 20; i++) {
      exchange(peer, "f4\n", "Kf4\n");
    }
  }

  /// Checks that during a replacement either interruptlet answers, but the old one never after the
  /// new one.
  @Test
  void replacementNeverFallsBack() throws IOException {
    Interruptlets socket = lines();
    socket.admit("a", () -> new Fast('a'), LIMIT);
    serve(socket);
    Peer peer = rig.connect();
    AtomicInteger rounds = new AtomicInteger();
    rig.during(
        "replacing",
        List.of(() -> {
          char last = 'a';
          for (int i = 0; i < 400; i++) {
            boolean changes = i % 16 == 0;
            char next = changes ? (char) (last + 1) : last;
            peer.write(ascii("f\n"));
            if (changes) {
              socket.admit("next", () -> new Fast(next), LIMIT);
            }
            assertThat((char) peer.read(3)[0]).isBetween(last, next);
            last = next;
            rounds.incrementAndGet();
          }
        }));
    assertThat(socket.answered()).isEqualTo(rounds.get());
  }

  @Test
  void aHandlerThatFailsLosesItsConnectionAlone() throws IOException {
    Interruptlets socket = lines();
    HandlerGuard guard = socket.admit("fast", () -> new Fast('F'), LIMIT);
    serve(socket);
    Peer other = rig.connect();
    for (String bad : new String[] {"f!\n", "s!\n"}) {
      Peer peer = rig.connect();
      exchange(peer, "f1\n", "Ff1\n");
      long closed = rig.loop().counters().closed();
      peer.write(ascii(bad));
      rig.turnUntil("the end of it", () -> rig.loop().counters().closed() > closed);
      exchange(other, "f2\ns3\n", "Ff2\nSs3\n");
    }
    assertThat(guard.disabled()).isFalse();
    assertThat(rig.loop().counters().handlerFailures()).isEqualTo(1);
    assertThat(rig.loop().retainedBytes()).isZero();
  }

  /// Takes bytes in groups and answers each group in reverse order from another thread.
  private static final class Backwards implements Protocol {
    private static final int GROUP = 1_000;

    private final byte[] group = new byte[GROUP];
    private int taken;
    private boolean ended;

    @Override
    public int received(Connection connection, View input) {
      assertThat(connection.inputHeld()).isFalse();
      int used = Math.min(GROUP - taken, input.length());
      input.copyTo(0, group, taken, used);
      taken += used;
      if (taken == GROUP) {
        connection.holdInput();
        Executor loop = connection.executor();
        connection.slowPath().execute(() -> loop.execute(() -> answer(connection)));
      }
      return used;
    }

    private void answer(Connection connection) {
      assertThat(ended).isFalse();
      while (taken > 0) {
        taken--;
        connection.output().put(group[taken]);
      }
      connection.resumeInput();
    }

    @Override
    public void ended(Connection connection, int leftover) {
      ended = true;
      connection.close();
    }
  }

  /// Checks that held input waits, that receiving stops when much input is held, and that nothing
  /// is lost, including the end of the stream.
  @Test
  void heldInputIsShownWhenItIsResumed() throws IOException {
    rig.configure(
        new EngineConfig(64, 1024, 1024),
        LeaseContractRig.PATIENT.withPartialBytes(4_096, 8 << 20));
    rig.serve(new Backwards());
    Peer peer = rig.connect();
    byte[] sent = new byte[60 * Backwards.GROUP];
    new Random(5).nextBytes(sent);
    byte[] expected = sent.clone();
    for (int i = 0; i < sent.length; i++) {
      int start = i / Backwards.GROUP * Backwards.GROUP;
      expected[i] = sent[2 * start + Backwards.GROUP - 1 - i];
    }
    rig.during(
        "groups",
        List.of(
            () -> {
              peer.write(sent);
              peer.shutdownOutput();
            },
            () -> {
              assertThat(peer.read(sent.length)).isEqualTo(expected);
              assertThat(peer.readsEnd()).isTrue();
            }));
  }

  /// Checks that a half-closed peer still gets the replies to its requests.
  @Test
  void slowReplyComesAfterThePeersFin() throws IOException {
    Interruptlets socket = lines();
    socket.admit("fast", () -> new Fast('F'), LIMIT);
    serve(socket);
    Peer peer = rig.connect();
    rig.during(
        "half-close",
        () -> {
          peer.write(ascii("s1\nf2\ns3\nunfinished"));
          peer.shutdownOutput();
          assertThat(peer.read(12)).isEqualTo(ascii("Ss1\nFf2\nSs3\n"));
          assertThat(peer.readsEnd()).isTrue();
        });
  }

  @Test
  void drainingWaitsForTheSlowReply() throws IOException {
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger mayEnd = new AtomicInteger();
    Interruptlets socket =
        new Interruptlets(
            Framing.NONE,
            (message, reply) -> {
              begun.incrementAndGet();
              assertThat(mayEnd.get()).isEqualTo(1);
              reply.write(message);
            });
    serve(socket);
    Peer peer = rig.connect();
    Peer idle = rig.connect();
    rig.holdSlowPath();
    peer.write(ascii("late"));
    rig.turnUntil(
        "the message and both peers",
        () -> socket.passed() == 1 && rig.loop().connectionCount() == 2);
    rig.loop().drain(60 * EngineContractRig.SECONDS);
    mayEnd.set(1);
    rig.releaseSlowPath();
    rig.during(
        "the reply",
        () -> {
          assertThat(peer.read(4)).isEqualTo(ascii("late"));
          assertThat(peer.readsEnd()).isTrue();
          assertThat(idle.readsEnd()).isTrue();
          peer.close();
          idle.close();
        });
    rig.turnUntil("the end", () -> rig.loop().stopping());
    assertThat(begun).hasValue(1);
  }

  /// Checks that the messages waiting for the slow path are bounded: a client beyond the limit
  /// loses its connection.
  @Test
  void messagesOnTheSlowPathAreBounded() throws IOException {
    rig.configure(
        new EngineConfig(64, 1024, 1024),
        LeaseContractRig.PATIENT.withLeases(new LeaseLimits(4, 8192, 1000)));
    Interruptlets socket = new Interruptlets(Framing.fixed(400), (m, reply) -> reply.write(m));
    serve(socket);
    rig.holdSlowPath();
    Peer first = rig.connect();
    Peer second = rig.connect();
    Peer third = rig.connect();
    first.write(new byte[400]);
    second.write(new byte[400]);
    rig.turnUntil("both", () -> socket.passed() == 2);
    third.write(new byte[400]);
    rig.turnUntil("one too many", () -> rig.loop().counters().overBudgetConnections() == 1);
    rig.releaseSlowPath();
    rig.during(
        "replies",
        () -> {
          assertThat(first.read(400)).hasSize(400);
          assertThat(second.read(400)).hasSize(400);
        });
    assertThat(rig.loop().retainedBytes()).isZero();
  }
}

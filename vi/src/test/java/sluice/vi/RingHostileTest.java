package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// What comes over TCP is not what a peer of ours would send.
@Timeout(240)
final class RingHostileTest {
  private static final int LONG = VisUnderTest.LONG_MICROS;
  private static final int MAGIC = 0x536c_5672;
  private static final int MESSAGE = 1;
  private static final int TAKEN = 2;
  private static final int CLOSED = 3;

  private static Socket socket(ViAddress place) throws IOException {
    String[] parts = place.place().split(":", -1);
    Socket socket = new Socket(InetAddress.getByName(parts[0]), Integer.parseInt(parts[1]));
    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(Await.SECONDS));
    return socket;
  }

  private static void ints(Socket socket, int... numbers) throws IOException {
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    for (int number : numbers) {
      out.writeInt(number);
    }
    out.flush();
  }

  private interface Attack {
    void by(Socket peer, Vi victim, ViBufferTicket in) throws Exception;
  }

  /// A peer that has been accepted does something; another VI of the device works before and after.
  private static void attack(Attack attack) throws Exception {
    try (Nic nic = Nic.open("ring");
        VisUnderTest bystanders = VisUnderTest.connect(Nic.open("ring"), ViAttributes.DEFAULT)) {
      ViAddress place = VisUnderTest.place(nic);
      try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor();
          ViServer server = new ViServer(place, 1);
          Socket peer = socket(place)) {
        Future<Vi> accepted = thread.submit(() -> server.accept(ViAttributes.DEFAULT, LONG));
        ints(peer, MAGIC, 1, 0, 65_536);
        Vi victim = accepted.get(Await.SECONDS, TimeUnit.SECONDS);
        try {
          byte[] answer = peer.getInputStream().readNBytes(12);
          assertThat(answer).startsWith(0x53, 0x6c, 0x56, 0x72).endsWith(0, 1, 0, 0);
          ViBufferTicket in = new ViBuffer(100).register(victim, ViBufferAttributes.READ_WRITE);
          attack.by(peer, victim, in);
          victim.close();
          in.buffer().close();
        } finally {
          victim.close();
        }
        // The same device still connects.
        Future<Vi> next = thread.submit(() -> server.accept(ViAttributes.DEFAULT, LONG));
        try (Vi client = new Vi(place, ViAttributes.DEFAULT, null, null, 1);
            Vi other = next.get(Await.SECONDS, TimeUnit.SECONDS)) {
          client.send(new byte[] {7}, 0, 1);
          assertThat(other.recv(LONG)).containsExactly(7);
        }
      }
      bystanders.client.send(new byte[] {8}, 0, 1);
      assertThat(bystanders.server.recv(LONG)).containsExactly(8);
    }
  }

  private static void fails(Vi victim, ViBufferTicket in, String why) throws Exception {
    victim.recvBufPost(in, 0);
    assertThatThrownBy(() -> victim.recvBufWait(LONG))
        .isInstanceOf(ViException.class)
        .hasMessageContaining(why);
    assertThat(in.isPosted()).isFalse();
    assertThat(victim.failure()).contains(why);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65_537, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void lengthsOutOfBoundsFailTheVi(int length) throws Exception {
    attack((peer, victim, in) -> {
      ints(peer, MESSAGE, length);
      Await.until("the failure", () -> victim.failure() != null);
      assertThat(victim.failure()).contains("protocol");
      assertThatThrownBy(() -> victim.recvBufPost(in, 0)).isInstanceOf(ViException.class);
    });
  }

  @Test
  void unknownKindsAndAnswersWithoutAQuestionFailTheVi() throws Exception {
    for (int[] frame : new int[][] {{0, 0}, {99, 1}, {TAKEN, 1}, {TAKEN, -1}, {CLOSED, 5}}) {
      attack((peer, victim, in) -> {
        ints(peer, frame);
        Await.until("the failure", () -> victim.failure() != null);
        assertThat(victim.failure()).contains("protocol");
      });
    }
  }

  @Test
  void aMessageBehindTheEndFailsTheVi() throws Exception {
    attack((peer, victim, in) -> {
      ints(peer, CLOSED, 0, MESSAGE, 0);
      fails(victim, in, "after its end");
    });
  }

  @Test
  void anEndInTheMiddleOfAMessageFailsTheVi() throws Exception {
    attack((peer, victim, in) -> {
      ints(peer, MESSAGE, 50, 1, 2, 3);
      peer.close();
      fails(victim, in, "ended");
    });
  }

  @Test
  void messagesThatComeByteByByteAreWhole() throws Exception {
    attack((peer, victim, in) -> {
      peer.setTcpNoDelay(true);
      victim.recvBufPost(in, 0);
      byte[] bytes = {0, 0, 0, MESSAGE, 0, 0, 0, 3, 5, 6, 7};
      for (byte each : bytes) {
        peer.getOutputStream().write(each);
        peer.getOutputStream().flush();
      }
      assertThat(victim.recvBufWait(LONG).length()).isEqualTo(3);
      assertThat(VisUnderTest.content(in, 3)).containsExactly(5, 6, 7);
    });
  }

  @Test
  void anEmptyMessageWaitsForItsReceive() throws Exception {
    attack((peer, victim, in) -> {
      ints(peer, MESSAGE, 0);
      victim.send(new byte[] {1}, 0, 1);
      assertThat(peer.getInputStream().readNBytes(9)).endsWith(1);
      victim.recvBufPost(in, 0);
      assertThat(victim.recvBufWait(LONG).length()).isZero();
    });
  }

  /// A peer that does not read holds this side back; closing does not wait for it for long.
  @Test
  void aPeerThatDoesNotReadHoldsItsOwnViOnly() throws Exception {
    attack((peer, victim, in) -> {
      byte[] message = new byte[60_000];
      assertThatThrownBy(
              () -> {
                while (true) {
                  victim.send(message, 0, message.length, 200_000);
                }
              })
          .isInstanceOf(ViTimeout.class);
    });
  }

  /// A peer that sends without end meets the window of TCP, not the memory of this side.
  @Test
  void aFloodWithoutReceivesIsHeldBack() throws Exception {
    attack((peer, victim, in) -> {
      byte[] message = new byte[8 + 50];
      message[3] = MESSAGE;
      message[7] = 50;
      byte[] many = new byte[message.length * 1000];
      for (int i = 0; i < 1000; i++) {
        System.arraycopy(message, 0, many, i * message.length, message.length);
      }
      Thread flood =
          Thread.startVirtualThread(() -> {
            try {
              while (true) {
                peer.getOutputStream().write(many);
              }
            } catch (IOException e) {
              // the victim has closed its end
            }
          });
      for (int i = 0; i < 10_000; i++) {
        victim.recvBufPost(in, 0);
        assertThat(victim.recvBufWait(LONG).length()).isEqualTo(50);
      }
      victim.close();
      Await.end(flood);
    });
  }

  @Test
  void wrongGreetingsAreClosed() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    try (Nic nic = Nic.open("ring")) {
      ViAddress place = VisUnderTest.place(nic);
      try (ViServer other = new ViServer(place, 1)) {
        for (int i = 0; i < 50; i++) {
          try (Socket peer = socket(place)) {
            byte[] noise = new byte[16 + random.nextInt(100)];
            random.nextBytes(noise);
            noise[0] = 0;
            peer.getOutputStream().write(noise);
            assertThat(ended(peer)).isTrue();
          }
        }
        try (Socket peer = socket(place)) {
          ints(peer, MAGIC, 2, 0, 100); // no listener has this tag
          assertThat(peer.getInputStream().readAllBytes())
              .isEqualTo(new byte[] {0x53, 0x6c, 0x56, 0x72, 0, 0, 0, 3, 0, 0, 0, 0});
        }
        assertThatThrownBy(() -> other.accept(ViAttributes.DEFAULT, 1000))
            .isInstanceOf(ViTimeout.class);
      }
    }
  }

  private static boolean ended(Socket peer) {
    try {
      return peer.getInputStream().read() < 0;
    } catch (IOException e) {
      return true; // reset
    }
  }
}

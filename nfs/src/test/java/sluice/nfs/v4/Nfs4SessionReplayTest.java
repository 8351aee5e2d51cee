package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.getAttr;
import static sluice.nfs.v4.Nfs4TestClient.plain;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Reply;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Tests repeated and refused sessions: the slot of CREATE_SESSION (RFC 8881, section 18.36.4),
/// with the cases CSESS25 to CSESS29 of pynfs.
@Timeout(120)
final class Nfs4SessionReplayTest {
  private static final int[] GOOD = {0, 8192, 8192, 8192, 128, 8};

  private Nfs4Rig rig;
  private Nfs4TestClient client;

  @BeforeEach
  void start() throws IOException {
    rig = new Nfs4Rig();
    client = new Nfs4TestClient(rig.calls(), "new");
    XdrReader in = client.bare(client.exchangeId(0)).ok(Nfs4Op.EXCHANGE_ID);
    client.id = in.int64();
    client.nextSession = in.int32();
  }

  @AfterEach
  void end() throws IOException {
    rig.close();
  }

  private Reply create(int sequence, int[] fore, int[] back) {
    return client.bare(to -> {
      to.int32(Nfs4Op.CREATE_SESSION).int64(client.id).int32(sequence).int32(0);
      for (int[] channel : new int[][] {fore, back}) {
        for (int value : channel) {
          to.int32(value);
        }
        to.int32(0);
      }
      to.int32(123).int32(0);
    });
  }

  private static byte[] results(Reply reply) {
    return Arrays.copyOfRange(reply.bytes, 4, reply.bytes.length); // behind the xid
  }

  /// CSESS29: a refusal is not cached, and a valid request with the same sequence number is not a
  /// retry.
  @Test
  void aRefusalIsFollowedByABetterRequest() {
    int sequence = client.nextSession;
    int[] tooSmall = {0, 10, 8192, 8192, 128, 1};
    for (int i = 0; i < 10_000; i++) {
      assertThat(create(sequence, GOOD, tooSmall).status).isEqualTo(NfsStatus.TOOSMALL);
    }
    Reply made = create(sequence, GOOD, GOOD);
    assertThat(made.status).isZero();
    assertThat(results(create(sequence, GOOD, GOOD))).isEqualTo(results(made));
    assertThat(create(sequence + 1, GOOD, GOOD).status).isZero();
  }

  /// A refusal uses up its sequence number: the client continues with the next one.
  @Test
  void aRefusalIsRepeatedAndTakesUpASequence() {
    int sequence = client.nextSession;
    int[] none = {0, 8192, 0, 8192, 128, 8}; // CSESS25
    int[] short20 = {0, 20, 8192, 8192, 128, 8}; // CSESS28
    assertThat(create(sequence, none, GOOD).status).isEqualTo(NfsStatus.TOOSMALL);
    assertThat(create(sequence, none, GOOD).status).isEqualTo(NfsStatus.TOOSMALL);
    assertThat(create(sequence + 1, short20, GOOD).status).isEqualTo(NfsStatus.TOOSMALL);
    assertThat(create(sequence, GOOD, GOOD).status).isEqualTo(Nfs4Status.SEQ_MISORDERED);
    assertThat(create(sequence + 3, GOOD, GOOD).status).isEqualTo(Nfs4Status.SEQ_MISORDERED);
    Reply made = create(sequence + 2, GOOD, GOOD);
    assertThat(made.status).isZero();
    int[] other = {0, 4096, 4096, 4096, 64, 4};
    assertThat(results(create(sequence + 2, other, GOOD)))
        .as("a success is repeated whatever is asked for")
        .isEqualTo(results(made));
    assertThat(create(sequence + 1, GOOD, GOOD).status).isEqualTo(Nfs4Status.SEQ_MISORDERED);
  }

  /// CSESS26: a session with short replies is created, and a longer reply is refused.
  @Test
  void aReplyLongerThanTheSessionTakesIsRefused() {
    int[] short400 = {0, 400, 400, 400, 128, 8};
    XdrReader made = create(client.nextSession, short400, short400).ok(Nfs4Op.CREATE_SESSION);
    client.sessionId = made.int64();
    client.sessionPlace = made.int64();
    client.slots = 8;
    client.cache = false;
    Op complete = to -> to.int32(Nfs4Op.RECLAIM_COMPLETE).bool(false);
    assertThat(client.tryOn(0, complete).status).isZero();
    int[] mandatory = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19};
    Op look = getAttr(mandatory);
    Op root = plain(Nfs4Op.PUTROOTFH);
    assertThat(client.tryOn(0, root, look).status).isZero();
    Reply reply = client.tryOn(0, root, look, look, look, look);
    assertThat(reply.status).isEqualTo(Nfs4Status.REP_TOO_BIG);
    assertThat(reply.bytes.length).isLessThanOrEqualTo(400);
  }

  /// A reply that is too long to send is not reported as too long to cache, because the client
  /// would send the request again.
  @ParameterizedTest
  @ValueSource(ints = {400, 4096})
  void aReplyThatIsToBeKeptIsRefusedByTheLimitItBreaks(int most) {
    int[] channel = {0, 4096, most, 400, 128, 8};
    XdrReader made = create(client.nextSession, channel, channel).ok(Nfs4Op.CREATE_SESSION);
    client.sessionId = made.int64();
    client.sessionPlace = made.int64();
    client.slots = 8;
    client.cache = true;
    Op complete = to -> to.int32(Nfs4Op.RECLAIM_COMPLETE).bool(false);
    assertThat(client.tryOn(0, complete).status).isZero();
    Op look = getAttr(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19);
    Reply reply = client.tryOn(0, plain(Nfs4Op.PUTROOTFH), look, look, look, look);
    int expected = most == 400 ? Nfs4Status.REP_TOO_BIG : Nfs4Status.REP_TOO_BIG_TO_CACHE;
    assertThat(reply.status).isEqualTo(expected);
  }

  /// The sequence numbers of a slot start again after 2^32 requests.
  @Test
  void aSlotGoesOnBehindItsHighestNumber() {
    Nfs4Slot slot = new Nfs4Slot();
    assertThat(slot.isRetry(0)).isFalse();
    assertThat(slot.take()).isTrue();
    slot.done(-1);
    assertThat(slot.isNext(0)).isTrue();
    assertThat(slot.take()).isTrue();
    slot.done(0);
    assertThat(slot.isRetry(0)).isTrue();
    assertThat(slot.isNext(1)).isTrue();
  }
}

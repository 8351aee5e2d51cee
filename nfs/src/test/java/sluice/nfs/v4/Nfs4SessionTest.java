package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.getAttr;
import static sluice.nfs.v4.Nfs4TestClient.lookup;
import static sluice.nfs.v4.Nfs4TestClient.mkdir;
import static sluice.nfs.v4.Nfs4TestClient.named;
import static sluice.nfs.v4.Nfs4TestClient.plain;
import static sluice.nfs.v4.Nfs4TestClient.putFh;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.rpc.XdrReader;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Reply;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Tests clients, sessions and slots: exactly-once execution and refusals.
@Timeout(120)
final class Nfs4SessionTest {
  private static final Op ROOT = plain(Nfs4Op.PUTROOTFH);

  private Nfs4Rig rig;
  private Nfs4TestClient client;

  @BeforeEach
  void start() throws IOException {
    rig = new Nfs4Rig();
    client = rig.client("one");
  }

  @AfterEach
  void end() throws IOException {
    rig.close();
  }

  @Test
  void otherMinorVersionsAreRefused() {
    for (int minor : new int[] {0, 2, 7}) {
      Reply reply = client.compound(minor, 1, ROOT);
      assertThat(reply.status).isEqualTo(Nfs4Status.MINOR_VERS_MISMATCH);
      assertThat(reply.count).isZero();
    }
    assertThat(client.compound(1, 0).status).isZero();
  }

  @Test
  void whatNeedsASessionIsRefusedWithoutOne() {
    assertThat(client.bare(ROOT).status).isEqualTo(Nfs4Status.OP_NOT_IN_SESSION);
    assertThat(client.bare(client.exchangeId(0), ROOT).status).isEqualTo(Nfs4Status.NOT_ONLY_OP);
    assertThat(client.bare(plain(2)).status).isEqualTo(Nfs4Status.OP_ILLEGAL);
    assertThat(client.bare(plain(999)).next(Nfs4Op.ILLEGAL)).isEqualTo(Nfs4Status.OP_ILLEGAL);
    assertThat(client.status(ROOT, client.sequence(1, 1))).isEqualTo(Nfs4Status.SEQUENCE_POS);
    assertThat(client.status(plain(Nfs4Op.GETFH))).isEqualTo(Nfs4Status.NOFILEHANDLE);
    assertThat(client.status(plain(30))).isEqualTo(NfsStatus.NOTSUPP);
  }

  @Test
  void aRepeatedRequestGetsItsFirstAnswer() {
    Op[] make = {ROOT, lookup("srv"), lookup("data"), mkdir("new", 0755)};
    Reply first = client.tryOn(3, make);
    assertThat(first.status).isZero();
    Reply again = client.repeat(3, make);
    assertThat(again.status).isZero();
    byte[] one = first.bytes;
    byte[] other = again.bytes;
    assertThat(java.util.Arrays.copyOfRange(other, 4, other.length))
        .isEqualTo(java.util.Arrays.copyOfRange(one, 4, one.length));
    Op[] different = {ROOT, lookup("srv"), lookup("data"), mkdir("other", 0755)};
    assertThat(client.repeat(3, different).status).isEqualTo(Nfs4Status.SEQ_FALSE_RETRY);
    assertThat(client.tryOn(3, make).status).isEqualTo(NfsStatus.EXIST);
  }

  @Test
  void whatWasNotToBeKeptIsNotRepeated() {
    client.cache = false;
    Op[] look = {ROOT, getAttr(Nfs4Attribute.TYPE)};
    assertThat(client.tryOn(2, look).status).isZero();
    Reply again = client.repeat(2, look);
    assertThat(again.status).isEqualTo(Nfs4Status.RETRY_UNCACHED_REP);
    assertThat(again.count).isEqualTo(2);
    assertThat(client.tryOn(2).status).isZero();
    assertThat(client.repeat(2).status).isZero();
  }

  @Test
  void slotsAndSequencesAreChecked() {
    assertThat(client.bare(client.sequence(16, 1)).status).isEqualTo(Nfs4Status.BADSLOT);
    assertThat(client.bare(client.sequence(5, 2)).status).isEqualTo(Nfs4Status.SEQ_MISORDERED);
    assertThat(client.bare(client.sequence(5, 0)).status).isEqualTo(Nfs4Status.SEQ_MISORDERED);
    client.slots = 99;
    assertThat(client.bare(client.sequence(5, 1)).status).isEqualTo(Nfs4Status.BAD_HIGH_SLOT);
    client.slots = 16;
    client.sessionPlace++;
    assertThat(client.bare(client.sequence(5, 1)).status).isEqualTo(Nfs4Status.BADSESSION);
    client.sessionPlace--;
    Op[] many = new Op[40];
    java.util.Arrays.fill(many, ROOT);
    assertThat(client.tryOn(5, many).status).isEqualTo(Nfs4Status.TOO_MANY_OPS);
    assertThat(client.repeat(5, ROOT).status).isZero();
  }

  @Test
  void aSessionIsMadeOnceForEachSequence() {
    byte[] first = client.bare(withSequence(client.nextSession)).bytes;
    byte[] again = client.bare(withSequence(client.nextSession)).bytes;
    assertThat(java.util.Arrays.copyOfRange(again, 4, again.length))
        .isEqualTo(java.util.Arrays.copyOfRange(first, 4, first.length));
    assertThat(client.bare(withSequence(client.nextSession + 9)).status)
        .isEqualTo(Nfs4Status.SEQ_MISORDERED);
    client.id++;
    assertThat(client.bare(client.createSession()).status).isEqualTo(Nfs4Status.STALE_CLIENTID);
    client.id--;
  }

  private Op withSequence(int sequence) {
    client.nextSession = sequence;
    return client.createSession();
  }

  @Test
  void clientsAreToldApart() {
    XdrReader again = client.bare(client.exchangeId(0)).ok(Nfs4Op.EXCHANGE_ID);
    assertThat(again.int64()).isEqualTo(client.id);
    again.int32();
    assertThat(again.int32() & 0x8000_0000).isNotZero();
    assertThat(client.bare(client.exchangeId(0x8000_0000)).status).isEqualTo(NfsStatus.INVAL);
    Nfs4TestClient rebooted = new Nfs4TestClient(rig.calls(), "one");
    rebooted.verifier = 8;
    assertThat(rebooted.bare(rebooted.exchangeId(0x4000_0000)).status)
        .isEqualTo(Nfs4Status.NOT_SAME);
    assertThat(client.run(ROOT).status).isZero();
    rebooted.connect();
    assertThat(rebooted.id).isNotEqualTo(client.id);
    assertThat(client.tryOn(0, ROOT).status).isEqualTo(Nfs4Status.BADSESSION);
    Nfs4TestClient stranger = new Nfs4TestClient(rig.calls(), "nobody");
    assertThat(stranger.bare(stranger.exchangeId(0x4000_0000)).status).isEqualTo(NfsStatus.NOENT);
  }

  @Test
  void sessionsAndClientsAreDestroyed() {
    Op clientId = to -> to.int32(Nfs4Op.DESTROY_CLIENTID).int64(client.id);
    assertThat(client.bare(clientId).status).isEqualTo(Nfs4Status.CLIENTID_BUSY);
    Op session =
        to -> to.int32(Nfs4Op.DESTROY_SESSION).int64(client.sessionId).int64(client.sessionPlace);
    assertThat(client.status(session, ROOT)).isEqualTo(Nfs4Status.NOT_ONLY_OP);
    assertThat(client.status(session)).isZero();
    assertThat(client.bare(session).status).isEqualTo(Nfs4Status.BADSESSION);
    assertThat(client.bare(clientId).status).isZero();
    assertThat(client.bare(clientId).status).isEqualTo(Nfs4Status.STALE_CLIENTID);
  }

  @Test
  void connectionsAreBoundAndBackChannelsTaken() {
    Op bind =
        to ->
            to.int32(Nfs4Op.BIND_CONN_TO_SESSION)
                .int64(client.sessionId)
                .int64(client.sessionPlace)
                .int32(7)
                .bool(false);
    XdrReader bound = client.bare(bind).ok(Nfs4Op.BIND_CONN_TO_SESSION);
    bound.skip(16);
    assertThat(bound.int32()).isEqualTo(3);
    Op control = to -> to.int32(Nfs4Op.BACKCHANNEL_CTL).int32(1).int32(1).int32(0);
    assertThat(client.status(control)).isZero();
    Op complete = to -> to.int32(Nfs4Op.RECLAIM_COMPLETE).bool(false);
    assertThat(client.status(complete)).isEqualTo(Nfs4Status.COMPLETE_ALREADY);
  }

  @Test
  void lookingIsDoneAtOnce() {
    byte[] data = client.handle("srv", "data");
    assertThat(client.statusOn(data, mkdir("here", 0755))).isZero();
    client.statusOn(data, lookup("here"));
    Op access = to -> to.int32(Nfs4Op.ACCESS).int32(0x3F);
    Op attributes = getAttr(Nfs4Attribute.TYPE, Nfs4Attribute.CHANGE, Nfs4Attribute.OWNER);
    Reply reply = client.run(putFh(data), access, lookup("here"), plain(Nfs4Op.GETFH), attributes);
    assertThat(reply.status).isZero();
    assertThat(reply.fast).isTrue();
    assertThat(client.run(putFh(data), named(Nfs4Op.LOOKUP, "none")).status)
        .isEqualTo(NfsStatus.NOENT);
    Reply slow = client.run(putFh(data), mkdir("there", 0700));
    assertThat(slow.fast).isFalse();
    assertThat(slow.status).isZero();
  }
}

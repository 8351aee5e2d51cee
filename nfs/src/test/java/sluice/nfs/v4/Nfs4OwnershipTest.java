package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.lookup;
import static sluice.nfs.v4.Nfs4TestClient.named;
import static sluice.nfs.v4.Nfs4TestClient.plain;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Reply;
import sluice.nfs.v4.wire.Bitmap;
import sluice.nfs.v4.wire.Nfs4Attribute;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Tests the ownership of sessions and client records: which connection may end a session, the
/// lifetime of an unconfirmed record, and the limits per machine (RFC 8881, sections 2.10.3.1,
/// 18.35 to 18.37).
@Timeout(120)
final class Nfs4OwnershipTest {
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

  private static InetAddress address(String text) throws UnknownHostException {
    return InetAddress.getByName(text);
  }

  private Op destroy() {
    return to ->
        to.int32(Nfs4Op.DESTROY_SESSION).int64(client.sessionId).int64(client.sessionPlace);
  }

  // ---- connections (section 18.37.3) ------------------------------------------------------------

  @Test
  void aConnectionOfAnotherClientEndsNoSession() throws IOException {
    client.calls.from(2, address("192.0.2.7"), 700);
    assertThat(client.bare(destroy()).status).isEqualTo(Nfs4Status.CONN_NOT_BOUND_TO_SESSION);
    Nfs4TestClient other = rig.client("two");
    assertThat(other.status(destroy())).isZero(); // the clients of the rig use connection 1
    client.calls.from(1, address("127.0.0.1"), 777);
    assertThat(client.bare(destroy()).status).isEqualTo(Nfs4Status.BADSESSION);
  }

  @Test
  void aSequenceBindsItsConnection() throws IOException {
    client.calls.from(2, address("127.0.0.1"), 700);
    assertThat(client.bare(destroy()).status).isEqualTo(Nfs4Status.CONN_NOT_BOUND_TO_SESSION);
    assertThat(client.status(ROOT)).isZero();
    assertThat(client.bare(destroy()).status).isZero();
  }

  @Test
  void aConnectionIsBoundByItsOwnOperation() throws IOException {
    Op bind =
        to ->
            to.int32(Nfs4Op.BIND_CONN_TO_SESSION)
                .int64(client.sessionId)
                .int64(client.sessionPlace)
                .int32(1)
                .bool(false);
    client.calls.from(3, address("127.0.0.1"), 700);
    assertThat(client.bare(bind).status).isZero();
    assertThat(client.bare(destroy()).status).isZero();
  }

  @Test
  void theLastSixteenConnectionsAreBound() throws IOException {
    for (int number = 2; number <= 17; number++) {
      client.calls.from(number, address("127.0.0.1"), 700 + number);
      assertThat(client.status(ROOT)).isZero();
    }
    client.calls.from(1, address("127.0.0.1"), 777);
    assertThat(client.bare(destroy()).status).isEqualTo(Nfs4Status.CONN_NOT_BOUND_TO_SESSION);
    client.calls.from(2, address("127.0.0.1"), 702);
    assertThat(client.bare(destroy()).status).isZero();
  }

  @Test
  void endingASessionIsTheLastOperation() {
    Nfs4TestClient other = rig.client("two");
    assertThat(other.status(destroy(), ROOT)).isEqualTo(Nfs4Status.NOT_ONLY_OP);
    assertThat(client.bare(destroy(), ROOT).status).isEqualTo(Nfs4Status.NOT_ONLY_OP);
    assertThat(client.status(ROOT)).isZero();
  }

  // ---- records (sections 18.35.4 and 18.36.3) ---------------------------------------------------

  private static int confirm(Nfs4TestClient named) {
    return named.bare(named.createSession()).status;
  }

  private Nfs4TestClient introduced(String owner) {
    Nfs4TestClient made = new Nfs4TestClient(rig.calls(), owner);
    var in = made.bare(made.exchangeId(0)).ok(Nfs4Op.EXCHANGE_ID);
    made.id = in.int64();
    made.nextSession = in.int32();
    return made;
  }

  @Test
  void aRecordThatIsNotConfirmedEndsWithTheLease() {
    Nfs4TestClient early = introduced("early");
    Nfs4TestClient late = introduced("late");
    rig.seconds(60);
    assertThat(confirm(early)).isZero();
    rig.seconds(31);
    assertThat(confirm(late)).isEqualTo(Nfs4Status.STALE_CLIENTID);
    Op update = late.exchangeId(0x4000_0000);
    assertThat(late.bare(update).status).isEqualTo(NfsStatus.NOENT);
  }

  private Nfs4TestClient at(String owner, String address) throws IOException {
    Nfs4TestClient made = new Nfs4TestClient(rig.calls(), owner);
    made.calls.from(50, address(address), 700);
    return made;
  }

  private int sessions(String address, int clients) throws IOException {
    int made = 0;
    for (int i = 0; i < clients; i++) {
      Nfs4TestClient one = at(address + " " + i, address);
      Reply known = one.bare(one.exchangeId(0));
      if (known.status != 0) {
        assertThat(known.status).isEqualTo(Nfs4Status.DELAY);
        continue;
      }
      var in = known.ok(Nfs4Op.EXCHANGE_ID);
      one.id = in.int64();
      one.nextSession = in.int32();
      int status = confirm(one);
      while (status == 0) {
        made++;
        one.nextSession++;
        status = confirm(one);
      }
      assertThat(status).isEqualTo(NfsStatus.NOSPC);
    }
    return made;
  }

  @Test
  void oneMachineCannotFillTheTableOfSessions() throws IOException {
    Nfs4Limits limits = Nfs4Limits.defaults();
    assertThat(sessions("192.0.2.1", 40)).isEqualTo(limits.sessionsPerHost());
    assertThat(confirm(introduced("elsewhere"))).as("another machine").isZero();
    // One machine may use all addresses of a /64 network.
    int first = sessions("2001:db8::1", 5);
    assertThat(first + sessions("2001:db8::2", 20)).isEqualTo(limits.sessionsPerHost());
    assertThat(client.status(ROOT)).isZero();
  }

  @Test
  void silentClientsMakeRoomForThoseOfTheSameMachine() throws IOException {
    int most = Nfs4Limits.defaults().sessionsPerHost();
    assertThat(sessions("192.0.2.1", 10)).isEqualTo(most);
    rig.seconds(91);
    assertThat(sessions("192.0.2.1", 10)).isGreaterThan(0);
  }

  @Test
  void oneMachineCannotFillTheTableOfClients() throws IOException {
    List<Nfs4TestClient> confirmed = new ArrayList<>();
    int refused = 0;
    for (int i = 0; i < 2 * Nfs4Limits.defaults().clientsPerHost(); i++) {
      Nfs4TestClient one = at("many " + i, "192.0.2.1");
      Reply known = one.bare(one.exchangeId(0));
      if (known.status != 0) {
        assertThat(known.status).isEqualTo(Nfs4Status.DELAY);
        refused++;
        continue;
      }
      var in = known.ok(Nfs4Op.EXCHANGE_ID);
      one.id = in.int64();
      one.nextSession = in.int32();
      assertThat(confirm(one)).isIn(0, NfsStatus.NOSPC);
      Op end = to -> to.int32(Nfs4Op.DESTROY_SESSION).int64(one.id).int64(0);
      one.bare(end);
      confirmed.add(one);
    }
    // Unconfirmed clients are evicted by the next ones.
    assertThat(confirmed.size() + refused).isEqualTo(512);
    assertThat(confirm(introduced("elsewhere"))).isZero();
    assertThat(client.status(ROOT)).isZero();
  }

  // ---- files that are no directories (section 15.2) ---------------------------------------------

  @Test
  void aSymbolicLinkHasNoParentAndNoSecurity() {
    byte[] data = client.handle("srv", "data");
    Op link =
        to -> {
          to.int32(Nfs4Op.CREATE).int32(5).opaque(Nfs4TestClient.bytes("target"));
          to.opaque(Nfs4TestClient.bytes("link"));
          Bitmap.of(Nfs4Attribute.MODE).write(to);
          to.int32(4).int32(0777);
        };
    assertThat(client.statusOn(data, link)).isZero();
    Op parent = plain(Nfs4Op.LOOKUPP);
    assertThat(client.statusOn(data, lookup("link"), parent)).isEqualTo(Nfs4Status.SYMLINK);
    Op security = named(Nfs4Op.SECINFO, "name");
    assertThat(client.statusOn(data, lookup("link"), security)).isEqualTo(NfsStatus.NOTDIR);
    Op ofParent = to -> to.int32(Nfs4Op.SECINFO_NO_NAME).int32(1);
    assertThat(client.statusOn(data, lookup("link"), ofParent)).isEqualTo(NfsStatus.NOTDIR);
  }

  @Test
  void securityUsesUpTheFileHandle() {
    byte[] data = client.handle("srv", "data");
    client.statusOn(data, Nfs4TestClient.mkdir("here", 0755));
    Op named = named(Nfs4Op.SECINFO, "here");
    Op getFh = plain(Nfs4Op.GETFH);
    assertThat(client.statusOn(data, named)).isZero();
    assertThat(client.statusOn(data, named, getFh)).isEqualTo(Nfs4Status.NOFILEHANDLE);
    assertThat(client.statusOn(data, named(Nfs4Op.SECINFO, "none"))).isEqualTo(NfsStatus.NOENT);
    Op current = to -> to.int32(Nfs4Op.SECINFO_NO_NAME).int32(0);
    Op parent = to -> to.int32(Nfs4Op.SECINFO_NO_NAME).int32(1);
    assertThat(client.statusOn(data, current, getFh)).isEqualTo(Nfs4Status.NOFILEHANDLE);
    assertThat(client.statusOn(data, parent)).isZero();
    assertThat(client.status(ROOT, parent)).isEqualTo(NfsStatus.NOENT);
  }
}

package sluice.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.nfs.v4.Nfs4TestClient.bytes;
import static sluice.nfs.v4.Nfs4TestClient.close;
import static sluice.nfs.v4.Nfs4TestClient.existing;
import static sluice.nfs.v4.Nfs4TestClient.getAttr;
import static sluice.nfs.v4.Nfs4TestClient.lockByOpen;
import static sluice.nfs.v4.Nfs4TestClient.named;
import static sluice.nfs.v4.Nfs4TestClient.open;
import static sluice.nfs.v4.Nfs4TestClient.plain;
import static sluice.nfs.v4.Nfs4TestClient.putFh;
import static sluice.nfs.v4.Nfs4TestClient.read;
import static sluice.nfs.v4.Nfs4TestClient.reclaim;
import static sluice.nfs.v4.Nfs4TestClient.unchecked;
import static sluice.nfs.v4.Nfs4TestClient.write;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.export.NfsStatus;
import sluice.nfs.v4.Nfs4TestClient.Op;
import sluice.nfs.v4.Nfs4TestClient.Opened;
import sluice.nfs.v4.wire.Nfs4Op;
import sluice.nfs.v4.wire.Nfs4Status;

/// Tests expired leases, restarts of the server, and reclaims.
@Timeout(120)
final class Nfs4RecoveryTest {
  private static final Op ROOT = plain(Nfs4Op.PUTROOTFH);

  @Test
  void aClientGoesOnAfterARestart() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      Opened file = client.open(data, open("o", 3, 0, unchecked(0644), "f"));
      Op lock = lockByOpen(2, false, 0, 10, file.id(), "a");
      client.stateId(file.handle(), Nfs4Op.LOCK, lock);
      assertThat(client.statusOn(file.handle(), write(file.id(), 0, 2, bytes("abc")))).isZero();
      rig.restart();
      assertThat(client.status(ROOT)).isEqualTo(Nfs4Status.BADSESSION);
      assertThat(client.bare(client.createSession()).status).isEqualTo(Nfs4Status.STALE_CLIENTID);
      Nfs4TestClient other = new Nfs4TestClient(rig.calls(), "two");
      other.connect();
      Op otherOpen = open("x", 3, 0, existing(), "f");
      assertThat(other.statusOn(data, otherOpen)).isEqualTo(Nfs4Status.GRACE);
      assertThat(other.statusOn(file.handle(), reclaim("x", 3, 0)))
          .isEqualTo(Nfs4Status.RECLAIM_BAD);
      assertThat(other.statusOn(data, named(Nfs4Op.REMOVE, "f"))).isEqualTo(Nfs4Status.GRACE);
      other.reclaimComplete();
      assertThat(other.statusOn(data, otherOpen)).isEqualTo(Nfs4Status.GRACE);

      client.connect();
      assertThat(client.statusOn(file.handle(), read(file.id(), 0, 1)))
          .isEqualTo(Nfs4Status.STALE_STATEID);
      Opened again = client.open(file.handle(), reclaim("o", 3, 0));
      assertThat(again.handle()).isEqualTo(file.handle());
      Op lockAgain = lockByOpen(2, true, 0, 10, again.id(), "a");
      client.stateId(file.handle(), Nfs4Op.LOCK, lockAgain);
      client.reclaimComplete();
      assertThat(client.statusOn(file.handle(), reclaim("p", 3, 0))).isEqualTo(Nfs4Status.NO_GRACE);
      assertThat(client.content(file.handle(), again.id(), 0, 10)).isEqualTo(bytes("abc"));
      Opened others = other.open(data, otherOpen);
      assertThat(other.statusOn(file.handle(), lockByOpen(1, false, 5, 1, others.id(), "y")))
          .isEqualTo(Nfs4Status.DENIED);
    }
  }

  @Test
  void graceEndsWithTimeAndForgetsClientsThatDidNotCome() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      rig.client("lost");
      Nfs4TestClient other = rig.client("two");
      byte[] data = other.handle("srv", "data");
      rig.restart();
      other.connect();
      other.reclaimComplete();
      Op open = open("x", 3, 0, unchecked(0644), "f");
      assertThat(other.statusOn(data, open)).isEqualTo(Nfs4Status.GRACE);
      rig.seconds(91);
      assertThat(other.statusOn(data, open)).isZero();
      Nfs4TestClient lost = new Nfs4TestClient(rig.calls(), "lost");
      lost.connect();
      byte[] file = other.handle("srv", "data", "f");
      assertThat(lost.statusOn(file, reclaim("o", 3, 0))).isEqualTo(Nfs4Status.NO_GRACE);
      rig.restart();
      Nfs4TestClient late = new Nfs4TestClient(rig.calls(), "lost");
      late.connect();
      assertThat(late.statusOn(file, reclaim("o", 3, 0))).isEqualTo(Nfs4Status.RECLAIM_BAD);
    }
  }

  @Test
  void anExpiredClientKeepsItsStateUntilAnotherWantsIt() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient silent = rig.client("silent");
      Nfs4TestClient other = rig.client("other");
      byte[] data = silent.handle("srv", "data");
      Opened file = silent.open(data, open("o", 3, 0, unchecked(0644), "f"));
      Op mine = lockByOpen(2, false, 0, 10, file.id(), "a");
      silent.stateId(file.handle(), Nfs4Op.LOCK, mine);
      Opened yours = other.open(data, open("o", 3, 0, existing(), "f"));
      Op wanted = lockByOpen(2, false, 0, 1, yours.id(), "b");
      rig.seconds(80);
      assertThat(other.status(ROOT)).isZero();
      assertThat(other.statusOn(file.handle(), wanted)).isEqualTo(Nfs4Status.DENIED);
      rig.seconds(80);
      assertThat(silent.status(ROOT)).isZero();
      assertThat(other.statusOn(file.handle(), wanted)).isEqualTo(Nfs4Status.DENIED);
      rig.seconds(200);
      assertThat(silent.statusOn(file.handle(), write(file.id(), 0, 0, bytes("x")))).isZero();
      rig.seconds(200);
      assertThat(other.statusOn(file.handle(), wanted)).isZero();
      assertThat(silent.status(ROOT)).isEqualTo(Nfs4Status.BADSESSION);
      rig.restart();
      silent.connect();
      assertThat(silent.statusOn(file.handle(), reclaim("o", 3, 0)))
          .isEqualTo(Nfs4Status.RECLAIM_BAD);
    }
  }

  /// An expired client that has a deleted file open is dropped, because no client can use that file
  /// and it takes space.
  @Test
  void anExpiredClientKeepsNoFileWithoutAName() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient silent = rig.client("silent");
      Nfs4TestClient patient = rig.client("patient");
      Nfs4TestClient other = rig.client("other");
      byte[] data = silent.handle("srv", "data");
      silent.open(data, open("o", 3, 0, unchecked(0644), "f"));
      patient.open(data, open("o", 3, 0, unchecked(0644), "g"));
      assertThat(other.statusOn(data, named(Nfs4Op.REMOVE, "f"))).isZero();
      long free = rig.tree.status().freeInodes();
      rig.seconds(80);
      assertThat(other.status(ROOT)).isZero();
      assertThat(rig.tree.status().freeInodes()).isEqualTo(free);
      rig.seconds(80);
      Nfs4TestClient.Reply renewed = other.tryOn(0);
      assertThat(renewed.status).isZero();
      assertThat(rig.tree.status().freeInodes()).isEqualTo(free + 1);
      assertThat(other.tryOn(0).fast).isTrue(); // no request checks again so soon
      assertThat(silent.status(ROOT)).isEqualTo(Nfs4Status.BADSESSION);
      assertThat(patient.status(ROOT)).isZero();
    }
  }

  @Test
  void aClientThatStartsAnewLosesWhatItHad() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient before = rig.client("one");
      byte[] data = before.handle("srv", "data");
      Opened file = before.open(data, open("o", 3, 3, unchecked(0644), "f"));
      assertThat(before.statusOn(data, named(Nfs4Op.REMOVE, "f"))).isZero();
      long free = rig.tree.status().freeInodes();
      Nfs4TestClient after = new Nfs4TestClient(rig.calls(), "one");
      after.verifier = 99;
      after.connect();
      after.reclaimComplete();
      assertThat(rig.tree.status().freeInodes()).isEqualTo(free + 1);
      assertThat(after.statusOn(file.handle(), getAttr(1))).isEqualTo(NfsStatus.STALE);
      assertThat(before.status(ROOT)).isEqualTo(Nfs4Status.BADSESSION);
    }
  }

  @Test
  void nothingNewBeforeAClientSaysThatItClaimsNoMore() throws IOException {
    try (Nfs4Rig rig = new Nfs4Rig()) {
      Nfs4TestClient client = new Nfs4TestClient(rig.calls(), "one");
      client.connect();
      byte[] data = client.handle("srv", "data");
      Op open = open("o", 3, 0, unchecked(0644), "f");
      assertThat(client.statusOn(data, open)).isEqualTo(Nfs4Status.GRACE);
      client.reclaimComplete();
      assertThat(client.statusOn(data, open)).isZero();
    }
  }

  @Test
  void everythingIsBounded() throws IOException {
    Nfs4Limits limits = new Nfs4Limits(90, 4, 4, 2, 6, 6, 8, 5, 6);
    ExportOptions options = ExportOptions.defaults().withSquash(Squash.NONE);
    try (Nfs4Rig rig = new Nfs4Rig(limits, options)) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      assertThat(client.bare(client.createSession()).status).isZero();
      client.nextSession++;
      assertThat(client.bare(client.createSession()).status).isEqualTo(NfsStatus.NOSPC);
      Opened file = client.open(data, open("o0", 3, 0, unchecked(0644), "f"));
      for (int i = 1; i < 5; i++) {
        assertThat(client.statusOn(data, open("o" + i, 1, 0, existing(), "f"))).isZero();
      }
      assertThat(client.statusOn(data, open("o5", 1, 0, existing(), "f")))
          .isEqualTo(NfsStatus.NOSPC);
      client.open(data, open("o4", 1, 0, existing(), "f"));
      Op more = lockByOpen(2, false, 0, 1, file.id(), "a");
      assertThat(client.statusOn(file.handle(), more)).isEqualTo(NfsStatus.NOSPC);
      for (int i = 2; i <= 4; i++) {
        new Nfs4TestClient(rig.calls(), "c" + i).connect();
      }
      Nfs4TestClient last = new Nfs4TestClient(rig.calls(), "c5");
      assertThat(last.bare(last.exchangeId(0)).status).isEqualTo(Nfs4Status.DELAY);
      rig.seconds(100);
      assertThat(client.status(ROOT)).isZero();
      last.connect();
      assertThat(client.statusOn(file.handle(), close(file.id()))).isZero();
    }
  }

  @Test
  void namesAloneKeepNoClientOut() throws IOException {
    Nfs4Limits limits = new Nfs4Limits(90, 4, 4, 2, 6, 6, 8, 5, 6);
    ExportOptions options = ExportOptions.defaults().withSquash(Squash.NONE);
    try (Nfs4Rig rig = new Nfs4Rig(limits, options)) {
      Nfs4TestClient client = rig.client("one");
      for (int i = 0; i < 20; i++) {
        Nfs4TestClient name = new Nfs4TestClient(rig.calls(), "name " + i);
        assertThat(name.bare(name.exchangeId(0)).status).isZero();
      }
      rig.client("two");
      assertThat(client.status(ROOT)).isZero();
    }
  }

  @Test
  void rangesOfAClientAreBounded() throws IOException {
    Nfs4Limits limits = new Nfs4Limits(90, 4, 4, 2, 6, 6, 8, 5, 6);
    ExportOptions options = ExportOptions.defaults().withSquash(Squash.NONE);
    try (Nfs4Rig rig = new Nfs4Rig(limits, options)) {
      Nfs4TestClient client = rig.client("one");
      byte[] data = client.handle("srv", "data");
      Opened file = client.open(data, open("o", 3, 0, unchecked(0644), "f"));
      int status = 0;
      int granted = -1;
      while (status == 0) {
        granted++;
        Op lock = lockByOpen(2, false, 10L * granted, 1, file.id(), "a");
        status = client.statusOn(file.handle(), lock);
      }
      assertThat(granted).isEqualTo(5);
      assertThat(status).isEqualTo(NfsStatus.SERVERFAULT);
      assertThat(client.run(putFh(file.handle()), close(file.id())).status).isZero();
    }
  }
}

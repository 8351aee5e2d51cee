package sluice.acceptance.servers;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;

/// Sessions with [ZooKeeperMain] that create, set, get, watch and delete at once, all data
/// compared. The main thread of a process starts it; callers are virtual threads above ZooKeeper's
/// own.
final class ZooKeeperLoad {
  private static final int SESSIONS = 24;
  private static final int ROUNDS = 25;
  private static final int TIMEOUT_MILLIS = 150_000;
  private static final long SECONDS = 100;
  private static final int LARGE_BYTES = 900_000;

  /// All sessions have changed their nodes, or have set their watches.
  private static final CyclicBarrier TOGETHER = new CyclicBarrier(SESSIONS);

  private ZooKeeperLoad() {}

  /// @param arguments those of [LoadLaunch]
  public static void main(String[] arguments) throws Exception {
    LoadLaunch launch = LoadLaunch.of(arguments);
    ZKClientConfig config = new ZKClientConfig();
    if (!launch.variant().equals("nio")) {
      config.setProperty(
          ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
          "org.apache.zookeeper.ClientCnxnSocketNetty");
    }
    if (launch.trustStore() != null) {
      config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
      config.setProperty("zookeeper.ssl.trustStore.location", launch.trustStore().toString());
      config.setProperty("zookeeper.ssl.trustStore.password", Launch.PASSWORD);
      config.setProperty("zookeeper.ssl.trustStore.type", "PKCS12");
    }
    launch.run(SESSIONS, number -> session(launch.port(), config, number));
    launch.done();
  }

  private static int session(int port, ZKClientConfig config, int number) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper session =
        new ZooKeeper(
            Launch.HOST + ":" + port,
            TIMEOUT_MILLIS,
            event -> {
              if (event.getState() == Event.KeeperState.SyncConnected) {
                connected.countDown();
              }
            },
            config);
    try {
      if (!connected.await(SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("session " + number + " is not connected");
      }
      session.create("/" + number, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      int answers = 1;
      for (int round = 0; round < ROUNDS; round++) {
        answers += round(session, number, round);
      }
      return answers + children(session, number);
    } finally {
      session.close();
    }
  }

  /// Each session watches the node of the next one while all of them change theirs.
  private static int round(ZooKeeper session, int number, int round) throws Exception {
    int next = (number + 1) % SESSIONS;
    TOGETHER.await(SECONDS, TimeUnit.SECONDS);
    CountDownLatch changed = new CountDownLatch(1);
    byte[] before =
        session.getData(
            "/" + next,
            event -> {
              if (event.getType() == Event.EventType.NodeDataChanged) {
                changed.countDown();
              }
            },
            new Stat());
    LoadLaunch.compare("before " + round, before, round == 0 ? new byte[0] : data(next, round - 1));
    TOGETHER.await(SECONDS, TimeUnit.SECONDS);
    session.setData("/" + number, data(number, round), round);
    if (!changed.await(SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("session " + number + " heard of no change in round " + round);
    }
    Stat stat = new Stat();
    LoadLaunch.compare(
        "after " + round, session.getData("/" + next, false, stat), data(next, round));
    if (stat.getVersion() != round + 1) {
      throw new IOException("version " + stat.getVersion() + " in round " + round);
    }
    return 4;
  }

  private static int children(ZooKeeper session, int number) throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      session.create(
          "/" + number + "/" + i,
          data(number, i % 5),
          ZooDefs.Ids.OPEN_ACL_UNSAFE,
          i % 2 == 0 ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT);
    }
    List<String> names = session.getChildren("/" + number, false);
    if (names.size() != ROUNDS) {
      throw new IOException("session " + number + " has the nodes " + names);
    }
    for (int i = 0; i < ROUNDS; i++) {
      String path = "/" + number + "/" + i;
      LoadLaunch.compare(path, session.getData(path, false, new Stat()), data(number, i % 5));
      session.delete(path, -1);
    }
    session.delete("/" + number, ROUNDS);
    return 3 * ROUNDS + 2;
  }

  private static byte[] data(int number, int round) {
    boolean large = number < 3 && round == 7;
    return Payload.pattern(large ? LARGE_BYTES : number * 401 + round * 37, number + round);
  }
}

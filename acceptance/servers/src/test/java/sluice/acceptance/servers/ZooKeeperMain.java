package sluice.acceptance.servers;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/// A single ZooKeeper server, on its own selectors (variant `nio`) or on Netty's NIO transport. The
/// main thread of a process calls; requests run in ZooKeeper's threads.
final class ZooKeeperMain {
  /// A session lasts for twenty at most.
  private static final int TICK_MILLIS = 8_000;

  private static final int CONNECTIONS = 200;

  private ZooKeeperMain() {}

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    boolean nio = launch.variant().equals("nio");
    Class<?> factory = nio ? NIOServerCnxnFactory.class : NettyServerCnxnFactory.class;
    System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, factory.getName());
    // It warns of a disk that takes a second.
    System.setProperty("zookeeper.fsync.warningthresholdms", "100000");
    System.setProperty("zookeeper.maxCnxns", String.valueOf(CONNECTIONS));
    if (launch.secure()) {
      System.setProperty("zookeeper.ssl.keyStore.location", launch.requiredKeyStore().toString());
      System.setProperty("zookeeper.ssl.keyStore.password", Launch.PASSWORD);
      System.setProperty("zookeeper.ssl.keyStore.type", "PKCS12");
      System.setProperty("zookeeper.ssl.clientAuth", "none");
    }
    Path data = Files.createDirectories(launch.directory().resolve("data"));
    ZooKeeperServer server = new ZooKeeperServer(data.toFile(), data.toFile(), TICK_MILLIS);
    ServerCnxnFactory connections = ServerCnxnFactory.createFactory();
    connections.configure(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        CONNECTIONS,
        CONNECTIONS,
        launch.secure());
    connections.startup(server);
    Launch.ready(
        connections.getLocalPort(),
        () -> {
          connections.shutdown();
          connections.join();
          server.shutdown();
        });
  }
}

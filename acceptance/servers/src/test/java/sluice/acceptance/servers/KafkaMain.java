package sluice.acceptance.servers;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/// One Kafka process that is broker and controller (KRaft). The main thread of a process calls;
/// requests run in Kafka's threads.
final class KafkaMain {
  private static final int NODE = 1;
  private static final String CONTROLLER = "CONTROLLER";

  private KafkaMain() {}

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    Path data = Files.createDirectories(launch.directory().resolve("data"));
    int port;
    int controllerPort;
    try (ServerSocket one = anyPort();
        ServerSocket other = anyPort()) { // both at a time, so that they differ
      port = one.getLocalPort();
      controllerPort = other.getLocalPort();
    }
    Properties properties = properties(launch, data, port, controllerPort);
    new Formatter()
        .setPrintStream(new PrintStream(System.out, true, StandardCharsets.UTF_8))
        .setNodeId(NODE)
        .setClusterId(Uuid.randomUuid().toString())
        .setControllerListenerName(CONTROLLER)
        .setMetadataLogDirectory(data.toString())
        .addDirectory(data.toString())
        .run();
    KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(properties), Time.SYSTEM);
    server.startup();
    Launch.ready(
        port,
        () -> {
          server.shutdown();
          server.awaitShutdown();
        });
  }

  private static Properties properties(Launch launch, Path data, int port, int controllerPort) {
    String protocol = launch.secure() ? "SSL" : "PLAINTEXT";
    String listener = protocol + "://" + Launch.HOST + ":" + port;
    String controller = Launch.HOST + ":" + controllerPort;
    Properties properties = new Properties();
    properties.setProperty("node.id", String.valueOf(NODE));
    properties.setProperty("process.roles", "broker,controller");
    properties.setProperty("controller.quorum.voters", NODE + "@" + controller);
    properties.setProperty("controller.listener.names", CONTROLLER);
    properties.setProperty("listeners", listener + "," + CONTROLLER + "://" + controller);
    properties.setProperty("advertised.listeners", listener);
    properties.setProperty(
        "listener.security.protocol.map",
        protocol + ":" + protocol + "," + CONTROLLER + ":PLAINTEXT");
    properties.setProperty("inter.broker.listener.name", protocol);
    properties.setProperty("log.dirs", data.toString());
    properties.setProperty("num.partitions", "4");
    properties.setProperty("offsets.topic.replication.factor", "1");
    properties.setProperty("offsets.topic.num.partitions", "4");
    properties.setProperty("transaction.state.log.replication.factor", "1");
    properties.setProperty("transaction.state.log.min.isr", "1");
    properties.setProperty("transaction.state.log.num.partitions", "4");
    // No member is given up that gets no processor for some seconds.
    properties.setProperty("broker.session.timeout.ms", "120000");
    properties.setProperty("controller.quorum.request.timeout.ms", "60000");
    properties.setProperty("group.initial.rebalance.delay.ms", "0");
    properties.setProperty("log.cleaner.dedupe.buffer.size", String.valueOf(2 << 20));
    properties.setProperty("message.max.bytes", String.valueOf(4 << 20));
    if (launch.secure()) {
      properties.setProperty("ssl.keystore.location", launch.requiredKeyStore().toString());
      properties.setProperty("ssl.keystore.password", Launch.PASSWORD);
      properties.setProperty("ssl.key.password", Launch.PASSWORD);
      properties.setProperty("ssl.keystore.type", "PKCS12");
      // The broker is a client of itself.
      properties.setProperty("ssl.truststore.location", launch.trustStore().toString());
      properties.setProperty("ssl.truststore.password", Launch.PASSWORD);
      properties.setProperty("ssl.truststore.type", "PKCS12");
    }
    return properties;
  }

  /// Its configuration has to name its ports, since parts of it connect to others.
  private static ServerSocket anyPort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }
}

package sluice.acceptance.servers;

import java.io.IOException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Producers and consumers of [KafkaMain] at once; each record's order, bytes and digest are
/// compared. The main thread of a process starts it; callers are virtual threads above Kafka's own.
final class KafkaLoad {
  private static final int PRODUCERS = 4;
  private static final int RECORDS = 1_500;
  private static final int LARGE_BYTES = 900_000;
  private static final String TOPIC = "bytes";
  private static final long SECONDS = 100;

  private KafkaLoad() {}

  /// @param arguments those of [LoadLaunch]
  public static void main(String[] arguments) throws Exception {
    LoadLaunch launch = LoadLaunch.of(arguments);
    Properties properties = properties(launch);
    try (Admin admin = Admin.create(properties)) {
      admin
          .createTopics(List.of(new NewTopic(TOPIC, PRODUCERS, (short) 1)))
          .all()
          .get(SECONDS, TimeUnit.SECONDS);
      // The controller has made the topic, which the broker may learn later: it answers then.
      Map<TopicPartition, OffsetSpec> partitions = new HashMap<>();
      for (int i = 0; i < PRODUCERS; i++) {
        partitions.put(new TopicPartition(TOPIC, i), OffsetSpec.earliest());
      }
      admin.listOffsets(partitions).all().get(SECONDS, TimeUnit.SECONDS);
    }
    launch.run(
        2 * PRODUCERS,
        number ->
            number < PRODUCERS
                ? produce(properties, number)
                : consume(properties, number - PRODUCERS));
    grouped(properties);
    launch.done();
  }

  private static Properties properties(LoadLaunch launch) {
    Properties properties = new Properties();
    properties.setProperty("bootstrap.servers", Launch.HOST + ":" + launch.port());
    if (launch.trustStore() != null) {
      properties.setProperty("security.protocol", "SSL");
      properties.setProperty("ssl.truststore.location", launch.trustStore().toString());
      properties.setProperty("ssl.truststore.password", Launch.PASSWORD);
      properties.setProperty("ssl.truststore.type", "PKCS12");
    }
    return properties;
  }

  private static int produce(Properties common, int partition) throws Exception {
    Properties properties = new Properties();
    properties.putAll(common);
    properties.setProperty("max.request.size", String.valueOf(2 << 20));
    properties.setProperty("compression.type", partition == 1 ? "gzip" : "none");
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = value(partition, i);
        byte[] key = MessageDigest.getInstance("SHA-256").digest(value);
        var sent = producer.send(new ProducerRecord<>(TOPIC, partition, key, value));
        if (i % 100 == 0 || i == RECORDS - 1) {
          long offset = sent.get(SECONDS, TimeUnit.SECONDS).offset();
          if (offset != i) {
            throw new IOException("record " + i + " of " + partition + " is at " + offset);
          }
        }
      }
    }
    return RECORDS;
  }

  private static int consume(Properties common, int partition) throws Exception {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(common)) {
      TopicPartition from = new TopicPartition(TOPIC, partition);
      consumer.assign(List.of(from));
      consumer.seekToBeginning(List.of(from));
      int next = 0;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      while (next < RECORDS && System.nanoTime() < deadline) {
        for (ConsumerRecord<byte[], byte[]> read : consumer.poll(Duration.ofSeconds(1))) {
          check(read, partition, next++);
          deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        }
      }
      if (next != RECORDS) {
        throw new IOException("only " + next + " records of " + partition);
      }
      return next;
    }
  }

  /// Reads all of it once more, as a consumer group of one, which keeps its place on the server.
  private static void grouped(Properties common) throws Exception {
    Properties properties = new Properties();
    properties.putAll(common);
    properties.setProperty("group.id", "group");
    properties.setProperty("auto.offset.reset", "earliest");
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(properties)) {
      consumer.subscribe(List.of(TOPIC));
      Map<Integer, Integer> next = new HashMap<>();
      int records = 0;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      while (records < PRODUCERS * RECORDS && System.nanoTime() < deadline) {
        for (ConsumerRecord<byte[], byte[]> read : consumer.poll(Duration.ofSeconds(1))) {
          check(read, read.partition(), next.merge(read.partition(), 1, Integer::sum) - 1);
          records++;
          deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        }
      }
      if (records != PRODUCERS * RECORDS) {
        throw new IOException("the group has only " + records + " records");
      }
      consumer.commitSync(Duration.ofSeconds(SECONDS));
      System.out.println(records + " records in a group");
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Properties properties) {
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static void check(ConsumerRecord<byte[], byte[]> read, int partition, int number)
      throws Exception {
    String what = "record " + number + " of " + partition;
    if (read.offset() != number) {
      throw new IOException(what + " has the offset " + read.offset());
    }
    LoadLaunch.compare(what, read.value(), value(partition, number));
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(read.value());
    if (!MessageDigest.isEqual(digest, read.key())) {
      throw new IOException(what + ": digest " + HexFormat.of().formatHex(digest));
    }
  }

  private static byte[] value(int partition, int number) {
    boolean large = number % 400 == 399;
    int length = large ? LARGE_BYTES : (number * 131 + partition * 17) % 5_000;
    return Payload.pattern(length, partition * 31 + number);
  }
}

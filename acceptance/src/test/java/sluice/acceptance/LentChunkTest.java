package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Party;
import sluice.domain.portal.Portals;
import sluice.loop.Connection;
import sluice.loop.Protocol;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.memory.Memory;
import sluice.memory.View;

/// What a loop received is lent to a domain where it landed, and taken back when the call returns.
@Timeout(120)
class LentChunkTest {
  private static final int BYTES = 8192;
  private static final int ROUNDS = 300;

  /// What the domain offers.
  public interface Reader {
    /// The sum of all bytes.
    long sum(Memory input);

    /// Reads once more what the last call lent.
    ///
    /// @return whether that was refused
    boolean isTakenBack();

    /// Writes what was lent.
    ///
    /// @return whether that was refused
    boolean isReadOnly(Memory input);
  }

  /// Code of the domain, which keeps what it is lent.
  public static final class Keeps implements Reader {
    private @Nullable Memory kept;

    @Override
    public long sum(Memory input) {
      kept = input;
      long sum = 0;
      for (long i = 0; i < input.lengthBytes(); i++) {
        sum += input.get(i) & 0xff;
      }
      return sum;
    }

    @Override
    public boolean isTakenBack() {
      try {
        Objects.requireNonNull(kept).get(0);
        return false;
      } catch (IllegalStateException e) {
        return true;
      }
    }

    @Override
    public boolean isReadOnly(Memory input) {
      try {
        input.set(0, (byte) 1);
        return false;
      } catch (UnsupportedOperationException | IllegalArgumentException e) {
        return true;
      }
    }
  }

  private record Host() implements Party {
    @Override
    public String name() {
      return "host";
    }

    @Override
    public ClassLoader loader() {
      return LentChunkTest.class.getClassLoader();
    }

    @Override
    public boolean alive() {
      return true;
    }

    @Override
    public void onEnd(Runnable task) {
      // the JVM ends first
    }
  }

  /// Keeps each message of a size for a thread outside, and says that it came.
  private static final class Keeping implements Protocol {
    private final BlockingQueue<Optional<Memory>> kept = new ArrayBlockingQueue<>(4);

    @Override
    public int received(Connection connection, View input) {
      if (input.length() < BYTES) {
        return 0;
      }
      kept.add(Optional.ofNullable(connection.retain(input, 0, BYTES)));
      connection.output().put((byte) '.');
      return BYTES;
    }
  }

  @TempDir Path directory;

  private Path jar() throws IOException {
    Path jar = directory.resolve("keeps.jar");
    try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Class<?> type : new Class<?>[] {Reader.class, Keeps.class}) {
        String file = type.getName().replace('.', '/') + ".class";
        to.putNextEntry(new ZipEntry(file));
        try (InputStream in = type.getClassLoader().getResourceAsStream(file)) {
          to.write(in.readAllBytes());
        }
      }
    }
    return jar;
  }

  @SuppressWarnings("unchecked") // the classes of the domain have no types here
  private static Reader reader(Domain domain) throws Exception {
    Portals portals = new Portals(CallPath.DIRECT);
    Class<Object> type = (Class<Object>) domain.loader().loadClass(Reader.class.getName());
    Object made =
        domain.loader().loadClass(Keeps.class.getName()).getDeclaredConstructor().newInstance();
    portals.register(domain, "reader", type, made, CallPath.DIRECT);
    return portals.lookup(new Host(), "reader", Reader.class).orElseThrow();
  }

  @Test
  void aChunkOfTheLoopIsLentForTheTimeOfACall() throws Exception {
    Keeping protocol = new Keeping();
    byte[] message = new byte[BYTES];
    try (Server server = Server.start(ServerConfig.onLoopback("lending", 0), _ -> protocol);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        Domain domain =
            Domain.create(DomainConfig.of("reading", jar()).withShared("sluice.memory."))) {
      Reader reader = reader(domain);
      int lent = 0;
      for (int round = 0; lent < ROUNDS; round++) {
        message[round % BYTES]++;
        long sum = 0;
        for (byte each : message) {
          sum += each & 0xff;
        }
        socket.getOutputStream().write(message);
        assertThat(socket.getInputStream().read()).isEqualTo('.');
        Optional<Memory> kept = protocol.kept.poll(60, TimeUnit.SECONDS);
        assertThat(kept).isNotNull();
        if (kept.isEmpty()) {
          continue; // what was given back is on its way; without end if it were not
        }
        lent++;
        try (Memory memory = kept.get()) {
          assertThat(reader.sum(memory)).as("round %d", round).isEqualTo(sum);
          assertThat(reader.isTakenBack()).isTrue();
          assertThat(reader.isReadOnly(memory)).isTrue();
          assertThat(memory.get(round % BYTES))
              .as("the loop's own")
              .isEqualTo(message[round % BYTES]);
        }
      }
    }
  }
}

package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.domain.inside.Death;
import sluice.testbase.Await;

/// Tests of everything that the end of a domain has to end, one row per kind of misbehaviour, as
/// listed on the design page.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class KillMatrixTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(300);

  /// The time that a guest gets to start misbehaving.
  private static final long HEAD_START_MILLIS = 60;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "EndlessLoop, ended",
    "CountedLoop, ended",
    "CatchAll, ended",
    "FinallyLoop, ended",
    "Switching, ended",
    "Recursion, ended",
    "AllocationBomb, ended",
    "ThreadBomb, ended",
    "VirtualThreadBomb, ended",
    "EndlessPark, ended",
    "EndlessSleep, ended",
    "OwnMonitor, ended",
    "WaitOnMonitor, ended",
    "ChannelAccept, ended",
    "SocketAccept, ended",
    "AcceptOfOwnSocket, ended",
    "Regex, ended",
    "RegexOfString, ended",
    "HostileHash, ended",
    "HostileComparator, ended",
    "Initializer, ended",
    "Power, ended at the next poll",
  })
  void endsWhatMisbehaves(String guest, String verdict) throws Exception {
    try (Domain domain = Guests.domain()) {
      Thread thread = Guests.start(domain, guest);
      Thread.sleep(HEAD_START_MILLIS);
      assertThat(thread.isAlive()).as("%s runs until it is ended", guest).isTrue();
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).as("%s: %s", guest, verdict).isTrue();
      assertThat(domain.stat().state()).isEqualTo("ended");
    }
  }

  private static void endsWithProperty(String guest, String name, String value) throws Exception {
    try (Domain domain = Domain.create(Guests.config().withProperties(Map.of(name, value)))) {
      Thread thread = Guests.start(domain, guest);
      Thread.sleep(4 * HEAD_START_MILLIS);
      assertThat(thread.isAlive()).isTrue();
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).as("%s ends", guest).isTrue();
    }
  }

  private Path fifo() throws Exception {
    Path fifo = directory.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    return fifo;
  }

  @Test
  void aFifoThatIsNotWrittenIsLeft() throws Exception {
    Path fifo = fifo();
    try (RandomAccessFile writer = new RandomAccessFile(fifo.toFile(), "rw")) {
      endsWithProperty("ReadsFifo", "guest.fifo", fifo.toString());
      writer.write(1);
    }
  }

  @Test
  void aFifoThatNothingOpensIsLeft() throws Exception {
    endsWithProperty("ReadsFifo", "guest.fifo", fifo().toString());
  }

  @Test
  void aServerThatDoesNotAnswerIsLeft() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      endsWithProperty("OpensUrl", "guest.url", "http://127.0.0.1:" + server.getLocalPort() + "/");
      assertThat(server.isClosed()).isFalse();
    }
  }

  @Test
  void monitorOfTheJdkThatAnotherHoldsIsNotEnforced() throws Exception {
    Domain domain = Guests.domain();
    synchronized (Runtime.getRuntime()) {
      Thread thread = Guests.start(domain, "MonitorOfJdk");
      Await.until("the monitor", () -> thread.getState() == Thread.State.BLOCKED);
      domain.kill();
      assertThat(domain.awaitEnd(SHORT)).isFalse();
      assertThat(domain.stat().state()).isEqualTo("ending");
    }
    assertThat(domain.awaitEnd(LONG)).as("ends once the monitor is free").isTrue();
  }

  @Test
  void uninterruptibleWaitIsNotEnforced() throws Exception {
    Domain domain = Guests.domain();
    Thread thread = Guests.start(domain, "Uninterruptible");
    Await.until("the permit", () -> thread.getState() == Thread.State.WAITING);
    domain.kill();
    assertThat(domain.awaitEnd(SHORT)).isFalse();
    Class<?> type = domain.loader().loadClass("sluice.domain.guest.Misbehaviour$Uninterruptible");
    ((Semaphore) type.getField("NONE").get(null)).release();
    assertThat(domain.awaitEnd(LONG)).isTrue();
  }

  @Test
  void shutdownHookIsRefusedWithClassMethodWhyAndFix() throws Exception {
    try (Domain domain = Guests.domain()) {
      Runnable guest = (Runnable) Guests.create(domain, "Misbehaviour$ShutdownHook");
      assertThatThrownBy(() -> domain.call(Executors.callable(guest)))
          .isExactlyInstanceOf(SecurityException.class)
          .hasMessageContaining("Misbehaviour$ShutdownHook.run()V, line ")
          .hasMessageContaining("java.lang.Runtime.addShutdownHook")
          .hasMessageContaining("Why: ")
          .hasMessageContaining("Fix: ");
    }
  }

  @Test
  void callerGetsDomainEnded() throws Exception {
    Domain domain = Guests.domain();
    Runnable endless = (Runnable) Guests.create(domain, "Misbehaviour$CatchAll");
    Thread killer =
        Thread.ofPlatform()
            .start(() -> {
              try {
                Thread.sleep(HEAD_START_MILLIS);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              domain.kill("a test ended it");
            });
    assertThatThrownBy(() ->
            domain.call(() -> {
              endless.run();
              return 0;
            }))
        .isInstanceOf(DomainEnded.class)
        .hasMessageContaining(domain.name())
        .hasMessageContaining("a test ended it");
    killer.join();
    assertThatThrownBy(endless::run).isInstanceOf(Death.class);
    assertThatThrownBy(() -> domain.start("late", endless)).isInstanceOf(DomainEnded.class);
    assertThat(domain.awaitEnd(LONG)).isTrue();
  }

  @Test
  void neighboursGoOn() throws Exception {
    try (Domain victim = Guests.domain();
        Domain neighbour = Guests.domain()) {
      Guests.start(victim, "EndlessLoop");
      Thread other = Guests.start(neighbour, "EndlessLoop");
      victim.kill();
      assertThat(victim.awaitEnd(LONG)).isTrue();
      assertThat(other.isAlive()).isTrue();
      neighbour.kill();
      assertThat(neighbour.awaitEnd(LONG)).isTrue();
    }
  }
}

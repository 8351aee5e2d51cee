package sluice.loop.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Writes counters as a server does and reads them as another process does.
@Timeout(240)
final class CountersTest {
  @TempDir Path temp;

  private Path directory() {
    return temp.resolve("run");
  }

  @Test
  void anotherReaderSeesWhatTheOwnerWrote() throws IOException {
    try (Counters counters = Counters.open(directory(), 8)) {
      assertThat(counters.whyNoFile()).isEmpty();
      counters.describe("serve on port 8080");
      Counter requests = counters.counter("loop0/requests");
      Counter open = counters.gauge("loop0/connections");
      requests.increment();
      requests.add(41);
      open.set(7);
      open.add(-2);

      long pid = ProcessHandle.current().pid();
      assertThat(CounterFile.processes(directory())).containsExactly(pid);
      CounterSnapshot seen = CounterFile.read(CounterFile.fileOf(directory(), pid));
      assertThat(seen.pid()).isEqualTo(pid);
      assertThat(seen.description()).isEqualTo("serve on port 8080");
      assertThat(seen.values())
          .containsExactly(
              new CounterValue("loop0/requests", false, 42),
              new CounterValue("loop0/connections", true, 5));
      assertThat(counters.snapshot().values()).isEqualTo(seen.values());
      assertThat(requests.value()).isEqualTo(42);
    }
  }

  @Test
  void onlyTheOwnerMayReadTheFile() throws IOException {
    try (Counters counters = Counters.open(directory(), 1)) {
      Path file = CounterFile.fileOf(directory(), ProcessHandle.current().pid());
      assertThat(counters.file()).isEqualTo(file);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void closeRemovesTheFileAndLateIncrementsAreHarmless() {
    Counters counters = Counters.open(directory(), 1);
    Counter counter = counters.counter("a");
    counters.close();
    counters.close();
    counter.increment();
    assertThat(counter.value()).isEqualTo(1);
    assertThat(CounterFile.fileOf(directory(), ProcessHandle.current().pid())).doesNotExist();
  }

  @Test
  void fallsBackToMemoryInADirectoryOthersMayWrite() throws IOException {
    Files.createDirectory(directory());
    Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwxrwxrwx"));
    try (Counters counters = Counters.open(directory(), 1)) {
      assertThat(counters.file()).isNull();
      assertThat(counters.whyNoFile()).contains("chmod 700");
      counters.counter("a").increment();
      assertThat(counters.snapshot().values()).extracting(CounterValue::value).containsExactly(1L);
      assertThat(directory()).isEmptyDirectory();
    }
  }

  @Test
  void fallsBackToMemoryWhereThereIsNoDirectory() throws IOException {
    Path plain = Files.writeString(temp.resolve("plain"), "a file");
    try (Counters counters = Counters.open(plain.resolve("run"), 1)) {
      assertThat(counters.file()).isNull();
      assertThat(counters.whyNoFile()).contains("plain");
    }
  }

  @Test
  void refusesDuplicateLongAndTooManyLabels() {
    try (Counters counters = Counters.inMemory()) {
      counters.counter("x");
      assertThatThrownBy(() -> counters.gauge("x")).hasMessageContaining("exists: x");
      assertThatThrownBy(() -> counters.counter("")).hasMessageContaining("1 to 120");
      assertThatThrownBy(() -> counters.counter("l".repeat(121))).hasMessageContaining("1 to 120");
    }
    try (Counters full = Counters.open(directory(), 1)) {
      full.counter("x");
      assertThatThrownBy(() -> full.counter("y")).hasMessageContaining("all 1 counters are taken");
    }
    assertThatThrownBy(() -> Counters.open(directory(), 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void filesOfDeadProcessesAreDeleted() throws Exception {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    Files.createDirectories(directory());
    Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwx------"));
    Path stale = Files.writeString(CounterFile.fileOf(directory(), process.pid()), "left over");
    Path other = Files.writeString(directory().resolve("notes.counters"), "not ours");
    assertThat(CounterFile.processes(directory())).isEmpty();
    try (Counters counters = Counters.open(directory(), 1)) {
      assertThat(stale).doesNotExist();
      assertThat(other).exists();
      assertThat(counters.file()).exists();
    }
  }

  @Test
  void aRecycledPidDoesNotKeepAFileAlive() throws IOException {
    Files.createDirectories(directory());
    Path file =
        Files.writeString(
            CounterFile.fileOf(directory(), ProcessHandle.current().pid()), "older than us");
    Files.setLastModifiedTime(file, java.nio.file.attribute.FileTime.fromMillis(0));
    assertThat(CounterFile.processes(directory())).isEmpty();
    assertThat(CounterFile.deleteStale(directory())).isEqualTo(1);
  }

  @Test
  void refusesWhatIsNoCountersFile() throws IOException {
    assertThatThrownBy(() -> CounterFile.read(temp.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> CounterFile.read(temp)).hasMessageContaining("not a regular file");
    Path small = Files.writeString(temp.resolve("small"), "x");
    assertThatThrownBy(() -> CounterFile.read(small)).hasMessageContaining("1 bytes");
    byte[] valid = validFile();
    damage(valid, CounterLayout.MAGIC_OFFSET, 0, "wrong magic");
    damage(valid, CounterLayout.VERSION_OFFSET, 9, "version 9");
    damage(valid, CounterLayout.CAPACITY_OFFSET, 5, "capacity 5");
    damage(valid, CounterLayout.CAPACITY_OFFSET, Integer.MAX_VALUE, "capacity");
    damage(valid, CounterLayout.COUNT_OFFSET, -1, "-1 counters");
    damage(valid, CounterLayout.COUNT_OFFSET, 4, "4 counters where there is room for 3");
    damage(valid, CounterLayout.DESCRIPTION_LENGTH_OFFSET, 473, "a text of 473");
    damage(valid, CounterLayout.labelOffset(0), -7, "a text of -7");
    damage(valid, CounterLayout.labelOffset(0) + 4, 3, "unknown kind 3");
  }

  private static void damage(byte[] valid, int offset, int value, String expected) {
    byte[] bytes = valid.clone();
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putInt(offset, value);
    assertThatThrownBy(() -> CounterFile.parse(bytes, "f"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(expected);
  }

  @Test
  void randomDamageNeverEscapesAsAnythingButAnIoException() throws IOException {
    byte[] valid = validFile();
    long seed = 20_260_101;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = valid.clone();
      for (int n = random.nextInt(1, 9); n > 0; n--) {
        bytes[random.nextInt(CounterLayout.valueOffset(3, 0))] = (byte) random.nextInt();
      }
      try {
        assertThat(CounterFile.parse(bytes, "f").values()).hasSizeLessThanOrEqualTo(3);
      } catch (IOException e) {
        assertThat(e).as("seed %d", seed).hasMessageContaining("counters file f");
      }
    }
  }

  @Test
  void controlCharactersDoNotReachTheTerminal() throws IOException {
    try (Counters counters = Counters.inMemory()) {
      counters.describe("a\u001b[2Jb");
      counters.counter("x\ny");
      assertThat(counters.snapshot().description()).isEqualTo("a?[2Jb");
      assertThat(counters.snapshot().values().get(0).label()).isEqualTo("x?y");
    }
  }

  @Test
  void aReaderNeverSeesACounterGoBack() throws Exception {
    try (Counters counters = Counters.open(directory(), 4)) {
      Counter counter = counters.counter("loop0/requests");
      Thread owner =
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < 2_000_000; i++) {
                  counter.add(0x1_0000_0001L);
                }
              });
      Path file = CounterFile.fileOf(directory(), ProcessHandle.current().pid());
      List<Long> seen = new ArrayList<>();
      while (owner.isAlive()) {
        seen.add(CounterFile.read(file).values().get(0).value());
      }
      owner.join();
      assertThat(seen).isSorted().allMatch(v -> v >>> 32 == (v & 0xffff_ffffL));
      assertThat(counter.value()).isEqualTo(2_000_000 * 0x1_0000_0001L);
    }
  }

  private static byte[] validFile() throws IOException {
    Path directory = Files.createTempDirectory("counters");
    try (Counters counters = Counters.open(directory, 3)) {
      counters.counter("loop0/requests").set(1);
      counters.gauge("loop0/open").set(2);
      counters.describe("text");
      return Files.readAllBytes(CounterFile.fileOf(directory, ProcessHandle.current().pid()));
    } finally {
      Files.delete(directory);
    }
  }
}

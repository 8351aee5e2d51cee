package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Blocks;
import sluice.fs.JournalRig;
import sluice.fs.RecordingDevice;
import sluice.fs.Stamps;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.block.Block;

/// Tests crashes of the journal on its own. After replay, the device holds the blocks as they were
/// after some prefix of the transactions, which includes the last awaited one.
@Timeout(600)
final class JournalCrashTest {
  private static final int BLOCK = 1024;
  private static final int DEVICE_BLOCKS = 512;
  private static final int FRAMES = 256;
  private static final int FIRST = 256;
  private static final int POOL = 60;
  private static final int TRANSACTIONS = 150;

  /// A block that every transaction changes; it identifies the last one.
  private static final int CONTROL = FIRST - 1;

  private enum Use {
    FREE,
    METADATA,
    CONTENT
  }

  /// The use and the version of each block after one transaction.
  @SuppressWarnings("ArrayRecordComponent")
  private record State(Use[] uses, long[] versions) {
    static State initial() {
      Use[] uses = new Use[POOL];
      java.util.Arrays.fill(uses, Use.FREE);
      return new State(uses, new long[POOL]);
    }

    State copy() {
      return new State(uses.clone(), versions.clone());
    }
  }

  /// Records that a transaction was awaited when the given number of events had happened.
  private record Awaited(int events, int transaction) {}

  private final List<State> states = new ArrayList<>();
  private final List<Awaited> awaited = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void everyStateIsAPrefix(long seed) throws IOException {
    int logBlocks = 64 + (int) seed * 16;
    long[] places = LongStream.range(8, 8 + logBlocks).toArray();
    BlockDevice device = BlockDevices.memory(DEVICE_BLOCKS * BLOCK);
    Journals.create(device, BLOCK, places, JournalRig.UUID);
    BlockDevice base = JournalRig.copy(device);
    RecordingDevice recording = new RecordingDevice(device);
    work(recording, places, new Random(seed));
    int applied = 0;
    int checked = 0;
    for (int events = 0; events <= recording.events(); events++) {
      applied = recording.applyFlushed(applied, events, base);
      for (int variant = 0; variant < 2; variant++) {
        BlockDevice crashed = JournalRig.copy(base);
        recording.applySome(
            applied, events, new Random((seed << 40) + events * 2L + variant), crashed);
        check(crashed, places, events, "seed " + seed + ", events " + events + ", " + variant);
        crashed.close();
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(500);
    base.close();
    device.close();
  }

  private void work(BlockDevice device, long[] places, Random random) throws IOException {
    State state = State.initial();
    states.add(state);
    BufferCache cache = BufferCaches.open(device, BLOCK, FRAMES * BLOCK);
    Journal journal = Journals.jbd2(cache, places);
    for (int t = 1; t <= TRANSACTIONS; t++) {
      state = state.copy();
      try (Transaction transaction = journal.begin(12)) {
        Stamps.write(transaction.change(CONTROL).block(), CONTROL, t);
        int steps = random.nextInt(8);
        for (int i = 0; i < steps; i++) {
          step(transaction, journal, state, t, random);
        }
      }
      states.add(state);
      if (random.nextInt(5) == 0) {
        journal.await(journal.point());
        awaited.add(new Awaited(((RecordingDevice) device).events(), t));
      } else if (random.nextInt(7) == 0) {
        cache.writeBack(0);
      }
    }
    journal.close();
    awaited.add(new Awaited(((RecordingDevice) device).events(), TRANSACTIONS));
    cache.close();
  }

  private static void step(
      Transaction transaction, Journal journal, State state, int t, Random random)
      throws IOException {
    int b = random.nextInt(POOL);
    long block = FIRST + (long) b;
    boolean content = random.nextBoolean();
    if (state.uses[b] == Use.FREE) {
      if (!journal.reusable(block)) {
        return;
      }
      Buffer buffer = content ? transaction.data(block, true) : transaction.create(block);
      Stamps.write(buffer.block(), block, t);
      buffer.close();
      state.uses[b] = content ? Use.CONTENT : Use.METADATA;
      state.versions[b] = t;
    } else if (random.nextInt(4) == 0 && state.versions[b] < t) {
      if (state.uses[b] == Use.METADATA) {
        transaction.forget(block);
      } else {
        transaction.forgetData(block, 1);
      }
      state.uses[b] = Use.FREE;
    } else {
      boolean data = state.uses[b] == Use.CONTENT;
      try (Buffer buffer = data ? transaction.data(block, false) : transaction.change(block)) {
        Stamps.write(buffer.block(), block, t);
      }
      state.versions[b] = t;
    }
  }

  private void check(BlockDevice device, long[] places, int events, String what)
      throws IOException {
    BufferCache cache = BufferCaches.open(device, BLOCK, 64 * BLOCK);
    Journals.replay(cache, places);
    cache.close();
    Block bytes = Blocks.of(DEVICE_BLOCKS * BLOCK);
    device.read(0, bytes, 0, DEVICE_BLOCKS * BLOCK);
    long last = version(bytes, CONTROL);
    int least = 0;
    for (Awaited point : awaited) {
      least = point.events <= events ? point.transaction : least;
    }
    assertThat(last).as(what).isBetween((long) least, (long) TRANSACTIONS);
    State state = states.get((int) last);
    for (int b = 0; b < POOL; b++) {
      String where = what + ": block " + b + " after transaction " + last;
      if (state.uses[b] == Use.METADATA) {
        assertThat(version(bytes, FIRST + b)).as(where).isEqualTo(state.versions[b]);
      } else if (state.uses[b] == Use.CONTENT) {
        for (int at = 0; at < BLOCK; at += 512) {
          long sector = Stamps.sector(bytes.segment(), (FIRST + b) * (long) BLOCK + at, FIRST + b);
          assertThat(sector).as(where).isGreaterThanOrEqualTo(state.versions[b]);
        }
      }
    }
    bytes.release();
  }

  private static long version(Block all, int block) {
    return Stamps.version(all.segment().asSlice((long) block * BLOCK, BLOCK), block);
  }
}

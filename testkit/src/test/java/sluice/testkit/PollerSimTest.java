package sluice.testkit;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerEvents;
import sluice.sys.SysException;
import sluice.testkit.sim.SimDescriptor;
import sluice.testkit.sim.SimFault;
import sluice.testkit.sim.SimPollerPort;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// Tests of a poller on the simulated kernel with faults: random changes between and during waits
/// are compared with a model. Each seed is a separate run.
@Timeout(600)
class PollerSimTest {
  private static final int SEEDS = 3_000;
  private static final int STEPS = 150;
  private static final int MOST = 12;

  @Test
  void reportsWhatTheModelSays() {
    SimWorld.runSeeds(SEEDS, world -> new Run(world).run());
  }

  /// The model of one member.
  private static final class Entry {
    final SimDescriptor descriptor;
    int ready;

    /// The events that were ready at some time since they were last known to be checked.
    int lately;

    long handle;
    int wanted;
    boolean enabled;
    boolean auto;

    /// The number of reports that an auto-disabled entry may still make.
    int owed;

    Entry(SimDescriptor descriptor) {
      this.descriptor = descriptor;
    }
  }

  private static final class Run {
    private final SimWorld world;
    private final SimPollerPort port;
    private final SimRandom random;
    private final Poller poller;

    /// False if the kernel reports late, so that a report may be outdated.
    private final boolean exact;

    private final PollerEvents events = new PollerEvents(8);
    private final List<Entry> entries = new ArrayList<>();
    private final List<Long> gone = new ArrayList<>();

    Run(SimWorld world) {
      this.world = world;
      this.port = new SimPollerPort(world);
      this.random = world.random();
      this.poller = Poller.open(MOST, port);
      this.exact = world.seed() % 3 != 0;
      if (exact) {
        world.faults().with(SimFault.DELAY, 0).with(SimFault.SMALL_BATCH, 0);
      }
    }

    void run() throws SysException {
      try (poller) {
        for (int step = 0; step < STEPS; step++) {
          for (int i = random.below(3); i > 0; i--) {
            change();
          }
          for (int i = random.below(4); i > 0; i--) {
            world.scheduler().after(random.skewed(2_000_000), this::changeQuietly);
          }
          await(random.skewed(8), random.chance(300) ? 0 : random.skewed(3_000_000));
        }
        settle();
      }
    }

    private void changeQuietly() {
      try {
        change();
      } catch (SysException e) {
        throw world.violation(e.toString());
      }
    }

    private void change() throws SysException {
      if (entries.isEmpty() || (entries.size() < MOST && random.chance(200))) {
        add();
        return;
      }
      Entry entry = entries.get(random.below(entries.size()));
      switch (random.below(8)) {
        case 0 -> remove(entry);
        case 1 -> {
          poller.disable(entry.handle);
          entry.enabled = false;
        }
        case 2 -> enable(entry);
        case 3 -> {
          want(entry);
          poller.modify(entry.handle, entry.auto ? mode(entry) : entry.wanted);
        }
        case 4 -> poller.wakeup();
        default -> {
          entry.ready = random.below(8) & (Poller.IN | Poller.OUT);
          entry.lately |= entry.ready;
          entry.descriptor.ready(entry.ready);
        }
      }
    }

    private void add() throws SysException {
      Entry entry = new Entry(port.engine().openDescriptor());
      want(entry);
      entry.auto = random.chance(400);
      entry.enabled = true;
      entry.owed = 1;
      entry.handle = poller.add(entry.descriptor.fd(), entry.auto ? mode(entry) : entry.wanted);
      world.check(!gone.contains(entry.handle), "a handle came back");
      entries.add(entry);
    }

    private void want(Entry entry) {
      entry.wanted = random.below(8) & (Poller.IN | Poller.OUT);
    }

    private static int mode(Entry entry) {
      return entry.wanted | Poller.AUTO_DISABLE;
    }

    private void enable(Entry entry) {
      world.check(poller.enable(entry.handle) == 0, "enable of a member");
      entry.enabled = true;
      entry.owed = 1;
    }

    private void remove(Entry entry) throws SysException {
      poller.remove(entry.handle);
      world.check(poller.enable(entry.handle) < 0, "a removed entry was enabled");
      gone.add(entry.handle);
      entries.remove(entry);
      entry.descriptor.close();
    }

    private void await(int max, long timeoutNanos) {
      int count = poller.await(events, max, timeoutNanos);
      world.check(count <= max, "more than asked for");
      for (int i = 0; i < count; i++) {
        reported(events.handle(i), events.descriptor(i), events.events(i));
      }
      for (Entry entry : entries) {
        entry.lately = entry.ready;
      }
    }

    private void reported(long handle, int fd, int bits) {
      Entry entry = null;
      for (Entry each : entries) {
        entry = each.handle == handle ? each : entry;
      }
      if (entry == null) {
        throw world.violation("reported, but no member: " + handle);
      }
      world.check(entry.descriptor.fd() == fd, "another descriptor");
      world.check(entry.enabled, "reported while disabled");
      world.check(bits != 0 && (bits & ~entry.wanted) == 0, "events without interest: " + bits);
      world.check(!exact || (bits & ~entry.lately) == 0, "events that were never there: " + bits);
      if (entry.auto) {
        world.check(entry.owed-- > 0, "reported twice without being enabled");
        entry.enabled = false;
      }
    }

    /// Checks that every ready entry is reported soon if nothing changes any more.
    private void settle() {
      world.faults().withBudget(0);
      while (!world.scheduler().isEmpty()) {
        await(8, 1_000_000);
      }
      List<Entry> missing = new ArrayList<>();
      for (Entry entry : entries) {
        if (entry.enabled && (entry.ready & entry.wanted) != 0) {
          missing.add(entry);
        }
      }
      for (int i = 0; i < 4 * MOST; i++) {
        await(3, 10_000);
        for (int k = 0; k < events.count(); k++) {
          long handle = events.handle(k);
          missing.removeIf(entry -> entry.handle == handle);
        }
      }
      world.check(missing.isEmpty(), missing.size() + " ready entries were never reported");
    }
  }
}

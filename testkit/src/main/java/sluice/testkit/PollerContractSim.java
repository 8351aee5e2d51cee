package sluice.testkit;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.loop.poller.Poller;
import sluice.testkit.sim.SimDescriptor;
import sluice.testkit.sim.SimPollerPort;
import sluice.testkit.sim.SimWorld;

/// A world on the simulated kernel: subjects and time are simulated. Owned by the thread that runs
/// the simulation, on which all actions run.
public final class PollerContractSim implements PollerContractWorld {
  private final SimWorld world;
  private SimPollerPort port;
  private @Nullable Poller poller;

  public PollerContractSim(SimWorld world) {
    this.world = world;
    this.port = new SimPollerPort(world);
  }

  private record Simulated(SimDescriptor descriptor) implements Subject {
    @Override
    public int fd() {
      return descriptor.fd();
    }

    @Override
    public void readable(boolean readable) {
      descriptor.ready(readable ? Poller.IN | Poller.OUT : Poller.OUT);
    }

    @Override
    public void close() {
      descriptor.close();
    }
  }

  /// Opens a poller with a port of its own. Subjects from now on are for this poller.
  @Override
  public Poller open(int maxEntries) throws IOException {
    if (poller != null) {
      port = new SimPollerPort(world);
    }
    Poller opened = Poller.open(maxEntries, port);
    poller = opened;
    return opened;
  }

  @Override
  public Subject subject() {
    Simulated subject = new Simulated(port.engine().openDescriptor());
    subject.readable(false);
    return subject;
  }

  @Override
  public void later(long delayNanos, Runnable action) {
    world.scheduler().after(delayNanos, action);
  }

  @Override
  public long nanos() {
    return world.clock().nanos();
  }

  @Override
  public void close() {
    if (poller != null) {
      poller.close();
    }
    world.close();
  }
}

package sluice.nio.ring;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.NetErrors;
import sluice.sys.Files;
import sluice.sys.Sockets;

/// Sends staged bytes whose thread does not come back to its selector, and what closed channels
/// have left. One daemon thread per JVM that looks once a millisecond, less often once it has
/// looked for nothing long enough, and is parked while no ring has staged anything for a while; any
/// thread hands work to it. A process that exits sends what is staged first, as the kernel would; a
/// process that is killed or halted does not.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `rings`, `streams`, `orphans`, `thread` | any thread | under the class's lock | the same |
/// | `needless` | the flusher | plain | plain |
final class Flusher {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /// Each look interrupts a selecting thread on its core; those that come back by themselves need
  /// fewer.
  private static final long CALM_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  /// Looks for nothing, one after the other, from which on they are calm.
  private static final int CALM = 100;

  private static final int IDLE_TICKS = 20;
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final List<Watch> rings = new ArrayList<>();
  private static final List<RingStream> streams = new ArrayList<>();
  private static final List<Orphan> orphans = new ArrayList<>();
  private static @Nullable Thread thread;
  private static int needless;

  private Flusher() {}

  /// A ring and when it was seen last.
  private static final class Watch {
    final SelectorRing ring;
    int turns;
    int idle;

    Watch(SelectorRing ring) {
      this.ring = ring;
      this.turns = ring.turns();
    }

    /// @return whether to look again
    boolean look() {
      int now = ring.turns();
      if (ring.hasStaged()) {
        idle = 0;
        if (now == turns) {
          needless = 0;
          ring.flushStale();
        }
      } else {
        idle++;
      }
      turns = now;
      return idle < IDLE_TICKS && !ring.isDead();
    }
  }

  /// The rest of a channel that is closed.
  private static final class Orphan {
    final int fd;
    final byte[] rest;
    final long since = System.nanoTime();
    int sent;

    Orphan(int fd, byte[] rest) {
      this.fd = fd;
      this.rest = rest;
    }

    /// @return whether to try again
    boolean send() {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, rest);
        int flags = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;
        int n = Sockets.send(fd, bytes, sent, rest.length - sent, flags);
        sent += Math.max(0, n);
        boolean waits = NetErrors.again(n) || (n >= 0 && sent < rest.length);
        if (waits && System.nanoTime() - since < TIMEOUT_NANOS) {
          return true;
        }
      }
      int _ = Sockets.shutdown(fd, Sockets.SHUT_RDWR); // a ring may still keep the socket open
      Files.close(fd);
      return false;
    }
  }

  /// Looks after a ring that has staged bytes.
  static synchronized void watch(SelectorRing ring) {
    if (!ring.watched()) {
      ring.watched(true);
      rings.add(new Watch(ring));
      wake();
    }
  }

  /// Sends what a stream has staged, as soon as it goes.
  static synchronized void finishLater(RingStream stream) {
    if (!streams.contains(stream)) {
      streams.add(stream);
      wake();
    }
  }

  /// Sends the rest of a channel that is closed, then closes the descriptor. Gives up after a
  /// minute.
  static synchronized void finish(int fd, byte[] rest) {
    orphans.add(new Orphan(fd, rest));
    wake();
  }

  private static void wake() {
    Thread running = thread;
    if (running == null) {
      thread = Thread.ofPlatform().daemon().name("sluice-nio-flusher").start(Flusher::run);
      try {
        Thread hook = Thread.ofPlatform().name("sluice-nio-exit").unstarted(Flusher::flushAll);
        Runtime.getRuntime().addShutdownHook(hook);
      } catch (IllegalStateException exiting) {
        // the thread above has until the process ends
      }
    } else {
      LockSupport.unpark(running);
    }
  }

  private static void run() {
    while (true) {
      if (isIdle()) {
        LockSupport.park(Flusher.class);
      } else {
        LockSupport.parkNanos(Flusher.class, needless < CALM ? TICK_NANOS : CALM_NANOS);
        tick();
      }
      boolean _ = Thread.interrupted(); // by nothing of ours: it would end each later wait at once
    }
  }

  /// Sends what can be sent without waiting. The thread of the shutdown hook.
  private static synchronized void flushAll() {
    for (Watch watch : rings) {
      watch.ring.flushStale();
    }
    for (RingStream stream : streams) {
      boolean _ = stream.flushStale();
    }
    orphans.removeIf(orphan -> !orphan.send());
  }

  private static synchronized boolean isIdle() {
    return rings.isEmpty() && streams.isEmpty() && orphans.isEmpty();
  }

  private static void tick() {
    List<Watch> watches;
    List<RingStream> waiting;
    synchronized (Flusher.class) {
      watches = List.copyOf(rings);
      waiting = List.copyOf(streams);
      orphans.removeIf(orphan -> !orphan.send());
      needless = waiting.isEmpty() && orphans.isEmpty() ? needless + 1 : 0;
    }
    for (Watch watch : watches) {
      if (!watch.look()) {
        synchronized (Flusher.class) {
          if (!watch.ring.hasStaged()) {
            watch.ring.watched(false);
            rings.remove(watch);
          }
        }
      }
    }
    for (RingStream stream : waiting) {
      if (!stream.channel().isOpen() || stream.flushStale()) {
        synchronized (Flusher.class) {
          streams.remove(stream);
        }
      }
    }
  }
}

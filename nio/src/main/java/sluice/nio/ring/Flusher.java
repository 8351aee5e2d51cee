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

/// Sends staged bytes if their thread does not return to its selector, and the remaining bytes of
/// closed channels. A single daemon thread per JVM checks once per millisecond, or less often after
/// many unnecessary checks, and is parked if no ring has staged bytes for some time. Any thread may
/// submit work to it. Staged bytes are also sent when the process exits normally, as the kernel
/// would do, but not if the process is killed or halted.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `rings`, `streams`, `orphans`, `thread` | any thread | under the class's lock | the same |
/// | `needless` | the flusher | plain | plain |
final class Flusher {
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /// The period after many unnecessary checks. Each check interrupts a selecting thread that runs
  /// on the same core, and threads that return to their selector by themselves need fewer checks.
  private static final long CALM_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  /// The number of consecutive unnecessary checks after which the longer period applies.
  private static final int CALM = 100;

  private static final int IDLE_TICKS = 20;
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final List<Watch> rings = new ArrayList<>();
  private static final List<RingStream> streams = new ArrayList<>();
  private static final List<Orphan> orphans = new ArrayList<>();
  private static @Nullable Thread thread;
  private static int needless;

  private Flusher() {}

  /// A watched ring and its number of turns at the time of the last check.
  private static final class Watch {
    final SelectorRing ring;
    int turns;
    int idle;

    Watch(SelectorRing ring) {
      this.ring = ring;
      this.turns = ring.turns();
    }

    /// Checks the ring.
    ///
    /// @return true if the ring must be checked again
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

  /// The unsent bytes of a closed channel.
  private static final class Orphan {
    final int fd;
    final byte[] rest;
    final long since = System.nanoTime();
    int sent;

    Orphan(int fd, byte[] rest) {
      this.fd = fd;
      this.rest = rest;
    }

    /// Sends as many bytes as the socket accepts.
    ///
    /// @return true if unsent bytes remain
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

  /// Starts watching a ring that has staged bytes.
  static synchronized void watch(SelectorRing ring) {
    if (!ring.watched()) {
      ring.watched(true);
      rings.add(new Watch(ring));
      wake();
    }
  }

  /// Sends the staged bytes of a stream as soon as the socket accepts them.
  static synchronized void finishLater(RingStream stream) {
    if (!streams.contains(stream)) {
      streams.add(stream);
      wake();
    }
  }

  /// Sends the remaining bytes of a closed channel and then closes the descriptor. The attempt is
  /// abandoned after one minute.
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
        // Ignored, because the flusher runs until the process exits.
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

  /// Sends all bytes that can be sent without blocking. Called on the thread of the shutdown hook.
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

package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

/// Tests of each way in which code leaves objects in the JVM: after the end of its domain, nothing
/// keeps the domain's classes reachable.
@Timeout(300)
final class LeakTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OfSerialization",
        "OfBundle",
        "OfBean",
        "OfReflection",
        "OfThreadLocal",
        "OfTimer",
        "OfPool",
        "OfHandler",
        "OfClassValue",
        "OfIntrospector",
        "OfDriver",
        "OfDriverThatTells",
        "OfLogger",
        "OfLevels",
      })
  void nothingHoldsTheClassesOfAnEndedDomain(String guest) throws Exception {
    WeakReference<ClassLoader> loader = inItsOwnThread(guest);
    collected(loader);
  }

  /// Checks levels, whose names and numbers the JVM-wide table keeps forever.
  @Test
  void noLevelOfADomainIsInTheTableOfTheJvm() throws Exception {
    Field names =
        Class.forName("java.util.logging.Level$KnownLevel").getDeclaredField("nameToLevels");
    names.setAccessible(true);
    inItsOwnThread("OfLevels");
    assertThat(((Map<?, ?>) names.get(null)).keySet().stream().map(String::valueOf))
        .contains("INFO")
        .noneMatch(name -> name.equals("LEAKED") || name.startsWith("10000"));
  }

  /// Checks a driver that cannot be deregistered: the domain ends nevertheless, and so does its
  /// loop.
  @Test
  void aDriverWhoseTextDoesNotEndHoldsNoEnd() throws Exception {
    assertThat(inItsOwnThread("OfDriverThatLoops")).isNotNull();
    Await.until(
        "its loop to end",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("sluice-drivers")));
  }

  private static WeakReference<ClassLoader> inItsOwnThread(String guest) throws Exception {
    Domain domain = Guests.domain();
    Runnable leak = (Runnable) Guests.create(domain, "Leaks$" + guest);
    Throwable[] problem = new Throwable[1];
    domain
        .start(
            guest,
            () -> {
              try {
                leak.run();
              } catch (RuntimeException e) {
                problem[0] = e;
              }
            })
        .join();
    assertThat(problem[0]).isNull();
    domain.kill();
    assertThat(domain.awaitEnd(LONG)).isTrue();
    return new WeakReference<>(domain.loader());
  }

  /// Waits until the loader is collected. A collection may clear an entry of [SerialCaches] after
  /// the end while the classes are still alive; the next end removes it.
  private static void collected(WeakReference<ClassLoader> loader) throws Exception {
    Await.until(
        "the classes to be collected",
        () -> {
          System.gc();
          if (loader.get() == null) {
            return true;
          }
          Domain next = Guests.domain();
          next.kill();
          assertThat(next.awaitEnd(LONG)).isTrue();
          return false;
        });
  }

  /// Checks an entry that is cleared while the domain is alive, which keeps its class in a queue.
  @Test
  void aClearedEntryOfSerializationHoldsNoClass() throws Exception {
    WeakReference<ClassLoader> loader = clearedWhileItLives();
    Await.until(
        "the entry to be taken out, which comes into the queue some time after a collection",
        () -> {
          SerialCaches.dropCleared();
          System.gc();
          return loader.get() == null;
        });
  }

  private static WeakReference<ClassLoader> clearedWhileItLives() throws Exception {
    WeakReference<ClassLoader> loader = inItsOwnThread("OfSerialization");
    ClassLoader alive = loader.get();
    try {
      System.gc(); // the clock by which soft references age stands still between collections
      System.gc(); // clears all that were not used since, see SoftRefLRUPolicyMSPerMB in pom.xml
    } finally {
      Reference.reachabilityFence(alive);
    }
    return loader;
  }

  /// Checks a value in a thread of the host: it lives as long as that thread.
  @Test
  void aThreadLocalOfTheHostsThreadGoesWithTheThread() throws Exception {
    collected(inAThreadOfTheHost());
  }

  private static WeakReference<ClassLoader> inAThreadOfTheHost() throws Exception {
    Domain domain = Guests.domain();
    Thread host =
        Thread.ofPlatform()
            .start(() -> {
              try {
                Runnable leak = (Runnable) Guests.create(domain, "Leaks$OfThreadLocal");
                domain.call(() -> {
                  leak.run();
                  return 0;
                });
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    host.join();
    domain.kill();
    assertThat(domain.awaitEnd(LONG)).isTrue();
    return new WeakReference<>(domain.loader());
  }

  /// Checks unlimited native memory of a domain, which is released when the domain ends.
  @Test
  void directBuffersAreFreedAfterTheEnd() throws Exception {
    BufferPoolMXBean direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    long before = direct.getMemoryUsed();
    inItsOwnThread("OfBuffers");
    Await.until(
        "32 MB of buffers to be freed",
        () -> {
          System.gc();
          return direct.getMemoryUsed() < before + (16 << 20);
        });
  }
}

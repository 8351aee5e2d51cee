package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import javax.management.MBeanServerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Checks that a domain cannot affect threads of other parties or JVM-wide settings. The lists of
/// `JdkListsTest` have the relevant calls.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class OthersTest {
  @TempDir static Path classes = Path.of(".");

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @BeforeAll
  static void compile() throws IOException {
    CompiledGuests.compile(classes);
  }

  private Domain domain() throws IOException {
    PrintStream both = new PrintStream(printed, true, StandardCharsets.UTF_8);
    return Domain.create(
        CompiledGuests.config(classes)
            .withStreams(new DomainConfig.Streams(InputStream.nullInputStream(), both, both)));
  }

  private static @Nullable Object inThread(Domain domain, String name) throws Exception {
    Callable<?> guest = (Callable<?>) CompiledGuests.create(domain, name);
    Object[] result = new Object[1];
    domain
        .start(
            "of-the-guest",
            () -> {
              try {
                result[0] = guest.call();
              } catch (Exception e) {
                result[0] = e;
              }
            })
        .join();
    return result[0];
  }

  private static List<@Nullable Object> ofJvm() throws Exception {
    List<@Nullable Object> values = new ArrayList<>();
    for (String each :
        List.of(
            "java.sql.DriverManager.getLogWriter",
            "java.sql.DriverManager.getLoginTimeout",
            "javax.imageio.ImageIO.getUseCache",
            "javax.imageio.ImageIO.getCacheDirectory")) {
      int dot = each.lastIndexOf('.');
      Method getter = Class.forName(each.substring(0, dot)).getMethod(each.substring(dot + 1));
      values.add(getter.invoke(null));
    }
    values.add(MBeanServerFactory.findMBeanServer(null).size());
    return values;
  }

  @Test
  void settingsOfTheJvmAreTheDomainsOwn() throws Exception {
    List<@Nullable Object> before = ofJvm();
    try (Domain domain = domain()) {
      assertThat(inThread(domain, "Settings"))
          .isEqualTo(List.of("of the guest", true, 7, false, true, "guest"));
      assertThat(ofJvm()).as("while it lives").isEqualTo(before);
      assertThat(Guests.text(printed)).contains("said by the guest", "CompiledGuest$Settings.call");
    }
    assertThat(ofJvm()).as("after its end").isEqualTo(before);
  }

  @Test
  @SuppressWarnings({"unchecked", "ThreadPriorityCheck"})
  void aThreadOfTheHostIsNeitherInterruptedNorChanged() throws Exception {
    Thread host = Thread.ofPlatform().daemon().name("of the host").start(LockSupport::park);
    try (Domain domain = domain()) {
      Object guest = CompiledGuests.create(domain, "Others");
      List<String> results =
          domain.call(() -> ((Function<Thread, List<String>>) guest).apply(host));
      assertThat(results)
          .containsExactly(
              "Thread.interrupt of a thread",
              "Thread.interrupt of a thread",
              "Thread.setName of a thread",
              "Thread.setPriority of a thread",
              "Thread.setContextClassLoader of a thread",
              "Thread.setUncaughtExceptionHandler of a thread",
              "ThreadGroup.interrupt of a group of threads",
              "ThreadGroup.enumerate of a group of threads",
              "ThreadGroup.setMaxPriority of a group of threads");
      assertThat(host.isInterrupted()).isFalse();
      assertThat(host.getName()).isEqualTo("of the host");
      List<String> own =
          domain.call(() -> ((Function<Thread, List<String>>) guest).apply(Thread.currentThread()));
      assertThat(Thread.interrupted()).as("a caller may be, by itself").isTrue();
      assertThat(own.get(5)).isEqualTo("Thread.setUncaughtExceptionHandler of a thread");
    } finally {
      Thread.currentThread().setName("main");
      Thread.currentThread().setPriority(Thread.NORM_PRIORITY);
      Thread.currentThread().setContextClassLoader(OthersTest.class.getClassLoader());
      LockSupport.unpark(host);
    }
  }

  /// Checks providers and beans of the JVM, which can be read but not changed.
  @Test
  void objectsThatTheJvmHasOnceAreNotChanged() throws Exception {
    String provider = "changing provider " + Security.getProviders()[0].getName();
    try (Domain domain = domain()) {
      assertThat((List<?>) inThread(domain, "Singletons"))
          .hasToString(
              List.of(
                      provider,
                      provider,
                      "done",
                      "listening to java.lang:type=Memory",
                      "java.lang:type=Memory", // it has no listeners
                      "setting Verbose of java.lang:type=Memory",
                      "resetPeakThreadCount of java.lang:type=Threading",
                      "done",
                      "done",
                      "done")
                  .toString());
    }
    assertThat(Security.getProviders()[0]).doesNotContainKey("sluice.guest");
  }

  @Test
  void aDomainSeesItsOwnThreadsOnly() throws Exception {
    try (Domain domain = domain()) {
      String group = "domain-" + domain.name();
      assertThat(inThread(domain, "Sees"))
          .isEqualTo("[of-the-guest, waiting] null " + group + " " + group + " of-the-guest true");
    }
  }
}

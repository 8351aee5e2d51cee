package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks that refused calls throw at the call, while the class of the guest is loaded.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class RefusedCallsTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private static Object call(Domain domain, String name) throws Exception {
    return domain.call((Callable<?>) Guests.create(domain, "RefusedUses$" + name));
  }

  @Test
  void aClassWithACallThatIsNotMadeWorks() throws Exception {
    try (Domain domain = Guests.domain()) {
      assertThat(call(domain, "NotCalled")).isEqualTo("works");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Called, call, java.lang.System.exit",
    "ByReference, call, java.lang.System.exit",
    "ByLambda, lambda$call$0, java.lang.System.exit",
    "ByReflection, exits, java.lang.Runtime.halt",
    "ByHandle, exits, java.lang.Runtime.halt",
    "WideArguments, call, java.lang.foreign.MemorySegment.ofAddress",
    "Constructor, call, java.util.Timer.<init>",
    "Initializer, $Holder.<clinit>, java.lang.ProcessHandle.current",
    "BeforeSuper, $Below.<init>, java.lang.ProcessHandle.current",
    "ReferenceToPool, call, java.util.concurrent.Executors.newCachedThreadPool",
    "ReferenceToSocket, call, java.net.Socket.<init>",
    "GivesPattern, call, java.util.Scanner.next",
    "RefersWithPattern, call, java.util.Scanner.skip",
    "Mixed, exits, java.lang.ProcessHandle.current"
  })
  void throwsWhereItIsCalled(String name, String method, String member) throws Exception {
    try (Domain domain = Guests.domain()) {
      assertThatThrownBy(() -> call(domain, name))
          .isExactlyInstanceOf(SecurityException.class)
          .message()
          .startsWith(
              "sluice.domain.guest.RefusedUses$"
                  + name
                  + (method.startsWith("$") ? "" : ".")
                  + method)
          .containsPattern(", line [1-9]\\d*: ")
          .contains(member + ". Why: ", ". Fix: ");
    }
  }

  @Test
  void theGuestCanCatchIt() throws Exception {
    String thrown = SecurityException.class.getName();
    try (Domain domain = Guests.domain()) {
      assertThat(call(domain, "Caught"))
          .isEqualTo(List.of(thrown, "finally 0", thrown, "finally 1", "caught"));
    }
  }

  /// Checks that catching the exception repeatedly does not delay the end.
  @ParameterizedTest
  @ValueSource(strings = {"ForEver", "ForEverOnAFullStack"})
  void holdsUpNoEnd(String name) throws Exception {
    try (Domain domain = Guests.domain()) {
      Thread thread = domain.start(name, (Runnable) Guests.create(domain, "RefusedUses$" + name));
      Thread.sleep(60);
      assertThat(thread.isAlive()).isTrue();
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
  }
}

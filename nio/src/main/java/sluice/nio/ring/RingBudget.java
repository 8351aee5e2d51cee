package sluice.nio.ring;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The limit on the total memory of all rings in this JVM. Any thread may call.
public final class RingBudget {
  /// The system property for the limit in MiB, from 16 to 1024, or 0 to disable rings.
  public static final String PROPERTY = "sluice.nio.memory";

  private static final int MIN_MIB = 16;
  private static final int MAX_MIB = 1024;

  private RingBudget() {}

  /// Returns the total memory in MiB that the rings of this JVM may use. The default is one eighth
  /// of the maximum heap size, but at least 32 and at most 256.
  ///
  /// @param properties returns the value of a system property, or null if it is not set
  /// @throws IllegalArgumentException if the property has an invalid value
  public static int mib(UnaryOperator<@Nullable String> properties) {
    String text = properties.apply(PROPERTY);
    if (text == null) {
      return Math.clamp(Runtime.getRuntime().maxMemory() / (8 << 20), 32, 256);
    }
    if (text.matches("[0-9]{1,4}")) {
      int value = Integer.parseInt(text);
      if (value == 0 || (value >= MIN_MIB && value <= MAX_MIB)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "-D%s=%s: not a number of MiB from %d to %d, or 0 for selectors without rings."
            .formatted(PROPERTY, text, MIN_MIB, MAX_MIB));
  }
}

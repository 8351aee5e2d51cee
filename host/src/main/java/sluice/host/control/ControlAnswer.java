package sluice.host.control;

import java.util.List;

/// The answer to a request. Immutable.
///
/// @param isDone true if all that was asked for was done
/// @param lines shown by the command that asked; without line ends
public record ControlAnswer(boolean isDone, List<String> lines) {
  /// Copies the lines.
  public ControlAnswer {
    lines = List.copyOf(lines);
  }

  /// Returns the answer to what was done.
  public static ControlAnswer done(String... lines) {
    return new ControlAnswer(true, List.of(lines));
  }

  /// Returns the answer to what was refused, with why.
  public static ControlAnswer refused(String... lines) {
    return new ControlAnswer(false, List.of(lines));
  }
}

package sluice.host.control;

import java.util.List;

/// The answer to a control request. Instances are immutable.
///
/// @param isDone true if the request was executed completely
/// @param lines the lines that the requesting command prints, without line ends
public record ControlAnswer(boolean isDone, List<String> lines) {
  /// Copies the lines.
  public ControlAnswer {
    lines = List.copyOf(lines);
  }

  /// Returns the answer to a request that has been executed.
  public static ControlAnswer done(String... lines) {
    return new ControlAnswer(true, List.of(lines));
  }

  /// Returns the answer to a request that has been refused for the given reason.
  public static ControlAnswer refused(String... lines) {
    return new ControlAnswer(false, List.of(lines));
  }
}

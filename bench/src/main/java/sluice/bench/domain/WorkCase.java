package sluice.bench.domain;

import java.io.IOException;
import java.util.List;

/// A case whose systems each do the same work in a process of their own. Immutable.
///
/// @param quick true if `--quick` runs it
/// @param systems Sluice's first
record WorkCase(String name, boolean quick, List<String> systems) {
  /// The metric that is measured in each round.
  static final String METRIC = "ns_per_call";

  static IOException unknown(String name, String system) {
    return new IOException("case " + name + " has no system " + system);
  }
}

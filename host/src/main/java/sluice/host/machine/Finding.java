package sluice.host.machine;

import java.util.LinkedHashMap;
import java.util.Map;

/// A finding of `sluice doctor`.
///
/// @param name the examined feature, for example `io_uring`
/// @param status the verdict
/// @param found the observed state with its source
/// @param fix the exact command or setting that improves the state, or empty if no action is
///   required
public record Finding(String name, Status status, String found, String fix) {
  /// The verdict on a feature.
  public enum Status {
    /// No action is required.
    AVAILABLE,
    /// The feature can be used, but it has a limit that a busy server can reach.
    LIMITED,
    /// The feature cannot be used, and another feature is used instead.
    BLOCKED
  }

  static Finding available(String name, String found) {
    return new Finding(name, Status.AVAILABLE, found, "");
  }

  static Finding limited(String name, String found, String fix) {
    return new Finding(name, Status.LIMITED, found, fix);
  }

  static Finding blocked(String name, String found, String fix) {
    return new Finding(name, Status.BLOCKED, found, fix);
  }

  public Map<String, Object> asJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", name);
    json.put("status", status.name().toLowerCase(java.util.Locale.ROOT));
    json.put("found", found);
    json.put("fix", fix);
    return json;
  }
}

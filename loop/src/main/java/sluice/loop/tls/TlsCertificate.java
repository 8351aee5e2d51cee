package sluice.loop.tls;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/// A server's certificate that was read from a file. Immutable, so any thread may read it.
///
/// @param file the PEM file
/// @param names the host names for which it is valid, in lower case, with `*` for a single label;
///   may be empty
/// @param notAfter the time at which it expires
public record TlsCertificate(Path file, List<String> names, Instant notAfter) {
  /// Copies the names.
  public TlsCertificate {
    names = List.copyOf(names);
  }
}

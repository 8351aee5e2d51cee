package sluice.loop.tls;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/// A server's certificate, read from a file. Immutable: any thread may read.
///
/// @param file the PEM file
/// @param names the names of the hosts it is for, in lower case, `*` for a single label; may be
///   empty
/// @param notAfter the time of its expiry
public record TlsCertificate(Path file, List<String> names, Instant notAfter) {
  /// Copies the names.
  public TlsCertificate {
    names = List.copyOf(names);
  }
}

package sluice.host.life;

import java.io.IOException;

/// A listening socket that the service manager has passed, with its purpose. Immutable and
/// thread-safe.
///
/// @param fd the descriptor
/// @param use the purpose
public record PassedSocket(int fd, Use use) {
  /// The purpose of a socket.
  public enum Use {
    /// The site, with TLS if the server has a certificate.
    SITE,
    /// The site without TLS.
    HTTP,
    /// The site with TLS.
    HTTPS,
    /// Only `/metrics` and `/healthz`, without TLS.
    MONITORING
  }

  /// Returns the socket for a descriptor and the name given by `FileDescriptorName=`.
  ///
  /// @param name the name, or empty; without that setting systemd uses the name of the unit
  ///   (`web.socket`), or `unknown` if there is no unit
  /// @throws IOException if the name was chosen but is not known
  static PassedSocket named(int fd, String name) throws IOException {
    return switch (name) {
      case "http" -> new PassedSocket(fd, Use.HTTP);
      case "https" -> new PassedSocket(fd, Use.HTTPS);
      case "monitoring", "metrics" -> new PassedSocket(fd, Use.MONITORING);
      case "", "unknown" -> new PassedSocket(fd, Use.SITE);
      default -> {
        if (name.endsWith(".socket")) {
          yield new PassedSocket(fd, Use.SITE);
        }
        throw new IOException(
            "socket "
                + fd
                + " is named '"
                + name
                + "' in LISTEN_FDNAMES. Why: the name tells what a socket is for, and this one is"
                + " unknown. Fix: FileDescriptorName=http, https or monitoring in the socket unit,"
                + " or no such line.");
      }
    };
  }
}

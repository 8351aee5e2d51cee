package sluice.host.life;

import java.io.IOException;

/// A listening socket that the service manager has passed, and what it is for. Immutable: any
/// thread may read it.
///
/// @param fd its descriptor
public record PassedSocket(int fd, Use use) {
  /// What is answered on a socket.
  public enum Use {
    /// The site, with TLS exactly when the server has a certificate.
    SITE,
    /// The site without TLS.
    HTTP,
    /// The site with TLS.
    HTTPS,
    /// Only `/metrics` and `/healthz`, without TLS.
    MONITORING
  }

  /// The socket of a descriptor with the name that `FileDescriptorName=` has given it.
  ///
  /// @param name empty for none; systemd names a socket after its unit (`web.socket`) when the unit
  ///   says nothing, and `unknown` when there is no unit
  /// @throws IOException when the name was chosen, but is not one of ours
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

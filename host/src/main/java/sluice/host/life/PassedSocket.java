package sluice.host.life;

import java.io.IOException;

/// A listening socket that was passed by the service manager, together with its purpose. Instances
/// are immutable and thread-safe.
///
/// @param fd the descriptor of the socket
/// @param use the purpose of the socket
public record PassedSocket(int fd, Use use) {
  /// The purpose of a socket.
  public enum Use {
    /// The socket serves the site, with TLS if the server has a certificate.
    SITE,
    /// The socket serves the site without TLS.
    HTTP,
    /// The socket serves the site with TLS.
    HTTPS,
    /// The socket serves only `/metrics` and `/healthz`, without TLS.
    MONITORING
  }

  /// Returns the socket with the given descriptor and with the name that was set by
  /// `FileDescriptorName=`.
  ///
  /// @param name the name, which may be empty; if it is not set, systemd uses the name of the unit
  ///   (`web.socket`), or `unknown` if there is no unit
  /// @throws IOException if the name was set explicitly but is not known
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

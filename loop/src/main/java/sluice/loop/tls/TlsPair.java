package sluice.loop.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateParsingException;
import java.util.List;

/// A certificate chain and its private key, as files. Immutable: any thread may use it.
///
/// @param certificate PEM: the server's certificate, then its issuers
/// @param key PEM: an RSA, EC or Ed25519 key, not encrypted; may be the same file
public record TlsPair(Path certificate, Path key) {
  /// Returns the host names that clients get the certificate for (RFC 9525: DNS names of
  /// subjectAltName), in lower case, `*` for a single label; empty if it has none. Blocks on the
  /// file.
  ///
  /// @throws IOException with the file, the reason it is unusable, and the fix
  public List<String> names() throws IOException {
    try {
      return TlsNames.names(TlsPem.certificate(certificate));
    } catch (CertificateParsingException e) {
      throw new IOException(
          "cannot use "
              + certificate
              + " for TLS. Why: its subjectAltName is damaged. Fix: fetch it again.",
          e);
    }
  }

  /// Returns true if a certificate with these names is for a host. For a host such as
  /// `*.example.com` returns true if it is for any name below.
  ///
  /// @param names as returned by [#names]
  /// @param host in lower case, without a trailing dot
  public static boolean isFor(List<String> names, String host) {
    boolean below = host.startsWith("*.");
    return TlsNames.isFor(names, host)
        || (below && names.stream().anyMatch(name -> name.endsWith(host.substring(1))));
  }
}

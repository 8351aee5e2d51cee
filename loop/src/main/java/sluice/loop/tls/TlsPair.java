package sluice.loop.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateParsingException;
import java.util.List;

/// The files of a certificate chain and its private key. Immutable, so any thread may use it.
///
/// @param certificate a PEM file that contains the server's certificate, followed by its issuers
/// @param key a PEM file that contains an unencrypted RSA, EC or Ed25519 key; may be the same file
public record TlsPair(Path certificate, Path key) {
  /// Returns the host names for which clients receive the certificate (RFC 9525: DNS names of
  /// subjectAltName), in lower case, with `*` for a single label. The list is empty if the
  /// certificate has no names. Blocks while reading the file.
  ///
  /// @throws IOException if the file is unusable; the message states the file, the reason and the
  ///   fix
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

  /// Returns true if a certificate with the given names is valid for a host. For a host such as
  /// `*.example.com`, this method returns true if the certificate is valid for any name below it.
  ///
  /// @param names the names, as returned by [#names]
  /// @param host the host in lower case, without a trailing dot
  public static boolean isFor(List<String> names, String host) {
    boolean below = host.startsWith("*.");
    return TlsNames.isFor(names, host)
        || (below && names.stream().anyMatch(name -> name.endsWith(host.substring(1))));
  }
}

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
  /// The host names that clients get the certificate for (RFC 9525: DNS names of subjectAltName),
  /// in small letters, `*` for a single label; empty when it has none. Blocks on the file.
  ///
  /// @throws IOException naming the file, why it does not do, and the fix
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

  /// Whether a certificate of these names is for a host; for one such as `*.example.com` whether it
  /// is for any name below.
  ///
  /// @param names as [#names] has them
  /// @param host in small letters, without a dot at the end
  public static boolean isFor(List<String> names, String host) {
    boolean below = host.startsWith("*.");
    return TlsNames.isFor(names, host)
        || (below && names.stream().anyMatch(name -> name.endsWith(host.substring(1))));
  }
}

package sluice.loop;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// The certificates and keys in the test resources, and clients that trust them. Stateless.
final class TlsFiles {
  /// A handshake has the time that a busy machine takes.
  static final TlsOptions OPTIONS = TlsOptions.HTTP.withHandshakeTimeoutNanos(600_000_000_000L);

  private static final String[] CERTIFICATES = {"ec", "other", "rsa", "ed25519", "chain"};

  private TlsFiles() {}

  /// @param name such as `ec.pem`
  static Path file(String name) {
    URL found = TlsFiles.class.getResource("tls/test-only-" + name);
    try {
      return Path.of(Objects.requireNonNull(found, name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  static TlsContext context(String name) throws IOException {
    return context(name, OPTIONS);
  }

  static TlsContext context(String name, TlsOptions options) throws IOException {
    return TlsContext.load(file(name + ".pem"), file(name + ".key"), options);
  }

  /// A client's context that trusts every certificate here.
  static SSLContext client() {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (String name : CERTIFICATES) {
        try (InputStream in = Files.newInputStream(file(name + ".pem"))) {
          trusted.setCertificateEntry(name, factory.generateCertificate(in));
        }
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }
}

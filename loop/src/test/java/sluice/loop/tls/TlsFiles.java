package sluice.loop.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// The certificates and keys in the test resources, and clients that trust them. Stateless.
public final class TlsFiles {
  /// A handshake has the time that a busy machine takes.
  public static final TlsOptions OPTIONS =
      TlsOptions.HTTP.withHandshakeTimeoutNanos(600_000_000_000L);

  private static final String[] CERTIFICATES = {"ec", "other", "rsa", "ed25519", "chain"};

  private TlsFiles() {}

  /// @param name such as `ec.pem`
  public static Path file(String name) {
    URL found = TlsFiles.class.getResource("test-only-" + name);
    try {
      return Path.of(Objects.requireNonNull(found, name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  public static TlsContext context(String name) throws IOException {
    return context(name, OPTIONS);
  }

  public static TlsContext context(String name, TlsOptions options) throws IOException {
    return TlsContext.load(file(name + ".pem"), file(name + ".key"), options);
  }

  /// A client's context that trusts every certificate here.
  public static SSLContext client() {
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

  /// The server's certificate in a pair of files, encoded as DER.
  public static byte[] certificate(Path certificate, Path key)
      throws IOException, GeneralSecurityException {
    return TlsPem.read(certificate, key).chain().getFirst().getEncoded();
  }

  /// Puts a pair where a server reads it, with a time of its own.
  public static void install(String name, Path certificate, Path key, int seconds)
      throws IOException {
    copy(file(name + ".pem"), certificate, seconds);
    copy(file(name + ".key"), key, seconds);
  }

  private static void copy(Path from, Path to, int seconds) throws IOException {
    Path fresh = to.resolveSibling(to.getFileName() + ".new");
    Files.copy(from, fresh, StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(fresh, FileTime.fromMillis(1_000_000L + seconds * 1_000L));
    Files.move(fresh, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}

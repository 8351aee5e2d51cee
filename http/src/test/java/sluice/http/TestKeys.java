package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import sluice.testbase.Child;

/// A key and its certificate in PEM files, and a client that trusts it. One thread uses it.
///
/// @param trusted has the certificate
record TestKeys(Path certificate, Path key, KeyStore trusted) {
  private static final String PASSWORD = "for the test";

  private static @Nullable KeyStore generated;

  /// Generated once, because that takes another JVM.
  private static synchronized KeyStore generated() throws Exception {
    KeyStore known = generated;
    if (known == null) {
      known = generate("");
      generated = known;
    }
    return known;
  }

  /// @param more words for keytool, each with a space before it
  private static KeyStore generate(String more) throws Exception {
    Path directory = Files.createTempDirectory("keys");
    Path store = directory.resolve("keys.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    String words = "-genkeypair -keyalg EC -alias key -dname CN=localhost -storetype PKCS12" + more;
    ProcessBuilder builder = new ProcessBuilder(keytool);
    builder.command().addAll(List.of(words.split(" ")));
    builder.command().addAll(List.of("-keystore", store.toString()));
    builder.command().addAll(List.of("-storepass", PASSWORD));
    Child keys = Child.run(builder);
    assertThat(keys.exit()).as(keys.output()).isZero();
    KeyStore made = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      made.load(in, PASSWORD.toCharArray());
    }
    Files.delete(store);
    Files.delete(directory);
    return made;
  }

  /// Writes `c.pem` and `k.pem`; all tests have the same.
  static TestKeys make(Path directory) throws Exception {
    return write(generated(), directory);
  }

  /// Writes `c.pem` and `k.pem` of a certificate for these names.
  static TestKeys make(Path directory, int days, List<String> names) throws Exception {
    String all = names.stream().map("dns:"::concat).collect(Collectors.joining(","));
    return write(generate(" -validity " + days + " -ext san=" + all), directory);
  }

  private static TestKeys write(KeyStore made, Path directory) throws Exception {
    Key key = made.getKey("key", PASSWORD.toCharArray());
    Certificate certificate = made.getCertificate("key");
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("key", certificate);
    return new TestKeys(
        Files.writeString(directory.resolve("c.pem"), pem("CERTIFICATE", certificate.getEncoded())),
        Files.writeString(directory.resolve("k.pem"), pem("PRIVATE KEY", key.getEncoded())),
        trusted);
  }

  private static String pem(String kind, byte[] bytes) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
  }

  /// A handshake on a socket that is connected to the server.
  SSLSocket secure(Socket plain) throws GeneralSecurityException, IOException {
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", 0, false);
    socket.startHandshake();
    return socket;
  }
}

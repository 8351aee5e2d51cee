package sluice.loop.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Child;

/// Which of several certificates clients get.
@Timeout(240)
final class TlsNamesTest {
  private static final String PASSWORD = "for the test";

  @TempDir static Path directory = Path.of(".");

  @BeforeAll
  static void keys() throws Exception {
    make("first", "EC", "dns:first.example");
    make("wild", "RSA", "dns:*.example");
    make("one-rsa", "RSA", "dns:One.example,dns:www.one.example");
    make("one-ec", "EC", "dns:one.example");
  }

  private static void make(String name, String algorithm, String names) throws Exception {
    Path store = directory.resolve(name + ".p12");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-keyalg",
            algorithm,
            "-alias",
            "key",
            "-dname",
            "CN=" + name,
            "-ext",
            "san=" + names,
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            PASSWORD);
    Child keytool = Child.run(builder);
    assertThat(keytool.exit()).as(keytool.output()).isZero();
    KeyStore made = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      made.load(in, PASSWORD.toCharArray());
    }
    pem(name + ".pem", "CERTIFICATE", made.getCertificate("key").getEncoded());
    pem(name + ".key", "PRIVATE KEY", made.getKey("key", PASSWORD.toCharArray()).getEncoded());
  }

  private static void pem(String file, String kind, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Files.writeString(
        directory.resolve(file),
        "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
  }

  private static TlsPair pair(String name) {
    return new TlsPair(directory.resolve(name + ".pem"), directory.resolve(name + ".key"));
  }

  private static TlsContext context(String... names) throws IOException {
    return TlsContext.load(Arrays.stream(names).map(TlsNamesTest::pair).toList(), TlsOptions.HTTP);
  }

  /// Names of the certificate that a client gets.
  private static String served(TlsContext context, String protocol, String host) throws Exception {
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, new TrustManager[] {new TrustsAll()}, null);
    SSLEngine client = trusting.createSSLEngine();
    client.setUseClientMode(true);
    SSLParameters parameters = client.getSSLParameters();
    parameters.setProtocols(new String[] {protocol});
    if (!host.isEmpty()) {
      parameters.setServerNames(List.of(new SNIHostName(host)));
    }
    client.setSSLParameters(parameters);
    SSLEngine server = context.engine(0, Runnable::run);
    ByteBuffer toServer = ByteBuffer.allocate(64 << 10);
    ByteBuffer toClient = ByteBuffer.allocate(64 << 10);
    for (int i = 0; i < 100 && !(finished(client) && finished(server) && i > 2); i++) {
      step(client, toClient, toServer);
      step(server, toServer, toClient);
    }
    X509Certificate got = (X509Certificate) client.getSession().getPeerCertificates()[0];
    return got.getSubjectX500Principal().getName().substring("CN=".length());
  }

  private static boolean finished(SSLEngine engine) {
    return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
  }

  private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws Exception {
    in.flip();
    ByteBuffer plain = ByteBuffer.allocate(64 << 10);
    while (in.hasRemaining()) {
      if (engine.unwrap(in, plain).bytesConsumed() == 0 && !tasks(engine)) {
        break;
      }
      tasks(engine);
    }
    in.compact();
    while (engine.wrap(ByteBuffer.allocate(0), out).bytesProduced() > 0 || tasks(engine)) {
      // more to say
    }
  }

  private static boolean tasks(SSLEngine engine) {
    Runnable task = engine.getDelegatedTask();
    boolean any = task != null;
    while (task != null) {
      task.run();
      task = engine.getDelegatedTask();
    }
    return any;
  }

  private static final class TrustsAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  @Test
  void namesOfACertificate() throws Exception {
    assertThat(pair("one-rsa").names()).containsExactly("one.example", "www.one.example");
    List<String> wild = pair("wild").names();
    assertThat(wild).containsExactly("*.example");
    assertThat(TlsPair.isFor(wild, "a.example")).isTrue();
    assertThat(TlsPair.isFor(wild, "*.example")).isTrue();
    assertThat(TlsPair.isFor(wild, "a.b.example")).isFalse();
    assertThat(TlsPair.isFor(wild, "example")).isFalse();
    assertThat(TlsPair.isFor(List.of("a.b.example"), "*.b.example")).isTrue();
    assertThat(TlsPair.isFor(List.of(), "a.example")).isFalse();
    TlsPair none = new TlsPair(directory.resolve("none.pem"), directory.resolve("none.key"));
    assertThat(catchThrowable(none::names))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("none.pem")
        .hasMessageContaining("Fix: ");
  }

  @Test
  void aClientGetsTheCertificateOfTheNameItAsksFor() throws Exception {
    TlsContext context = context("first", "wild", "one-rsa", "one-ec");
    for (String protocol : List.of("TLSv1.3", "TLSv1.2")) {
      assertThat(served(context, protocol, "")).as(protocol).isEqualTo("first");
      assertThat(served(context, protocol, "first.example")).isEqualTo("first");
      assertThat(served(context, protocol, "FIRST.example")).isEqualTo("first");
      assertThat(served(context, protocol, "other.example")).isEqualTo("wild");
      assertThat(served(context, protocol, "www.one.example")).isEqualTo("one-rsa");
      assertThat(served(context, protocol, "one.example")).startsWith("one-");
      assertThat(served(context, protocol, "a.b.example")).as("one label").isEqualTo("first");
      assertThat(served(context, protocol, "unknown.invalid")).isEqualTo("first");
    }
  }

  @Test
  void allFilesAreReadAgainOrNone() throws Exception {
    for (String each : List.of("pem", "key")) {
      Files.copy(directory.resolve("one-ec." + each), directory.resolve("copy." + each));
    }
    TlsContext context = context("first", "copy");
    assertThat(served(context, "TLSv1.3", "one.example")).isEqualTo("one-ec");
    Files.writeString(directory.resolve("copy.pem"), "no certificate");
    assertThat(catchThrowable(context::reload))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("copy.pem");
    assertThat(served(context, "TLSv1.3", "one.example")).isEqualTo("one-ec");
    pemOf("wild");
    context.reload();
    assertThat(served(context, "TLSv1.3", "any.example")).isEqualTo("wild");
  }

  private static void pemOf(String name) throws IOException {
    for (String each : List.of("pem", "key")) {
      Files.writeString(
          directory.resolve("copy." + each),
          Files.readString(directory.resolve(name + "." + each)));
    }
  }
}

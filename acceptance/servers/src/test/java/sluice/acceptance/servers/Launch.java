package sluice.acceptance.servers;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// What the main classes of the servers share. Called by the main thread of such a process; the
/// shutdown hook runs in a thread of its own.
///
/// @param keyStore PKCS #12, or null for plain text
/// @param directory where the server may write
/// @param variant one of several ways to run the server, or empty
record Launch(@Nullable Path keyStore, Path directory, String variant) {
  static final String HOST = "127.0.0.1";
  static final String PASSWORD = "changeit";

  /// Lies beside the key store.
  static final String TRUST_STORE = "trust.p12";

  /// Begins the line that tells the port.
  static final String READY = "ready on port ";

  /// Printed when the server has stopped without an exception.
  static final String STOPPED = "stopped";

  /// Ends a server.
  interface Stop {
    /// Returns when nothing listens any longer.
    void stop() throws Exception;
  }

  static Launch of(String[] arguments) {
    return new Launch(
        arguments[0].isEmpty() ? null : Path.of(arguments[0]), Path.of(arguments[1]), arguments[2]);
  }

  boolean secure() {
    return keyStore != null;
  }

  Path requiredKeyStore() {
    if (keyStore == null) {
      throw new IllegalStateException("started without a key");
    }
    return keyStore;
  }

  /// The server's certificate without its key.
  Path trustStore() {
    return requiredKeyStore().resolveSibling(TRUST_STORE);
  }

  KeyManagerFactory keys() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(requiredKeyStore())) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
    keys.init(store, PASSWORD.toCharArray());
    return keys;
  }

  /// A server's context.
  SSLContext context() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys().getKeyManagers(), null, null);
    return context;
  }

  /// A client's context, which trusts any peer: the peer is our own child.
  static SSLContext trusting() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new Trusting()}, null);
    return context;
  }

  private static final class Trusting implements X509TrustManager {
    @Override
    public void checkClientTrusted(
        java.security.cert.X509Certificate[] chain, String authenticationType) {}

    @Override
    public void checkServerTrusted(
        java.security.cert.X509Certificate[] chain, String authenticationType) {}

    @Override
    public java.security.cert.X509Certificate[] getAcceptedIssuers() {
      return new java.security.cert.X509Certificate[0];
    }
  }

  /// Tells that the server runs, and stops it when the process is told to end.
  static void ready(int port, Stop stop) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> {
              try {
                stop.stop();
                System.out.println(STOPPED);
              } catch (Exception e) {
                e.printStackTrace(System.out);
              }
            }));
    System.out.println(READY + port);
  }
}

package sluice.loop.tls;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import sluice.loop.sockets.Log;

/// A server's certificate chain and private key, read from PEM files that may be replaced while the
/// server runs. Any thread may call. Loops obtain an engine from it for each connection.
///
/// Only TLS 1.2 and 1.3 with forward secrecy and authenticated encryption are supported. Sessions
/// are resumed. New files are used for new connections. Unusable files are rejected: the previously
/// loaded files remain in use, and the reason is thrown or logged, and stored in [#lastFailure].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | current, failure | holder of `loading` | volatile | volatile |
/// | triedStamp | holder of `loading` | plain | plain |
/// | nextCheckNanos | any loop | volatile | compareAndSet |
public final class TlsContext {
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  /// The number of sessions cached for resumption. The sessions of TLS 1.3 are stored by the
  /// clients.
  private static final int SESSION_CACHE_ENTRIES = 4096;

  private static final int SESSION_SECONDS = 4 * 3600;

  private record Loaded(
      SSLContext context, List<String> ciphers, List<TlsCertificate> certificates) {}

  private final List<TlsPair> pairs;
  private final TlsOptions options;
  private final ReentrantLock loading = new ReentrantLock();
  private final AtomicLong nextCheckNanos = new AtomicLong(Long.MIN_VALUE);
  private volatile Loaded current;
  private volatile @Nullable String failure;
  private String triedStamp;

  private TlsContext(List<TlsPair> pairs, TlsOptions options) throws IOException {
    this.pairs = List.copyOf(pairs);
    this.options = options;
    this.triedStamp = stamp();
    this.current = read();
  }

  /// Loads the files for HTTP/1.1, as [#load(Path, Path, TlsOptions)] does.
  public static TlsContext load(Path certificateFile, Path keyFile) throws IOException {
    return load(certificateFile, keyFile, TlsOptions.HTTP);
  }

  /// Reads the files.
  ///
  /// @param certificateFile a PEM file that contains the server's certificate, followed by its
  ///   issuers
  /// @param keyFile a PEM file that contains an unencrypted RSA, EC or Ed25519 key; may be the same
  ///   file
  /// @throws IOException if a file is unusable; the message states the file, the reason and the fix
  public static TlsContext load(Path certificateFile, Path keyFile, TlsOptions options)
      throws IOException {
    return load(List.of(new TlsPair(certificateFile, keyFile)), options);
  }

  /// Loads several certificates as [#load(Path, Path, TlsOptions)] does. A client receives the
  /// certificate for the name that it requests (SNI), or the first certificate.
  ///
  /// @param pairs the certificates and keys, at least one
  public static TlsContext load(List<TlsPair> pairs, TlsOptions options) throws IOException {
    if (pairs.isEmpty()) {
      throw new IllegalArgumentException("TLS needs a certificate");
    }
    return new TlsContext(pairs, options);
  }

  /// Reads the files again even if they have not changed. Blocks while reading.
  ///
  /// @throws IOException if the files are unusable, in which case the previously loaded files
  ///   remain in use
  public void reload() throws IOException {
    loading.lock();
    try {
      triedStamp = stamp();
      current = read();
      failure = null;
      Log.LOGGER.log(Level.INFO, () -> "TLS certificate loaded again from " + fileNames());
    } catch (IOException e) {
      failure = e.getMessage();
      throw e;
    } finally {
      loading.unlock();
    }
  }

  /// Reads the files again if they have changed since they were last read. Blocks while reading.
  ///
  /// @return true if the files were replaced by others
  /// @throws IOException if the files are unusable; the previously loaded files remain in use, and
  ///   this method does not try the same files again
  public boolean reloadIfChanged() throws IOException {
    loading.lock();
    try {
      if (stamp().equals(triedStamp)) {
        return false;
      }
      reload();
      return true;
    } finally {
      loading.unlock();
    }
  }

  /// Returns the reason why the last attempt to load the files failed, or null if it succeeded.
  public @Nullable String lastFailure() {
    return failure;
  }

  /// Returns the certificates used for new connections, without their issuers, in the order of the
  /// pairs.
  public List<TlsCertificate> certificates() {
    return current.certificates;
  }

  public TlsOptions options() {
    return options;
  }

  /// Returns an engine for a new connection. Any thread may call. This method checks for changed
  /// files from time to time.
  ///
  /// @param nowNanos the time on the caller's clock, the same clock for all calls
  /// @param slowPath the executor that reads changed files, which blocks
  public SSLEngine engine(long nowNanos, Executor slowPath) {
    checkSometimes(nowNanos, slowPath);
    Loaded loaded = current;
    SSLEngine engine = loaded.context.createSSLEngine();
    engine.setUseClientMode(false);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setProtocols(PROTOCOLS);
    parameters.setCipherSuites(loaded.ciphers.toArray(new String[0]));
    parameters.setUseCipherSuitesOrder(true);
    parameters.setApplicationProtocols(options.applicationProtocols().toArray(new String[0]));
    engine.setSSLParameters(parameters);
    return engine;
  }

  private void checkSometimes(long now, Executor slowPath) {
    long interval = options.reloadCheckNanos();
    if (interval == 0) {
      return;
    }
    long due = nextCheckNanos.get();
    boolean first = due == Long.MIN_VALUE;
    boolean mine = (first || now - due >= 0) && nextCheckNanos.compareAndSet(due, now + interval);
    if (mine && !first) {
      try {
        slowPath.execute(this::check);
      } catch (RejectedExecutionException e) {
        Log.LOGGER.log(Level.WARNING, () -> "no room to look for a new TLS certificate: " + e);
      }
    }
  }

  private void check() {
    try {
      reloadIfChanged();
    } catch (IOException e) {
      Log.LOGGER.log(Level.WARNING, () -> "the certificate in use stays: " + e.getMessage());
    }
  }

  private Loaded read() throws IOException {
    List<TlsPem> pems = new ArrayList<>();
    List<TlsCertificate> certificates = new ArrayList<>();
    for (TlsPair pair : pairs) {
      TlsPem pem = TlsPem.read(pair.certificate(), pair.key());
      X509Certificate own = pem.chain().getFirst();
      if (own.getNotAfter().toInstant().isBefore(Instant.now())) {
        String file = pair.certificate().toString();
        Log.LOGGER.log(
            Level.WARNING,
            () -> "the certificate in " + file + " has expired on " + own.getNotAfter());
      }
      pems.add(pem);
      certificates.add(certificate(pair.certificate(), own));
    }
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(pems.size() == 1 ? one(pems.getFirst()) : several(pems), null, null);
      context.getServerSessionContext().setSessionCacheSize(SESSION_CACHE_ENTRIES);
      context.getServerSessionContext().setSessionTimeout(SESSION_SECONDS);
      String[] offered = context.getDefaultSSLParameters().getCipherSuites();
      List<String> ciphers = Arrays.stream(offered).filter(TlsContext::strong).toList();
      return new Loaded(context, ciphers, List.copyOf(certificates));
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "cannot set up TLS with "
              + fileNames()
              + ". Why: this JDK cannot use them ("
              + e.getMessage()
              + "). Fix: use a certificate and a key that this JDK knows, such as EC P-256.",
          e);
    }
  }

  private static TlsCertificate certificate(Path file, X509Certificate certificate) {
    List<String> names;
    try {
      names = TlsNames.names(certificate);
    } catch (CertificateParsingException e) {
      names = List.of(); // a client finds no name in it either
    }
    return new TlsCertificate(file, names, certificate.getNotAfter().toInstant());
  }

  private static KeyManager[] several(List<TlsPem> pems) throws GeneralSecurityException {
    return new KeyManager[] {new TlsNames(pems)};
  }

  private static KeyManager[] one(TlsPem pem) throws GeneralSecurityException, IOException {
    char[] noPassword = new char[0];
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, noPassword);
    X509Certificate[] chain = pem.chain().toArray(new X509Certificate[0]);
    store.setKeyEntry("server", pem.key(), noPassword, chain);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
    keys.init(store, noPassword);
    return keys.getKeyManagers();
  }

  private String fileNames() {
    return pairs.stream().map(pair -> pair.certificate().toString()).collect(joining(", "));
  }

  private static boolean strong(String cipher) {
    boolean authenticated = cipher.contains("_GCM_") || cipher.contains("_CHACHA20_");
    boolean secret = cipher.startsWith("TLS_AES_") || cipher.startsWith("TLS_CHACHA20_");
    return authenticated && (secret || cipher.startsWith("TLS_ECDHE_"));
  }

  /// Returns a stamp that identifies the versions of the files. The stamp of a missing file is
  /// empty.
  private String stamp() {
    return pairs.stream()
        .map(pair -> stamp(pair.certificate()) + "|" + stamp(pair.key()))
        .collect(joining("|"));
  }

  private static String stamp(Path file) {
    try {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return found.lastModifiedTime() + " " + found.size() + " " + found.fileKey();
    } catch (IOException e) {
      return "";
    }
  }
}

package sluice.acceptance.servers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// What the main classes of loads share. Called by the main thread of such a process, which runs on
/// the same engine as the server, so that outgoing connections are tried too.
///
/// @param trustStore PKCS #12 with the server's certificate, or null for plain text
/// @param port of the server on loopback
/// @param variant what [Launch] calls so
record LoadLaunch(@Nullable Path trustStore, int port, String variant) {
  /// Printed when everything was answered as it should be.
  static final String DONE = "all answers are right";

  /// Said of an answer that is not what it should be.
  static final String WRONG = "wrong from byte ";

  /// One caller's requests.
  interface Caller {
    /// Throws what is wrong.
    ///
    /// @param number 0 to the number of callers - 1
    /// @return how many answers were compared
    int call(int number) throws Exception;
  }

  static LoadLaunch of(String[] arguments) {
    return new LoadLaunch(
        arguments[0].isEmpty() ? null : Path.of(arguments[0]),
        Integer.parseInt(arguments[1]),
        arguments[2]);
  }

  Path requiredTrustStore() {
    if (trustStore == null) {
      throw new IllegalStateException("started without a certificate");
    }
    return trustStore;
  }

  TrustManagerFactory trust() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(requiredTrustStore())) {
      store.load(in, Launch.PASSWORD.toCharArray());
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(store);
    return trust;
  }

  /// Runs callers at once, each on a virtual thread, to their end.
  void run(int callers, Caller caller) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> running = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        int number = i;
        running.add(threads.submit(() -> caller.call(number)));
      }
      int answers = 0;
      for (Future<Integer> one : running) {
        answers += one.get();
      }
      System.out.println(answers + " answers");
    }
  }

  /// The process ends now, whatever threads a client library leaves.
  void done() {
    System.out.println(DONE);
    System.exit(0);
  }

  static void compare(String what, byte[] answer, byte[] expected) throws IOException {
    if (!Arrays.equals(answer, expected)) {
      throw new IOException(
          what
              + ": "
              + WRONG
              + Arrays.mismatch(answer, expected)
              + ", length "
              + answer.length
              + " instead of "
              + expected.length);
    }
  }
}

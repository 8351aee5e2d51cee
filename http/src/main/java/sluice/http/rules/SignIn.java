package sluice.http.rules;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import sluice.http.text.Latin1;

/// Basic authentication (RFC 7617) of the users of one realm. Any thread may call.
///
/// A password is checked on the slow path, a few at a time, as a good hash is slow by intention.
/// After a successful check the credentials are remembered for a while, as a digest with a random
/// key, so that the loop answers further requests at once.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | known | any | under its lock | under its lock |
public final class SignIn {
  private static final int MOST_KNOWN = 4096;
  private static final long KNOWN_NANOS = 600_000_000_000L;

  /// The slow path has one thread of the machine per processor, and other work: half of them may
  /// check passwords.
  private static final int CHECKS_AT_ONCE =
      Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

  private static final int MOST_BYTES = 512;

  /// Verifies passwords.
  @FunctionalInterface
  public interface Passwords {
    /// Returns true if the password is right. May take long.
    boolean match(String user, String password);
  }

  private final String realm;
  private final Passwords passwords;
  private final byte[] salt = new byte[32];
  private final Semaphore checks = new Semaphore(CHECKS_AT_ONCE);
  private final Map<String, Long> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MOST_KNOWN;
        }
      };

  /// @param realm shown to the user: printable ASCII without quotes and backslashes
  public SignIn(String realm, Passwords passwords) {
    if (!realm.matches("[ !#-\\[\\]-~]*")) {
      throw new IllegalArgumentException(
          "a realm is printable ASCII without quotes and backslashes: " + realm);
    }
    this.realm = realm;
    this.passwords = passwords;
    new SecureRandom().nextBytes(salt);
  }

  /// Returns the header line of a 401, with CRLF.
  byte[] challenge() {
    return Latin1.bytes("WWW-Authenticate: Basic realm=\"" + realm + "\", charset=\"UTF-8\"\r\n");
  }

  /// Returns true if these credentials were checked recently, and were right.
  ///
  /// @param authorization value of the field, if there is one
  public boolean knows(byte @Nullable [] authorization) {
    if (authorization == null) {
      return false;
    }
    String digest = digest(authorization);
    synchronized (known) {
      Long until = known.get(digest);
      return until != null && until - System.nanoTime() > 0;
    }
  }

  /// Checks credentials, and remembers them if they are right. Blocks until earlier checks have
  /// ended.
  public void check(byte[] authorization) {
    String[] pair = credentials(authorization);
    if (pair == null || knows(authorization)) {
      return;
    }
    checks.acquireUninterruptibly();
    try {
      if (passwords.match(pair[0], pair[1])) {
        synchronized (known) {
          known.put(digest(authorization), System.nanoTime() + KNOWN_NANOS);
        }
      }
    } finally {
      checks.release();
    }
  }

  /// Returns user and password; null if the field has none.
  private static String @Nullable [] credentials(byte[] authorization) {
    String text = Latin1.text(authorization);
    if (text.length() > MOST_BYTES || !text.regionMatches(true, 0, "basic ", 0, 6)) {
      return null;
    }
    try {
      byte[] plain = Base64.getDecoder().decode(text.substring(6).strip());
      String both = new String(plain, StandardCharsets.UTF_8);
      int colon = both.indexOf(':');
      return colon < 0 ? null : new String[] {both.substring(0, colon), both.substring(colon + 1)};
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private String digest(byte[] authorization) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(salt);
      return Base64.getEncoder().encodeToString(sha.digest(authorization));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("each JDK has SHA-256", e);
    }
  }
}

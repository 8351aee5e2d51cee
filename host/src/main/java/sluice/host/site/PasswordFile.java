package sluice.host.site;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.security.crypto.bcrypt.BCrypt;
import sluice.host.text.ShellWord;
import sluice.http.rules.SignIn;

/// The users of a site and the bcrypt hashes of their passwords. They are read from a file with
/// lines of the form `NAME:HASH`, which can be created with `htpasswd -B`. Instances are immutable
/// and thread-safe.
final class PasswordFile implements SignIn.Passwords {
  private static final int MOST_BYTES = 1 << 20;

  /// The format of a hash. Cost factors above 16 are refused, because verifying such a hash would
  /// take too long.
  private static final String HASH = "\\$2[aby]\\$(0[4-9]|1[0-6])\\$[./A-Za-z0-9]{53}";

  private final Map<String, String> hashes;

  private PasswordFile(Map<String, String> hashes) {
    this.hashes = hashes;
  }

  /// Reads a file.
  ///
  /// @throws IllegalArgumentException with the file, the line, the reason and a fix
  /// @throws IOException if the file cannot be read
  static PasswordFile read(Path file) throws IOException {
    if (Files.size(file) > MOST_BYTES) {
      throw new IllegalArgumentException(
          file + ": it is longer than 1 MiB. Fix: name a file that htpasswd has made");
    }
    Map<String, String> hashes = new HashMap<>();
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      int colon = line.indexOf(':');
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (colon < 1 || !line.substring(colon + 1).matches(HASH)) {
        throw new IllegalArgumentException(
            file
                + ":"
                + (i + 1)
                + ": it is no NAME:HASH with a bcrypt hash of cost 4 to 16. Fix: htpasswd -B "
                + ShellWord.of(file)
                + " NAME");
      }
      hashes.put(line.substring(0, colon), line.substring(colon + 1));
    }
    if (hashes.isEmpty()) {
      throw new IllegalArgumentException(
          file + ": it has no user. Fix: htpasswd -B " + ShellWord.of(file) + " NAME");
    }
    return new PasswordFile(hashes);
  }

  @Override
  public boolean match(String user, String password) {
    String hash = hashes.get(user);
    // If the user is unknown, the password is compared with the hash of another user, so that the
    // response time does not reveal which users exist.
    String compared = hash == null ? hashes.values().iterator().next() : hash;
    return BCrypt.checkpw(password, compared) && hash != null;
  }
}

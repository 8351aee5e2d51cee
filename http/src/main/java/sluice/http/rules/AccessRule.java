package sluice.http.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Restricts some paths to some clients. Immutable: any thread may use it. If several rules match a
/// path, each of them must admit the client.
///
/// @param path the paths, and all below them. Compared with the requested path, with every path
///   under which the file that is sent can be requested ([sluice.http.site.Site#spellings]), and
///   with all of these without the extensions of precompressed files
/// @param allow if not empty, only these addresses are admitted; a client of a Unix socket has none
/// @param deny addresses that are never admitted, but answered 403
/// @param signIn users with passwords; null for none
public record AccessRule(
    PathPattern path, List<AddressRange> allow, List<AddressRange> deny, @Nullable SignIn signIn) {

  public AccessRule {
    allow = List.copyOf(allow);
    deny = List.copyOf(deny);
    if (allow.isEmpty() && deny.isEmpty() && signIn == null) {
      throw new IllegalArgumentException("an access rule allows or denies addresses, or has users");
    }
  }

  /// Returns true if the rule applies to a path.
  ///
  /// @param requested canonical
  public boolean isFor(String requested) {
    return path.covers(requested);
  }

  boolean admits(long addressHigh, long addressLow) {
    return (allow.isEmpty() || has(allow, addressHigh, addressLow))
        && !has(deny, addressHigh, addressLow);
  }

  private static boolean has(List<AddressRange> ranges, long high, long low) {
    for (int i = 0; i < ranges.size(); i++) {
      if (ranges.get(i).has(high, low)) {
        return true;
      }
    }
    return false;
  }
}

package sluice.http.rules;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which clients may have some paths. Immutable: any thread may use it. Where several rules fit,
/// each of them must let the client in.
///
/// @param path which paths, and all below them. Compared with the requested path, with every path
///   under which the file that is sent can be asked for ([sluice.http.site.Site#spellings]), and
///   with all of these without the endings of precompressed files
/// @param allow if not empty, only these addresses are let in; a client of a Unix socket has none
/// @param deny never let in; else 403
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

  /// Returns true if the rule holds for a path.
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

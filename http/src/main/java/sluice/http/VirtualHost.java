package sluice.http;

import java.net.IDN;
import java.util.List;
import java.util.Locale;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;

/// A site that is served under some host names. Immutable, so any thread may use it.
///
/// Names are compared without regard to case, port and a trailing dot. If several names match, the
/// longest one takes precedence, so `a.example.com` precedes `*.example.com`, which precedes
/// `*.com`.
///
/// @param names the host names, such as `example.com`; `*.example.com` matches every name below it,
///   but not `example.com` itself
public record VirtualHost(List<String> names, Site site, SiteRules rules) {
  public VirtualHost {
    names = names.stream().map(VirtualHost::canonical).toList();
    if (names.isEmpty()) {
      throw new IllegalArgumentException("a virtual host has at least one name");
    }
  }

  /// Returns the name in lower-case ASCII without a trailing dot.
  ///
  /// @throws IllegalArgumentException if clients could not request this name
  private static String canonical(String name) {
    boolean wildcard = name.startsWith("*.");
    String rest = wildcard ? name.substring(2) : name;
    String plain = rest.endsWith(".") ? rest.substring(0, rest.length() - 1) : rest;
    String ascii;
    try {
      ascii = plain.startsWith("[") ? plain : IDN.toASCII(plain, IDN.ALLOW_UNASSIGNED);
    } catch (IllegalArgumentException e) {
      throw wrong(name);
    }
    String made = ascii.toLowerCase(Locale.ROOT);
    boolean address = made.matches("\\[[0-9a-f:.]+]");
    boolean labels = made.matches("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");
    if ((!address && !labels) || made.length() > 253) {
      throw wrong(name);
    }
    return wildcard ? "*." + made : made;
  }

  private static IllegalArgumentException wrong(String name) {
    return new IllegalArgumentException(
        "a host name is such as example.com, *.example.com or [::1], without a port: " + name);
  }
}

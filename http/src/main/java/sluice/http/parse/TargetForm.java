package sluice.http.parse;

/// The four forms of a request target, RFC 9112 section 3.2.
public enum TargetForm {
  /// `/path?query`
  ORIGIN,
  /// `http://host/path?query`; [HttpRequest#hostFrom] returns this host, not the Host line
  ABSOLUTE,
  /// `host:port`, with CONNECT only
  AUTHORITY,
  /// `*`, with OPTIONS only
  ASTERISK
}

package sluice.http.parse;

/// The framing of a request's body, RFC 9112 section 6.
public enum BodyKind {
  NONE,
  /// [HttpRequest#contentLength] bytes follow the head.
  FIXED,
  /// Chunks follow the head: see [ChunkedDecoder].
  CHUNKED
}

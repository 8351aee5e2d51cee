package sluice.http.parse;

/// How the body of a request is framed, RFC 9112 section 6.
public enum BodyKind {
  NONE,
  /// [HttpRequest#contentLength] bytes follow the head
  FIXED,
  /// chunks follow the head: see [ChunkedDecoder]
  CHUNKED
}

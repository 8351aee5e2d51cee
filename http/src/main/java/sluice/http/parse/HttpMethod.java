package sluice.http.parse;

/// The request methods of RFC 9110 section 9 and RFC 5789 (PATCH).
///
/// `OTHER` is any other valid token; methods are case-sensitive, so `get` is an `OTHER`.
public enum HttpMethod {
  GET,
  HEAD,
  OPTIONS,
  POST,
  PUT,
  DELETE,
  PATCH,
  TRACE,
  CONNECT,
  OTHER
}

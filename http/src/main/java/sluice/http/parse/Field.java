package sluice.http.parse;

/// The header fields that the server itself uses; the parser records the position of each.
public enum Field {
  HOST("Host"),
  CONNECTION("Connection"),
  CONTENT_LENGTH("Content-Length"),
  TRANSFER_ENCODING("Transfer-Encoding"),
  EXPECT("Expect"),
  RANGE("Range"),
  IF_RANGE("If-Range"),
  IF_MATCH("If-Match"),
  IF_NONE_MATCH("If-None-Match"),
  IF_MODIFIED_SINCE("If-Modified-Since"),
  IF_UNMODIFIED_SINCE("If-Unmodified-Since"),
  ACCEPT_ENCODING("Accept-Encoding"),
  UPGRADE("Upgrade"),
  USER_AGENT("User-Agent"),
  REFERER("Referer"),
  AUTHORIZATION("Authorization"),
  TRACEPARENT("traceparent");

  /// The mask of the fields without which a file is simply sent whole.
  public static final int CONDITIONS_AND_RANGE =
      RANGE.bit()
          | IF_RANGE.bit()
          | IF_MATCH.bit()
          | IF_NONE_MATCH.bit()
          | IF_MODIFIED_SINCE.bit()
          | IF_UNMODIFIED_SINCE.bit();

  private final String fieldName;

  Field(String fieldName) {
    this.fieldName = fieldName;
  }

  /// Returns the name as it is usually written.
  public String fieldName() {
    return fieldName;
  }

  /// Returns the index of the field in the tables of a [HttpRequest].
  @SuppressWarnings("EnumOrdinal") // an index into arrays that live no longer than this enum
  int index() {
    return ordinal();
  }

  int bit() {
    return 1 << index();
  }
}

package sluice.http.parse;

import sluice.http.text.AsciiSet;

/// Checks chunk extensions, which are then ignored, RFC 9112 section 7.1.1: `*( BWS ";" BWS name [
/// BWS "=" BWS ( token / quoted-string ) ] )`.
///
/// Owned by one [ChunkedDecoder]. Extensions are checked although they are ignored, because
/// recipients have interpreted the end of an extension, and therefore the start of the chunk, in
/// different ways.
final class ChunkExtension {
  private enum State {
    /// Before a `;`.
    SEPARATOR,
    NAME_START,
    NAME,
    /// After a name and white space.
    NAME_END,
    VALUE_START,
    VALUE,
    QUOTED,
    ESCAPED,
    QUOTED_END
  }

  private State state = State.SEPARATOR;

  void start() {
    state = State.SEPARATOR;
  }

  /// Returns true if the line may end here.
  boolean mayEnd() {
    return state == State.NAME || state == State.VALUE || state == State.QUOTED_END;
  }

  /// Consumes `b` and returns true if it is valid at the current position.
  boolean accept(byte b) {
    boolean space = b == ' ' || b == '\t';
    boolean token = AsciiSet.TOKEN.has(b);
    return switch (state) {
      case SEPARATOR -> space || to(State.NAME_START, b == ';');
      case NAME_START -> space || to(State.NAME, token);
      case NAME -> token || to(State.NAME_END, space) || afterName(b);
      case NAME_END -> space || afterName(b);
      case VALUE_START -> space || to(State.QUOTED, b == '"') || to(State.VALUE, token);
      case VALUE -> token || to(State.SEPARATOR, space) || to(State.NAME_START, b == ';');
      case QUOTED ->
          to(State.QUOTED_END, b == '"')
              || to(State.ESCAPED, b == '\\')
              || !ChunkedDecoder.isControl(b);
      case ESCAPED -> to(State.QUOTED, !ChunkedDecoder.isControl(b));
      case QUOTED_END -> to(State.SEPARATOR, space) || to(State.NAME_START, b == ';');
    };
  }

  private boolean afterName(byte b) {
    return to(State.VALUE_START, b == '=') || to(State.NAME_START, b == ';');
  }

  private boolean to(State next, boolean when) {
    if (when) {
      state = next;
    }
    return when;
  }
}

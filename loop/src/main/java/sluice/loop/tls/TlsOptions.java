package sluice.loop.tls;

import java.util.List;

/// The options of a [TlsContext].
///
/// @param applicationProtocols the protocols for ALPN (RFC 7301) in order of preference. A client
///   that only offers other protocols is refused with `no_application_protocol`. A client that
///   offers none is served.
/// @param handshakeTimeoutNanos the timeout of a handshake, 1 ms to 10 minutes
/// @param reloadCheckNanos the minimum interval between checks of the files for changes, which are
///   performed when connections arrive; 0 for no checks
public record TlsOptions(
    List<String> applicationProtocols, long handshakeTimeoutNanos, long reloadCheckNanos) {
  /// The options for HTTP/1.1, with a handshake timeout of 10 seconds. Changes are detected within
  /// 5 seconds.
  public static final TlsOptions HTTP =
      new TlsOptions(List.of("http/1.1"), 10_000_000_000L, 5_000_000_000L);

  public TlsOptions {
    applicationProtocols = List.copyOf(applicationProtocols);
    if (handshakeTimeoutNanos < 1_000_000L || handshakeTimeoutNanos > 600_000_000_000L) {
      throw new IllegalArgumentException(
          "handshakeTimeoutNanos must be 1000000 to 600000000000: " + handshakeTimeoutNanos);
    }
    if (reloadCheckNanos < 0) {
      throw new IllegalArgumentException(
          "reloadCheckNanos must not be negative: " + reloadCheckNanos);
    }
  }

  public TlsOptions withApplicationProtocols(List<String> value) {
    return new TlsOptions(value, handshakeTimeoutNanos, reloadCheckNanos);
  }

  public TlsOptions withHandshakeTimeoutNanos(long value) {
    return new TlsOptions(applicationProtocols, value, reloadCheckNanos);
  }

  public TlsOptions withReloadCheckNanos(long value) {
    return new TlsOptions(applicationProtocols, handshakeTimeoutNanos, value);
  }
}

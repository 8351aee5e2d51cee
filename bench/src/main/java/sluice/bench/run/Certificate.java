package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// A self-signed certificate for `localhost` with an ECDSA P-256 key, as two PEM files of this run.
/// Immutable.
record Certificate(Path chain, Path key) {
  private static final int SECONDS = 30;

  /// Makes a certificate.
  ///
  /// @throws IOException if OpenSSL's program is missing and cannot be installed
  static Certificate make(Workspace workspace) throws IOException {
    String openssl = Packages.program("openssl", "openssl", "it makes the certificate of the case");
    Path chain = workspace.temporary("certificate.pem");
    Path key = workspace.temporary("key.pem");
    Commands.run(
        SECONDS,
        List.of(
            openssl,
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-noenc",
            "-days",
            "30",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-out",
            chain.toString(),
            "-keyout",
            key.toString()));
    return new Certificate(chain, key);
  }
}

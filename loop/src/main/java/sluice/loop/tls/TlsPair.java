package sluice.loop.tls;

import java.nio.file.Path;

/// A certificate chain and its private key, as files. Immutable: any thread may use it.
///
/// @param certificate PEM: the server's certificate, then its issuers
/// @param key PEM: an RSA, EC or Ed25519 key, not encrypted; may be the same file
public record TlsPair(Path certificate, Path key) {}

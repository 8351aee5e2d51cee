package sluice.loop.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A certificate chain and its private key, read from PEM files (RFC 7468). Stateless; any thread
/// may read the files, which blocks.
///
/// @param key the key of the first certificate
/// @param chain the server's own certificate, followed by its issuers in order
record TlsPem(PrivateKey key, List<X509Certificate> chain) {
  private static final long LARGEST_FILE_BYTES = 1 << 20;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----(.*?)-----END \\1-----", Pattern.DOTALL);
  private static final String[] ALGORITHMS = {"RSA", "EC", "EdDSA", "RSASSA-PSS"};

  private record Block(String label, String body) {}

  /// Reads both files, which may be the same file, and checks that they match.
  ///
  /// @throws IOException if a file is unusable; the message states the file, the reason and the fix
  static TlsPem read(Path certificateFile, Path keyFile) throws IOException {
    List<X509Certificate> chain = certificates(certificateFile, blocks(certificateFile));
    PrivateKey key = privateKey(keyFile, blocks(keyFile));
    if (!belongs(key, chain.getFirst())) {
      throw refused(
          keyFile,
          "the key does not belong to the first certificate of " + certificateFile,
          "put the server's own certificate first, and give the key it was issued for");
    }
    return new TlsPem(key, chain);
  }

  /// Reads the server's own certificate.
  ///
  /// @throws IOException if the file is unusable; the message states the file, the reason and the
  ///   fix
  static X509Certificate certificate(Path file) throws IOException {
    return certificates(file, blocks(file)).getFirst();
  }

  private static List<Block> blocks(Path file) throws IOException {
    String text;
    try {
      if (Files.size(file) > LARGEST_FILE_BYTES) {
        throw refused(file, "it has more than 1 MiB", "give a PEM file");
      }
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      if (e.getMessage() != null && e.getMessage().contains("Fix: ")) {
        throw e;
      }
      throw unreadable(file, e);
    }
    List<Block> found = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text);
    while (matcher.find()) {
      found.add(new Block(matcher.group(1), matcher.group(2)));
    }
    return found;
  }

  private static IOException unreadable(Path file, IOException problem) {
    IOException said =
        switch (problem) {
          case NoSuchFileException e ->
              refused(file, "there is no such file", "give the path of a PEM file");
          case AccessDeniedException e ->
              refused(
                  file,
                  "this user may not read it",
                  "chown or chmod it for the user the server runs as");
          default ->
              Files.isDirectory(file)
                  ? refused(file, "it is a directory", "give the path of a PEM file")
                  : refused(
                      file,
                      "reading it failed: " + problem.getMessage(),
                      "give a file that this user may read");
        };
    said.initCause(problem);
    return said;
  }

  private static List<X509Certificate> certificates(Path file, List<Block> blocks)
      throws IOException {
    List<X509Certificate> chain = new ArrayList<>();
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      for (Block block : blocks) {
        if (block.label.equals("CERTIFICATE")) {
          byte[] der = decode(file, block);
          Certificate read = factory.generateCertificate(new ByteArrayInputStream(der));
          chain.add((X509Certificate) read);
        }
      }
    } catch (GeneralSecurityException e) {
      throw refused(file, "a certificate is damaged", "fetch it again");
    }
    if (chain.isEmpty()) {
      throw refused(
          file, "it has no BEGIN CERTIFICATE", "give the certificate chain, such as fullchain.pem");
    }
    for (int i = 1; i < chain.size(); i++) {
      if (!issued(chain.get(i), chain.get(i - 1))) {
        throw refused(
            file,
            "certificate " + (i + 1) + " did not issue certificate " + i,
            "order the chain: the server's own certificate first, then its issuers");
      }
    }
    return List.copyOf(chain);
  }

  private static boolean issued(X509Certificate issuer, X509Certificate certificate) {
    try {
      certificate.verify(issuer.getPublicKey());
      return issuer.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static PrivateKey privateKey(Path file, List<Block> blocks) throws IOException {
    byte[] parameters = null;
    for (Block block : blocks) {
      boolean encrypted = block.label.startsWith("ENCRYPTED") || block.body.contains("ENCRYPTED");
      if (encrypted) {
        throw refused(
            file,
            "the key is encrypted, and a server has no terminal to ask for its password",
            "store it plain with mode 0600: openssl pkey -in FILE -out PLAIN");
      }
      switch (block.label) {
        case "EC PARAMETERS" -> parameters = decode(file, block);
        case "PRIVATE KEY" -> {
          return fromPkcs8(file, decode(file, block));
        }
        case "RSA PRIVATE KEY" -> {
          return fromPkcs8(file, TlsDer.pkcs8OfRsa(decode(file, block)));
        }
        case "EC PRIVATE KEY" -> {
          return fromPkcs8(file, sec1(file, decode(file, block), parameters));
        }
        default -> {}
      }
    }
    throw refused(
        file, "it has no BEGIN PRIVATE KEY", "give the key the certificate was issued for");
  }

  private static byte[] sec1(Path file, byte[] der, byte @Nullable [] parameters)
      throws IOException {
    try {
      return TlsDer.pkcs8OfEc(der, parameters);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw refused(file, "the EC key is damaged or names no curve", "fetch or make it again");
    }
  }

  private static PrivateKey fromPkcs8(Path file, byte[] der) throws IOException {
    IOException none =
        refused(file, "the key is damaged or of an unknown kind", "use an RSA, EC or Ed25519 key");
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (GeneralSecurityException e) {
        none.addSuppressed(e);
      }
    }
    throw none;
  }

  private static byte[] decode(Path file, Block block) throws IOException {
    try {
      return Base64.getMimeDecoder().decode(block.body);
    } catch (IllegalArgumentException e) {
      throw refused(file, block.label + " is not base64", "fetch or make it again");
    }
  }

  private static boolean belongs(PrivateKey key, X509Certificate certificate) {
    if (key instanceof RSAKey mine && certificate.getPublicKey() instanceof RSAKey its) {
      BigInteger modulus = mine.getModulus();
      return modulus.equals(its.getModulus());
    }
    String algorithm = key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : key.getAlgorithm();
    byte[] probe = {1, 2, 3};
    try {
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(key);
      signer.update(probe);
      byte[] signature = signer.sign();
      signer.initVerify(certificate.getPublicKey());
      signer.update(probe);
      return signer.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static IOException refused(Path file, String why, String fix) {
    return new IOException("cannot use " + file + " for TLS. Why: " + why + ". Fix: " + fix + ".");
  }
}

package sluice.loop.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What may be in a certificate file and a key file, what may not, and how they are replaced.
@Timeout(240)
class TlsContextTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "ec.pem, ec.key, EC",
    "ec.pem, ec-sec1.key, EC",
    "rsa.pem, rsa.key, RSA",
    "rsa.pem, rsa-pkcs1.key, RSA",
    "ed25519.pem, ed25519.key, EdDSA"
  })
  void readsEveryForm(String certificate, String key, String algorithm) throws IOException {
    TlsPem pem = TlsPem.read(TlsFiles.file(certificate), TlsFiles.file(key));
    assertThat(pem.key().getAlgorithm()).isEqualTo(algorithm);
    assertThat(pem.chain()).hasSize(1);
  }

  @Test
  void olderFormsHoldTheSameKey() throws IOException {
    TlsPem ec = TlsPem.read(TlsFiles.file("ec.pem"), TlsFiles.file("ec.key"));
    TlsPem sec1 = TlsPem.read(TlsFiles.file("ec.pem"), TlsFiles.file("ec-sec1.key"));
    assertThat(((ECPrivateKey) sec1.key()).getS()).isEqualTo(((ECPrivateKey) ec.key()).getS());
    TlsPem rsa = TlsPem.read(TlsFiles.file("rsa.pem"), TlsFiles.file("rsa.key"));
    TlsPem pkcs1 = TlsPem.read(TlsFiles.file("rsa.pem"), TlsFiles.file("rsa-pkcs1.key"));
    assertThat(((RSAPrivateKey) pkcs1.key()).getPrivateExponent())
        .isEqualTo(((RSAPrivateKey) rsa.key()).getPrivateExponent());
  }

  @Test
  void readsAChainAndOneFileForBoth() throws IOException {
    String chain = Files.readString(TlsFiles.file("chain.pem"));
    String key = Files.readString(TlsFiles.file("leaf.key"));
    Path both = write("both.pem", key + chain);
    TlsPem pem = TlsPem.read(both, both);
    assertThat(pem.chain()).hasSize(2);
    assertThat(TlsContext.load(both, both).lastFailure()).isNull();
  }

  @Test
  void takesTheCurveFromTheParameters() throws IOException {
    // an ECPrivateKey whose optional [0] names the curve, and the same behind EC PARAMETERS
    String text = Files.readString(TlsFiles.file("ec-sec1.key"));
    assertThat(text).contains("BEGIN EC PARAMETERS");
    String bare = text.substring(text.indexOf("-----BEGIN EC PRIVATE KEY"));
    assertThat(TlsPem.read(TlsFiles.file("ec.pem"), write("bare.key", bare)).chain()).hasSize(1);
  }

  @Test
  void refusesWhatDoesNotDo() throws IOException {
    Path certificate = TlsFiles.file("ec.pem");
    Path key = TlsFiles.file("ec.key");
    refused(certificate, TlsFiles.file("other.key"), "does not belong");
    refused(certificate, TlsFiles.file("rsa.key"), "does not belong");
    refused(certificate, TlsFiles.file("encrypted.key"), "encrypted");
    refused(certificate, certificate, "no BEGIN PRIVATE KEY");
    refused(key, key, "no BEGIN CERTIFICATE");
    refused(directory.resolve("absent"), key, "Why: there is no such file. Fix: ");
    refused(certificate, directory.resolve("absent"), "Why: there is no such file. Fix: ");
    refused(directory, key, "Why: it is a directory. Fix: ");
    refused(write("empty", ""), key, "no BEGIN CERTIFICATE");
    refused(write("large", "x".repeat(2 << 20)), key, "more than 1 MiB");
    String head = "-----BEGIN CERTIFICATE-----\n";
    String tail = "\n-----END CERTIFICATE-----\n";
    refused(write("bad", head + "AAAA" + tail), key, "damaged");
    refused(write("odd", head + "A" + tail), key, "not base64");
    String other = Files.readString(TlsFiles.file("other.pem"));
    refused(write("mixed", Files.readString(certificate) + other), key, "did not issue");
    String ecHead = "-----BEGIN EC PRIVATE KEY-----\n";
    refused(certificate, write("ec", ecHead + "MAMC\n-----END EC PRIVATE KEY-----"), "EC key");
    String keyHead = "-----BEGIN PRIVATE KEY-----\n";
    refused(certificate, write("k", keyHead + "MAMC\n-----END PRIVATE KEY-----"), "unknown kind");
  }

  @Test
  void replacesWhatChangedAndKeepsWhatIsGood() throws IOException {
    Path certificate = directory.resolve("live.pem");
    Path key = directory.resolve("live.key");
    TlsFiles.install("ec", certificate, key, 1);
    TlsContext context = TlsContext.load(certificate, key);
    assertThat(context.reloadIfChanged()).isFalse();

    TlsFiles.install("other", certificate, key, 2);
    assertThat(context.reloadIfChanged()).isTrue();
    assertThat(context.reloadIfChanged()).isFalse();

    Files.copy(TlsFiles.file("ec.key"), key, StandardCopyOption.REPLACE_EXISTING);
    assertThatIOException()
        .isThrownBy(context::reloadIfChanged)
        .withMessageContaining("does not belong");
    assertThat(context.lastFailure()).contains("Fix: ");
    assertThat(context.reloadIfChanged()).as("the same files are not tried again").isFalse();
    assertThatIOException().isThrownBy(context::reload);

    TlsFiles.install("rsa", certificate, key, 3);
    assertThat(context.reloadIfChanged()).isTrue();
    assertThat(context.lastFailure()).isNull();
    Files.delete(key);
    assertThatIOException().isThrownBy(context::reload).withMessageContaining("live.key");
  }

  @Test
  void checksItsOptions() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TlsOptions.HTTP.withHandshakeTimeoutNanos(0));
    assertThatIllegalArgumentException().isThrownBy(() -> TlsOptions.HTTP.withReloadCheckNanos(-1));
    assertThat(TlsOptions.HTTP.withApplicationProtocols(List.of("a")).applicationProtocols())
        .containsExactly("a");
  }

  private static void refused(Path certificate, Path key, String why) {
    assertThatIOException()
        .isThrownBy(() -> TlsContext.load(certificate, key))
        .withMessageContaining(why)
        .withMessageContaining("Why: ")
        .withMessageContaining("Fix: ");
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }
}

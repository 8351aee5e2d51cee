package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.loop.engine.Backend;
import sluice.loop.tls.TlsFiles;
import sluice.testbase.Await;

/// TLS against a foreign client, `openssl s_client`.
@Timeout(240)
class TlsOpensslTest {
  @TempDir Path directory;

  @BeforeAll
  static void isThere() throws InterruptedException {
    try {
      Process version = new ProcessBuilder("openssl", "version").start();
      Assumptions.assumeTrue(version.waitFor() == 0, "openssl version fails");
    } catch (IOException e) {
      Assumptions.abort("the openssl command is not installed");
    }
  }

  private static String[] options(TlsRig rig, String... more) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("openssl", "s_client", "-connect", "127.0.0.1:" + rig.port()));
    command.addAll(List.of(more));
    return command.toArray(new String[0]);
  }

  private byte[] talk(byte[] input, String... command) throws Exception {
    return talk(List.of(new Piece(new String(input, StandardCharsets.ISO_8859_1), "")), command);
  }

  /// What is written to the client, a byte a character, and what the client has said before that.
  private record Piece(String text, String after) {}

  /// Writes the pieces one after the other: a command must come alone.
  private byte[] talk(List<Piece> pieces, String... command) throws Exception {
    Path said = directory.resolve("said");
    Files.deleteIfExists(said);
    Process client =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.appendTo(said.toFile()))
            .redirectError(pieces.size() == 1 ? Redirect.DISCARD : Redirect.appendTo(said.toFile()))
            .start();
    try (OutputStream out = client.getOutputStream()) {
      for (Piece piece : pieces) {
        while (client.isAlive()
            && !Files.readString(said, StandardCharsets.ISO_8859_1).contains(piece.after())) {
          Thread.sleep(5);
        }
        out.write(piece.text().getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
      }
      assertThat(client.waitFor(60, TimeUnit.SECONDS)).as(String.join(" ", command)).isTrue();
    } catch (IOException e) {
      client.waitFor(60, TimeUnit.SECONDS); // it has ended before it read everything
    } finally {
      client.destroyForcibly();
    }
    return Files.readAllBytes(said);
  }

  @ParameterizedTest
  @CsvSource({
    "ec, -tls1_3, TLS_AES_128_GCM_SHA256",
    "rsa, -tls1_3, TLS_CHACHA20_POLY1305_SHA256",
    "ec, -tls1_2, ECDHE-ECDSA-AES256-GCM-SHA384",
    "rsa, -tls1_2, ECDHE-RSA-CHACHA20-POLY1305",
    "ed25519, -tls1_3, TLS_AES_256_GCM_SHA384"
  })
  void echoes(String certificate, String version, String cipher) throws Exception {
    byte[] body = TlsRig.bytes(40_000);
    byte[] input = Arrays.copyOf(TlsRig.echo(body), TlsTalk.HEADER_BYTES * 2 + body.length);
    input[TlsTalk.HEADER_BYTES + body.length] = 'Q';
    String suites = version.equals("-tls1_3") ? "-ciphersuites" : "-cipher";
    String trusted = TlsFiles.file(certificate + ".pem").toString();
    try (TlsRig rig = new TlsRig(Backend.EPOLL, TlsFiles.context(certificate))) {
      String[] command =
          options(
              rig, "-quiet", version, suites, cipher, "-CAfile", trusted, "-verify_return_error");
      assertThat(talk(input, command)).isEqualTo(body);
    }
  }

  @Test
  void refusesOldVersionsWeakCiphersAndRenegotiation() throws Exception {
    byte[] hello = TlsRig.echo(TlsRig.bytes(9));
    try (TlsRig rig = new TlsRig(Backend.EPOLL, TlsFiles.context("rsa"))) {
      assertThat(talk(hello, options(rig, "-quiet", "-tls1_1"))).isEmpty();
      assertThat(talk(hello, options(rig, "-quiet", "-tls1_2", "-cipher", "AES128-SHA"))).isEmpty();
      assertThat(talk(hello, options(rig, "-quiet", "-alpn", "h2"))).isEmpty();
      Await.until("connections are left", () -> rig.loop().connectionCount() == 0);
      long before = rig.loop().counters().tlsFailures();
      talk("R\n".getBytes(StandardCharsets.US_ASCII), options(rig, "-tls1_2"));
      rig.awaitNoConnection();
      assertThat(rig.loop().counters().tlsFailures()).isEqualTo(before + 1);
      assertThat(rig.loop().counters().tlsHandshakes()).isEqualTo(1);
    }
  }

  @Test
  void takesTheApplicationProtocolAndUpdatesKeys() throws Exception {
    try (TlsRig rig = new TlsRig(Backend.EPOLL, TlsFiles.context("ec"))) {
      List<Piece> pieces = new ArrayList<>();
      String done = "SSL handshake has read";
      for (String command : List.of("K\n", "k\n", "Q\n")) {
        String text = "before " + command;
        byte[] echo = TlsRig.echo(text.getBytes(StandardCharsets.US_ASCII));
        pieces.add(new Piece(new String(echo, StandardCharsets.ISO_8859_1), done));
        pieces.add(new Piece(command, text));
        done = text + "KEYUPDATE";
      }
      byte[] said = talk(pieces, options(rig, "-tls1_3", "-alpn", "h2,http/1.1"));
      assertThat(new String(said, StandardCharsets.ISO_8859_1))
          .contains("ALPN protocol: http/1.1", "before K", "before k", "before Q");
      rig.awaitNoConnection();
      assertThat(rig.loop().counters().tlsFailures()).isZero();
    }
  }
}

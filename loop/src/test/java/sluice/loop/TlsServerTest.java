package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.engine.Backend;
import sluice.loop.tls.TlsContext;
import sluice.loop.tls.TlsFiles;
import sluice.loop.tls.TlsOptions;
import sluice.testbase.Await;

/// TLS over every engine of this machine, against the JDK's own client.
@Timeout(120)
class TlsServerTest {
  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void echoesEverySize(Backend backend) throws Exception {
    int[] sizes = {0, 1, 2, 511, 512, 2_047, 2_049, 16_383, 16_384, 16_385, 33_000, 65_000};
    for (String version : VERSIONS) {
      try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"));
          SSLSocket client = rig.client(version)) {
        assertThat(client.getSession().getProtocol()).isEqualTo(version);
        for (int size : sizes) {
          byte[] body = TlsRig.bytes(size);
          assertThat(TlsRig.ask(client, TlsRig.echo(body), size)).isEqualTo(body);
          byte[] slow = TlsRig.message('S', size, body);
          assertThat(TlsRig.ask(client, slow, size)).isEqualTo(body);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void echoesAStreamInRandomPieces(Backend backend) throws Exception {
    Random random = new Random(5);
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("rsa"));
        SSLSocket client = rig.client()) {
      int total = 100_000;
      byte[] all = TlsRig.bytes(total);
      Thread writer = Thread.ofVirtual().start(() -> writeInPieces(client, all, random));
      InputStream in = client.getInputStream();
      byte[] back = in.readNBytes(total);
      writer.join();
      assertThat(back).isEqualTo(all);
      client.shutdownOutput();
      assertThat(in.read()).isEqualTo(-1);
      Await.until("the end is told", () -> rig.talk.ended.get() == 1);
      assertThat(rig.talk.truncated.get()).isZero();
    }
  }

  private static void writeInPieces(SSLSocket client, byte[] all, Random random) {
    try {
      OutputStream out = client.getOutputStream();
      for (int at = 0; at < all.length; ) {
        int some = Math.min(all.length - at, 1 + random.nextInt(1 << random.nextInt(15)));
        out.write(TlsRig.echo(Arrays.copyOfRange(all, at, at + some)));
        at += some;
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void sendsMuchToASlowReaderWithLittleMemory(Backend backend) throws Exception {
    int length = 12 << 20;
    for (char letter : new char[] {'B', 'F'}) {
      try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"));
          SSLSocket client = rig.client()) {
        client.getOutputStream().write(TlsRig.message(letter, length));
        Thread.sleep(300);
        assertThat(rig.loop().heldBytes()).isLessThan(256 << 10);
        TlsRig.checkPattern(client.getInputStream(), length);
        assertThat(rig.loop().heldBytes()).isLessThan(256 << 10);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void anUploadWaitsWhileItsAnswersAreNotRead(Backend backend) throws Exception {
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"));
        SSLSocket client = rig.client()) {
      byte[] body = TlsRig.bytes(50_000);
      int count = 800;
      Thread writer =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  for (int i = 0; i < count; i++) {
                    client.getOutputStream().write(TlsRig.echo(body));
                  }
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      Thread.sleep(500);
      // of 40 MB; on io_uring one turn may fill the arena before receiving pauses
      assertThat(rig.loop().heldBytes()).isLessThan(8 << 20);
      InputStream in = client.getInputStream();
      for (int i = 0; i < count; i++) {
        assertThat(in.readNBytes(body.length)).isEqualTo(body);
      }
      writer.join();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void halfCloseLeavesTheAnswersAlive(Backend backend) throws Exception {
    int length = 3 << 20;
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"));
        SSLSocket client = rig.client("TLSv1.3")) {
      client.getOutputStream().write(TlsRig.message('F', length));
      client.shutdownOutput();
      TlsRig.checkPattern(client.getInputStream(), length);
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void theServersCloseIsSaid(Backend backend) throws Exception {
    for (String version : VERSIONS) {
      try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"));
          SSLSocket client = rig.client(version)) {
        byte[] body = TlsRig.bytes(3_000);
        byte[] both = Arrays.copyOf(TlsRig.echo(body), body.length + 10);
        both[body.length + 5] = 'Q';
        assertThat(TlsRig.ask(client, both, body.length)).isEqualTo(body);
        // a FIN without close_notify would be an exception here
        assertThat(client.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aFinThatMayBeForgedIsNoEnd(Backend backend) throws Exception {
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"))) {
      for (boolean complete : new boolean[] {true, false}) {
        try (Socket socket = rig.plain();
            SSLSocket client =
                (SSLSocket)
                    rig.clients.getSocketFactory().createSocket(socket, "localhost", 0, false)) {
          byte[] message = TlsRig.echo(TlsRig.bytes(1_000));
          client.getOutputStream().write(message, 0, complete ? message.length : 700);
          if (complete) {
            assertThat(client.getInputStream().readNBytes(1_000)).hasSize(1_000);
          }
          socket.shutdownOutput();
          rig.awaitNoConnection();
        }
      }
      assertThat(rig.talk.truncated.get()).isEqualTo(2);
      assertThat(rig.talk.ended.get()).as("after a whole message").isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void garbageIsAnsweredWithAnAlert(Backend backend) throws Exception {
    Random random = new Random(1);
    byte[] noise = new byte[20_000];
    random.nextBytes(noise);
    noise[0] = 22;
    byte[] oversize = {22, 3, 1, (byte) 0xff, (byte) 0xff, 1, 2, 3};
    byte[] sslv2 = {(byte) 0x80, 46, 1, 3, 1, 0, 21, 0, 0, 0, 16, 0, 0, 0x33};
    byte[] http = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    byte[] empty = {22, 3, 1, 0, 0, 22, 3, 1, 0, 0, 23, 3, 3, 0, 0};
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"))) {
      for (byte[] garbage : List.of(noise, oversize, sslv2, http, empty)) {
        try (Socket socket = rig.plain()) {
          socket.getOutputStream().write(garbage);
          socket.shutdownOutput();
          byte[] said = socket.getInputStream().readAllBytes();
          assertThat(said.length).as("an alert, or nothing").isLessThan(64);
        } catch (IOException reset) {
          assertThat(reset).hasMessageContaining("reset");
        }
        rig.awaitNoConnection();
      }
      byte[] answer;
      try (Socket socket = rig.plain()) {
        socket.getOutputStream().write(http);
        answer = socket.getInputStream().readAllBytes();
      }
      assertThat(answer).as("a fatal alert").startsWith((byte) 21, (byte) 3);
      try (SSLSocket client = rig.client()) {
        assertThat(TlsRig.ask(client, TlsRig.echo(http), http.length)).isEqualTo(http);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aSlowHandshakeIsCutOff(Backend backend) throws Exception {
    long limit = 300_000_000_000L;
    TlsOptions options = TlsOptions.HTTP.withHandshakeTimeoutNanos(limit);
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec", options));
        SSLSocket fine = rig.client();
        Socket silent = rig.plain();
        Socket slow = rig.plain()) {
      slow.getOutputStream().write(new byte[] {22, 3, 1, 1});
      assertThat(TlsRig.ask(fine, TlsRig.echo(new byte[9]), 9)).hasSize(9);
      Await.until("all are accepted", () -> rig.loop().connectionCount() == 3);
      assertThat(rig.loop().counters().tlsFailures()).isZero();
      rig.skip(limit + 1_000_000_000L);
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
      assertThat(slow.getInputStream().read()).isEqualTo(-1);
      assertThat(TlsRig.ask(fine, TlsRig.echo(new byte[9]), 9)).hasSize(9);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void manyConnectionsHoldNothingBetweenMessages(Backend backend) throws Exception {
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"))) {
      List<SSLSocket> clients = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        SSLSocket client = rig.client();
        clients.add(client);
        assertThat(TlsRig.ask(client, TlsRig.echo(new byte[i]), i)).hasSize(i);
      }
      Await.until("idle connections hold bytes", () -> rig.loop().heldBytes() == 0);
      for (SSLSocket client : clients) {
        assertThat(TlsRig.ask(client, TlsRig.echo(new byte[3_000]), 3_000)).hasSize(3_000);
        client.close();
      }
      assertThat(rig.loop().counters().tlsHandshakes()).isEqualTo(60);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void clientsThatVanishLeaveNothing(Backend backend) throws Exception {
    Random random = new Random(1);
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"))) {
      for (int i = 0; i < 40; i++) {
        Socket socket = rig.plain();
        if (i % 2 == 0) {
          socket.setSoLinger(true, 0);
        }
        SSLSocket client =
            (SSLSocket) rig.clients.getSocketFactory().createSocket(socket, "localhost", 0, false);
        Thread talker =
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    client.getOutputStream().write(TlsRig.message('F', 1 << 20));
                    client.getOutputStream().write(TlsRig.echo(TlsRig.bytes(60_000)));
                  } catch (IOException e) {
                    // that is what this test does
                  }
                });
        Thread.sleep(0, random.nextInt(900_000) + 1);
        Thread.sleep(random.nextInt(12));
        socket.close();
        talker.join();
      }
      rig.awaitNoConnection();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void settlesTheApplicationProtocol(Backend backend) throws Exception {
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"))) {
      try (SSLSocket client = offering(rig, "h2", "http/1.1")) {
        client.startHandshake();
        assertThat(client.getApplicationProtocol()).isEqualTo("http/1.1");
      }
      try (SSLSocket client = offering(rig)) {
        client.startHandshake();
        assertThat(TlsRig.ask(client, TlsRig.echo(new byte[5]), 5)).hasSize(5);
      }
      try (SSLSocket client = offering(rig, "h2")) {
        assertThatExceptionOfType(SSLHandshakeException.class)
            .isThrownBy(client::startHandshake)
            .withMessageContaining("no_application_protocol");
      }
    }
  }

  private static SSLSocket offering(TlsRig rig, String... protocols) throws IOException {
    SSLSocket socket =
        (SSLSocket) rig.clients.getSocketFactory().createSocket("127.0.0.1", rig.port());
    socket.setSoTimeout(60_000);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(protocols);
    socket.setSSLParameters(parameters);
    return socket;
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void renegotiationIsRefused(Backend backend) throws Exception {
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"));
        SSLSocket client = rig.client("TLSv1.2")) {
      assertThat(TlsRig.ask(client, TlsRig.echo(new byte[5]), 5)).hasSize(5);
      client.startHandshake();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> TlsRig.ask(client, TlsRig.echo(new byte[5]), 5));
      rig.awaitNoConnection();
      assertThat(rig.loop().counters().tlsFailures()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void keyUpdatesAreAnswered(Backend backend) throws Exception {
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"));
        SSLSocket client = rig.client("TLSv1.3")) {
      for (int i = 0; i < 20; i++) {
        client.startHandshake(); // in TLS 1.3: a KeyUpdate that asks for one
        byte[] body = TlsRig.bytes(i * 1_500);
        assertThat(TlsRig.ask(client, TlsRig.echo(body), body.length)).isEqualTo(body);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void anotherCertificateServesNewConnections(Backend backend) throws Exception {
    Path directory = Files.createTempDirectory("sluice-tls");
    Path certificate = directory.resolve("live.pem");
    Path key = directory.resolve("live.key");
    TlsFiles.install("ec", certificate, key, 1);
    TlsOptions often = TlsFiles.OPTIONS.withReloadCheckNanos(20_000_000L);
    try (TlsRig rig = new TlsRig(backend, TlsContext.load(certificate, key, often));
        SSLSocket before = rig.client()) {
      String[] names = {"other", "rsa", "ec"};
      for (int i = 0; i < names.length; i++) {
        TlsFiles.install(names[i], certificate, key, i + 2);
        byte[] expected = TlsFiles.certificate(certificate, key);
        Await.until(names[i], () -> isServed(rig, expected));
      }
      assertThat(TlsRig.ask(before, TlsRig.echo(new byte[5]), 5)).hasSize(5);
    } finally {
      Files.deleteIfExists(certificate);
      Files.deleteIfExists(key);
      Files.delete(directory);
    }
  }

  private static boolean isServed(TlsRig rig, byte[] certificate) throws Exception {
    try (SSLSocket client = rig.client()) {
      assertThat(TlsRig.ask(client, TlsRig.echo(new byte[5]), 5)).hasSize(5);
      byte[] served = client.getSession().getPeerCertificates()[0].getEncoded();
      return Arrays.equals(served, certificate);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void sessionsAreResumed(Backend backend) throws Exception {
    for (String version : VERSIONS) {
      try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"))) {
        long[] created = new long[3];
        for (int i = 0; i < created.length; i++) {
          try (SSLSocket client = rig.client(version)) {
            TlsRig.ask(client, TlsRig.echo(new byte[5]), 5);
            created[i] = client.getSession().getCreationTime();
          }
          Thread.sleep(5);
        }
        assertThat(created[1]).as(version).isEqualTo(created[0]);
        assertThat(created[2]).as(version).isEqualTo(created[0]);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void aDamagedRecordEndsTheConnection(Backend backend) throws Exception {
    try (TlsRig rig = new TlsRig(backend, TlsFiles.context("ec"));
        Socket socket = rig.plain();
        SSLSocket client =
            (SSLSocket)
                rig.clients.getSocketFactory().createSocket(socket, "localhost", 0, false)) {
      assertThat(TlsRig.ask(client, TlsRig.echo(new byte[5]), 5)).hasSize(5);
      socket.getOutputStream().write(new byte[] {23, 3, 3, 0, 20});
      socket.getOutputStream().write(new byte[20]);
      assertThatExceptionOfType(SSLException.class)
          .isThrownBy(() -> client.getInputStream().read())
          .withMessageContaining("bad_record_mac");
      rig.awaitNoConnection();
    }
  }
}

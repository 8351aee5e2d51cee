package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.front.FrontTimes;
import sluice.nio.front.FrontMode;
import sluice.testbase.Await;
import sluice.testbase.Slice;
import sun.nio.ch.DefaultSelectorProvider;

/// Generated conversations with one server, with files in front of it and without: the application
/// reads the same bytes in the same order and sees the same end, and the client gets the same
/// replies, with those of the files between them. `-Dsluice.seed=N` runs one.
class FrontConversationsTest {
  private static final int CONVERSATIONS = 100_000;
  private static final int CLIENTS = 8;
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  @TempDir Path directory;

  /// @param file answered in front, where there is a front
  private record Message(String bytes, boolean file, String reply) {}

  /// @param cut how much is sent of all messages together
  /// @param reset whether the client then resets the connection, and does not end it
  private record Conversation(List<Message> messages, int cut, boolean reset) {
    String all() {
      StringBuilder text = new StringBuilder();
      messages.forEach(message -> text.append(message.bytes));
      return text.toString();
    }

    /// The same without the requests for files that are sent whole.
    Conversation ofApplication() {
      List<Message> left = new ArrayList<>();
      int at = 0;
      int without = 0;
      for (Message message : messages) {
        at += message.bytes.length();
        if (message.file && at <= cut) {
          without += message.bytes.length();
        } else {
          left.add(message);
        }
      }
      return new Conversation(left, cut - without, reset);
    }

    List<String> replies() {
      List<String> replies = new ArrayList<>();
      int at = 0;
      for (Message message : messages) {
        at += message.bytes.length();
        if (at <= cut) {
          replies.add(message.reply);
        }
      }
      return replies;
    }
  }

  FrontMode mode() {
    return FrontMode.COMPANION;
  }

  @Test
  void theApplicationCannotTellThatThereAreFilesInFrontOfIt() throws Exception {
    Files.writeString(directory.resolve("a.txt"), "file a");
    Files.writeString(directory.resolve("b.txt"), "b".repeat(900));
    FrontTimes times =
        new FrontTimes(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(60));
    SelectorProvider fronted = CompletionProviders.behind(directory, times, mode());
    Long only = Long.getLong("sluice.seed");
    long[] seeds =
        only == null ? Slice.current().seeds(CONVERSATIONS).toArray() : new long[] {only};
    try (SmallApplication behind = new SmallApplication(fronted);
        SmallApplication bare = new SmallApplication(DefaultSelectorProvider.get());
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        running.add(
            clients.submit(() -> {
              for (int k = client; k < seeds.length; k += CLIENTS) {
                converse(behind, bare, seeds[k]);
              }
              return null;
            }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    }
  }

  private static void converse(SmallApplication behind, SmallApplication bare, long seed)
      throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Conversation conversation = generate(random);
    try {
      converse(behind, conversation, conversation.ofApplication(), random.split());
      Conversation without = conversation.ofApplication();
      if (without.cut > 0) {
        converse(bare, without, without, random.split());
      }
    } catch (Exception | AssertionError e) {
      throw new AssertionError("-Dsluice.seed=" + seed + ": " + conversation, e);
    }
  }

  /// @param seen what the application is to see of it
  private static void converse(
      SmallApplication application,
      Conversation conversation,
      Conversation seen,
      SplittableRandom random)
      throws Exception {
    String text = conversation.all().substring(0, conversation.cut);
    SocketAddress address;
    try (FrontClient client = new FrontClient(application.port(), anotherAddress())) {
      address = client.socket.getLocalSocketAddress();
      client.socket.setTcpNoDelay(true);
      int at = 0;
      while (at < text.length()) {
        int piece = random.nextInt(10) == 0 ? 1 : 1 + random.nextInt(text.length() - at);
        client.send(text.substring(at, at + piece));
        at += piece;
      }
      if (conversation.reset) {
        client.socket.setSoLinger(true, 0);
      } else {
        client.socket.shutdownOutput();
        for (String expected : conversation.replies()) {
          assertThat(client.reply()).isEqualTo(expected);
        }
        assertThat(client.in.read()).isEqualTo(-1);
      }
    }
    String sent = seen.all().substring(0, seen.cut);
    if (conversation.reset) {
      SmallApplication.Transcript transcript = application.transcripts.remove(address);
      if (transcript != null) { // it has heard of the connection, and of its end already
        assertThat(sent).startsWith(transcript.bytes());
        assertThat(transcript.reset()).isTrue();
      }
    } else if (!sent.isEmpty()) {
      Await.until("the end", () -> application.transcripts.containsKey(address));
      SmallApplication.Transcript transcript = application.transcripts.remove(address);
      assertThat(transcript).isEqualTo(new SmallApplication.Transcript(sent, false));
    }
  }

  /// No two clients have the same one, so a transcript tells which it is of.
  private static InetAddress anotherAddress() throws UnknownHostException {
    int number = 2 + ADDRESSES.incrementAndGet();
    return InetAddress.getByAddress(
        new byte[] {127, (byte) (number >> 16), (byte) (number >> 8), (byte) number});
  }

  private static Conversation generate(SplittableRandom random) {
    List<Message> messages = new ArrayList<>();
    int count = 1 + random.nextInt(8);
    int length = 0;
    for (int i = 0; i < count; i++) {
      Message message = message(random, i);
      messages.add(message);
      length += message.bytes.length();
    }
    boolean cut = random.nextInt(5) == 0;
    boolean reset = random.nextInt(10) == 0;
    return new Conversation(messages, cut ? 1 + random.nextInt(length) : length, reset);
  }

  private static Message message(SplittableRandom random, int i) {
    return switch (random.nextInt(6)) {
      case 0 -> new Message("GET /a.txt HTTP/1.1" + FrontClient.END, true, "200 file a");
      case 1 ->
          new Message("GET /b.txt?x HTTP/1.1" + FrontClient.END, true, "200 " + "b".repeat(900));
      case 2 -> dynamic("GET", "/chunked" + i, "");
      case 3 -> dynamic("POST", "/up" + i, body(random));
      case 4 -> dynamic("DELETE", "/a.txt", "");
      default -> dynamic("GET", "/api/" + i, "");
    };
  }

  /// May look like requests.
  private static String body(SplittableRandom random) {
    return random.nextBoolean()
        ? "GET /a.txt HTTP/1.1" + FrontClient.END.repeat(random.nextInt(3))
        : "x".repeat(random.nextInt(2_000));
  }

  private static Message dynamic(String method, String path, String body) {
    CRC32 sum = new CRC32();
    sum.update(body.getBytes(StandardCharsets.ISO_8859_1));
    String length = body.isEmpty() ? "" : "\r\nContent-Length: " + body.length();
    return new Message(
        method + " " + path + " HTTP/1.1" + length + FrontClient.END + body,
        false,
        "200 " + path + "#" + body.length() + "#" + sum.getValue());
  }
}

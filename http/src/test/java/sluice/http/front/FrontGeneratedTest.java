package sluice.http.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Generated conversations against a model that knows each message as a whole: whatever is cut,
/// pipelined and late, the application gets its requests byte for byte, and the client gets all
/// replies in the order of its requests.
@Timeout(120)
final class FrontGeneratedTest {
  private static final int CONVERSATIONS = 100_000;

  /// A request that is the application's, and its reply.
  private static final class Exchange {
    final byte[] request;
    final byte[] reply;

    Exchange(byte[] request, byte[] reply) {
      this.request = request;
      this.reply = reply;
    }
  }

  private static final class Conversation {
    private final SplittableRandom random;
    private final ByteArrayOutputStream sends = new ByteArrayOutputStream();
    private final ByteArrayOutputStream passed = new ByteArrayOutputStream();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final ArrayDeque<Exchange> dynamic = new ArrayDeque<>();
    private final FrontRig rig = new FrontRig();

    Conversation(long seed) {
      random = new SplittableRandom(seed);
    }

    static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private boolean chance(int percent) {
      return random.nextInt(100) < percent;
    }

    /// Content that looks like messages.
    private String content() {
      String likely = "GET /s9 HTTP/1.1\r\nHost: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n0\r\n\r\n";
      int from = random.nextInt(likely.length());
      return likely.substring(from, from + random.nextInt(likely.length() - from + 1));
    }

    private String body(String head) {
      String content = content();
      if (chance(50)) {
        return head + "Content-Length: " + content.length() + "\r\n\r\n" + content;
      }
      StringBuilder text = new StringBuilder(head + "Transfer-Encoding: chunked\r\n\r\n");
      int at = 0;
      while (at < content.length()) {
        int count = 1 + random.nextInt(content.length() - at);
        text.append(Integer.toHexString(count)).append(chance(20) ? ";a=b\r\n" : "\r\n");
        text.append(content, at, at + count).append("\r\n");
        at += count;
      }
      return text.append(chance(20) ? "0\r\nT: v\r\n\r\n" : "0\r\n\r\n").toString();
    }

    private void addMessage(int number) {
      String host = " HTTP/1.1\r\nHost: a\r\n";
      if (chance(45)) {
        String target = "/s" + number;
        sends.writeBytes(ascii((chance(80) ? "GET " : "HEAD ") + target + host + "\r\n"));
        received.writeBytes(ascii("<" + target + ">"));
        return;
      }
      String request;
      boolean toHead = chance(20);
      if (toHead) {
        request = "HEAD /d" + number + host + "\r\n";
      } else if (chance(50)) {
        request = body("POST /d" + number + host);
      } else {
        request = "GET /d" + number + host + "\r\n";
      }
      byte[] reply = ascii(reply(number, toHead));
      sends.writeBytes(ascii(request));
      passed.writeBytes(ascii(request));
      received.writeBytes(reply);
      dynamic.add(new Exchange(ascii(request), reply));
    }

    private String reply(int number, boolean toHead) {
      String interim = chance(10) ? "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" : "";
      String fields = "X-Number: " + number + "\r\n";
      if (chance(15)) {
        return interim
            + "HTTP/1.1 "
            + (chance(50) ? "204 No" : "304 Not")
            + "\r\n"
            + fields
            + "\r\n";
      }
      String whole = body("HTTP/1.1 200 OK\r\n" + fields);
      return interim + (toHead ? whole.substring(0, whole.indexOf("\r\n\r\n") + 4) : whole);
    }

    private void converse() {
      int messages = 1 + random.nextInt(6);
      for (int i = 0; i < messages; i++) {
        addMessage(i);
      }
      byte[] client = sends.toByteArray();
      int sent = 0;
      byte[] writes = {};
      long requestsRead = 0;
      while (sent < client.length || !dynamic.isEmpty() || writes.length > 0) {
        if (sent < client.length && chance(60)) {
          int count = 1 + random.nextInt(chance(50) ? 5 : client.length - sent);
          count = Math.min(count, client.length - sent);
          rig.client(Arrays.copyOfRange(client, sent, sent + count));
          sent += count;
        }
        Exchange next = dynamic.peek();
        if (next != null && rig.toApplication.size() >= requestsRead + next.request.length) {
          requestsRead += next.request.length;
          int before = writes.length;
          writes = Arrays.copyOf(writes, before + next.reply.length);
          System.arraycopy(next.reply, 0, writes, before, next.reply.length);
          dynamic.remove();
        }
        if (writes.length > 0 && chance(50)) {
          int count = 1 + random.nextInt(writes.length);
          rig.application(Arrays.copyOf(writes, count));
          writes = Arrays.copyOfRange(writes, count, writes.length);
        }
      }
    }
  }

  @Test
  void everyByteArrivesInItsOrder() {
    List<Long> wrong = new ArrayList<>();
    long base = Long.getLong("sluice.seed", 0);
    for (long seed = base; seed < base + CONVERSATIONS && wrong.isEmpty(); seed++) {
      Conversation one = new Conversation(seed);
      one.converse();
      boolean good =
          Arrays.equals(one.rig.toApplication.toByteArray(), one.passed.toByteArray())
              && Arrays.equals(one.rig.toClient.toByteArray(), one.received.toByteArray())
              && one.rig.tracker.mayAnswer()
              && one.rig.held() == 0;
      if (!good) {
        wrong.add(seed);
      }
    }
    assertThat(wrong).as("seeds").isEmpty();
  }
}

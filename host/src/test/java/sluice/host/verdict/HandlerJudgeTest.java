package sluice.host.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.HttpReply;
import sluice.http.parse.HttpRequest;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.Output;
import sluice.loop.datagrams.DatagramInterruptlet;
import sluice.loop.verdict.Verdict;
import sluice.memory.View;
import sluice.net.port.InterruptHandler;
import sluice.net.transport.PacketWorker;
import sluice.testbase.Await;

/// Tests the verdict on handlers of each kind.
final class HandlerJudgeTest {
  private final HandlerJudge judge = new HandlerJudge();

  /// A class whose lambdas are all bounded; the bounds of lambdas of the same kind differ.
  private static final class Bounded {
    private static final byte[] PONG = {'p', 'o', 'n', 'g', '\n'};

    static Interruptlet ping() {
      return (message, reply) -> {
        reply.put(PONG);
        return message.length() > 0;
      };
    }

    static Interruptlet echo() {
      return (message, reply) -> {
        reply.append(message, 0, message.length());
        return Interruptlet.DONE;
      };
    }

    static HttpInterruptlet greeting() {
      return (request, reply) -> {
        reply.field("Content-Type", "text/plain").text("hello\n");
        return true;
      };
    }

    static DatagramInterruptlet answer() {
      return (datagram, reply) -> {
        reply.put(datagram, 0, Math.min(12, datagram.length())).putInt(0);
        return true;
      };
    }

    static InterruptHandler count(int[] counts) {
      return () -> counts[0]++;
    }
  }

  /// A class with a lambda that has no bound. The JVM does not tell which of the lambdas a handler
  /// is.
  private static final class Mixed {
    private static final Map<String, byte[]> KNOWN = new ConcurrentHashMap<>();

    static Interruptlet known() {
      return (message, reply) -> {
        byte[] value = KNOWN.get(message.latin1(0, message.length()));
        if (value == null) {
          return false;
        }
        reply.put(value);
        return true;
      };
    }

    static Interruptlet ping() {
      return (message, reply) -> message.length() > 0;
    }
  }

  /// A class whose subclass may change the behaviour of the handler.
  private static class Open implements Interruptlet {
    @Override
    public boolean handle(View message, Output reply) {
      return word() > 0;
    }

    int word() {
      return 1;
    }

    boolean other(View message, Output reply) {
      return message.length() > 0;
    }

    Interruptlet reference() {
      return this::other;
    }
  }

  /// A class that is no handler.
  private static final class Other {}

  private Verdict of(Object handler) {
    return judge.of(handler.getClass());
  }

  @Test
  void handlersOfEachKindAreVerified() {
    List<Object> handlers =
        List.of(Bounded.ping(), Bounded.greeting(), Bounded.answer(), Bounded.count(new int[1]));
    assertThat(handlers)
        .allSatisfy(each -> assertThat(of(each).kind()).isEqualTo(Verdict.Kind.VERIFIED));
    assertThat(of(Bounded.ping())).as("the larger of the two").isEqualTo(of(Bounded.echo()));
    assertThat(of(Bounded.greeting()).bytecodes()).isLessThan(40_000);
  }

  @Test
  void theHandlerOfADriverIsVerified() throws Exception {
    Class<?> unblocks = Class.forName(PacketWorker.class.getName() + "$Unblock");
    assertThat(judge.of(unblocks).kind()).isEqualTo(Verdict.Kind.VERIFIED);
    assertThat(judge.of(unblocks).bytecodes()).isBetween(4_000L, 5_000L);
  }

  @Test
  void whatMayBeAnythingElseStaysTrusted() {
    List<Object> handlers =
        List.of(Mixed.known(), Mixed.ping(), new Open(), new Open().reference(), new Other());
    assertThat(handlers).allSatisfy(each -> assertThat(of(each)).isEqualTo(Verdict.TRUSTED));
  }

  @Test
  void aGuardHasTheVerdictOnWhatItHasMade() throws Exception {
    HandlerGuard guard = new HandlerGuard("greeting", 1_000_000);
    assertThat(guard.verdict()).isEqualTo(Verdict.TRUSTED);
    HttpInterruptlet made = guard.make(Bounded::greeting);
    assertThat(made).isNotNull();
    Await.until("the verdict", () -> guard.verdict().kind() == Verdict.Kind.VERIFIED);
    assertThat(Verdict.text(guard.verdict().code())).startsWith("verified, at most ");
    HandlerGuard other = new HandlerGuard("other", 1_000_000);
    HttpInterruptlet refused = other.make(() -> HandlerJudgeTest::refuses);
    assertThat(refused).isNotNull();
    assertThat(other.verdict()).isEqualTo(Verdict.TRUSTED);
  }

  private static boolean refuses(HttpRequest request, HttpReply reply) {
    return request.toString().isEmpty();
  }
}

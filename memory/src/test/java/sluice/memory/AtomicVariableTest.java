package sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testbase.Await;

/// Tests a number that threads wait for.
@Timeout(120)
class AtomicVariableTest {
  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  void noWakeUpIsLost(boolean isAskerVirtual, boolean isWorkerVirtual) throws Exception {
    FutureTask<Boolean> asks = new FutureTask<>(() -> ask(builder(isWorkerVirtual)));
    Thread asker = builder(isAskerVirtual).start(asks);
    Await.end(asker);
    assertThat(asks.get()).isTrue();
  }

  private static Thread.Builder builder(boolean isVirtual) {
    return isVirtual ? Thread.ofVirtual() : Thread.ofPlatform();
  }

  private static boolean ask(Thread.Builder workers) throws InterruptedException {
    AtomicVariable question = new AtomicVariable(0);
    AtomicVariable answer = new AtomicVariable(0);
    int rounds = 20_000;
    Thread worker =
        workers.start(() -> {
          for (int i = 0; i < rounds; i++) {
            question.blockIfEqual(i);
            answer.setAndUnblock(question.get());
          }
        });
    for (int i = 0; i < rounds; i++) {
      question.setAndUnblock(i + 1);
      answer.blockIfEqual(i);
      assertThat(answer.get()).isEqualTo(i + 1);
    }
    Await.end(worker);
    return true;
  }

  @Test
  void setAloneWakesNoThreadAndAnotherValueDoesNotBlock() throws Exception {
    AtomicVariable variable = new AtomicVariable(0);
    variable.blockIfEqual(1);
    Thread worker = Thread.ofPlatform().start(() -> variable.blockIfEqual(0));
    Await.until("waits", () -> worker.getState() == Thread.State.WAITING);
    assertThatThrownBy(() -> variable.blockIfEqual(0)).isInstanceOf(IllegalStateException.class);
    variable.set(0);
    assertThat(worker.isAlive()).isTrue();
    worker.interrupt();
    Await.end(worker);
    variable.setAndUnblock(2);
    assertThat(variable.get()).isEqualTo(2);
  }
}

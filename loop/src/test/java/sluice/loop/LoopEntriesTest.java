package sluice.loop;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// How often a message enters [Loop]: once, with its receive's completion. The trace, from a turn's
/// wait to the wait of the next:
///
/// ```
/// Engine.turn ──▶ Loop.complete                                                the only entry
///   Receiver.received ─▶ Turn.openBatch, ConnectionInput.received ─▶ present
///     ProtocolCalls.deliver ─▶ Connection.busy, HandledInput.begin
///       Protocol.received ─▶ Output.put ─▶ OutputMemory, Connection.markDirty ─▶ BatchQueue.add
///       Protocol.received ─▶ Connection.deadline ─▶ Turn.now, TimerWheel.schedule
/// Loop.turn ──▶ FlushQueue.flushAll ─▶ BatchQueue.pass ─▶ Transport.send
///   Engine.turn: a send that took everything has no completion
/// Loop.turn ──▶ FlushQueue.settleAll ─▶ Output.drop
/// ```
final class LoopEntriesTest {
  private static final String LOOP = "sluice/loop/Loop";

  /// Classes of this module that call a loop: at their making and end, for other threads, or once
  /// for all datagrams that a turn stages.
  private static final List<String> CALLERS =
      List.of(
          "datagrams/DatagramInterruptlets",
          "datagrams/HandledDatagrams",
          "datagrams/KernelDatagrams");

  @Test
  void aMessageEntersTheLoopOnce() throws IOException {
    Protocol echo =
        (connection, input) -> {
          connection.deadline(1_000_000_000L);
          connection.output().append(input, 0, input.length());
          return input.length();
        };
    try (LoopRig rig = new LoopRig(echo)) {
      Connection connection = rig.open();
      rig.turns(2);
      long before = rig.loop.counters().completions;
      rig.engine.arrive(connection.socket, new byte[] {1, 2, 3});
      rig.turns(3);
      assertThat(rig.wire(connection)).containsExactly(1, 2, 3);
      assertThat(rig.loop.counters().completions - before).isEqualTo(1);
    }
  }

  /// The completion would be one of several entries if a class below called the loop back.
  @Test
  void noClassOnTheWayCallsTheLoop() throws Exception {
    TreeSet<String> callers =
        classes().stream()
            .flatMap(LoopEntriesTest::callsOfLoop)
            .filter(each -> !each.startsWith("server/"))
            .collect(toCollection(TreeSet::new));
    assertThat(callers).contains("InterruptletProtocol.<init>");
    callers.removeIf(
        each -> each.endsWith(".<init>") || CALLERS.contains(each.substring(0, each.indexOf('.'))));
    assertThat(callers).isEmpty();
  }

  private static List<ClassModel> classes() throws IOException, URISyntaxException {
    Path root = Path.of(Loop.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(root.resolve("sluice/loop"))) {
      return files
          .filter(file -> file.toString().endsWith(".class"))
          .map(LoopEntriesTest::parsed)
          .filter(model -> !model.thisClass().asInternalName().equals(LOOP))
          .toList();
    }
  }

  private static ClassModel parsed(Path file) {
    try {
      return ClassFile.of().parse(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Stream<String> callsOfLoop(ClassModel model) {
    String name = model.thisClass().asInternalName().substring("sluice/loop/".length());
    return model.methods().stream()
        .filter(method -> method.code().map(LoopEntriesTest::callsLoop).orElse(false))
        .map(method -> name + "." + named(method));
  }

  private static String named(MethodModel method) {
    return method.methodName().stringValue();
  }

  private static boolean callsLoop(CodeModel code) {
    return code.elementStream()
        .anyMatch(element ->
            switch (element) {
              case InvokeInstruction call -> call.owner().asInternalName().equals(LOOP);
              case InvokeDynamicInstruction made ->
                  made.bootstrapArgs().stream().anyMatch(LoopEntriesTest::isOfLoop);
              default -> false;
            });
  }

  /// Whether a lambda is a method of the loop, as in `loop::execute`.
  private static boolean isOfLoop(ConstantDesc argument) {
    return argument instanceof DirectMethodHandleDesc handle
        && handle.owner().descriptorString().equals("L" + LOOP + ";");
  }
}

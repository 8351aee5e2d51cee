package sluice.domain.translate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.domain.translate.JdkMembers.Entry;
import sluice.verify.check.DomainCheck;
import sluice.verify.check.Finding;
import sluice.verify.check.RuleTable;
import sluice.verify.check.Treatment;

/// Checks the lists of JDK members that give access to threads of other parties, change JVM-wide
/// settings, or start threads. The lists are generated from the JDK's own classes, and each entry
/// has a verdict in a file next to this test. A JDK with a new entry fails here.
///
/// A line of a file is `VERDICT MEMBER | REASON`, where a member may end with `*`; the first
/// matching line counts. For each member, a class that calls it is generated and translated like a
/// domain's.
@Timeout(300)
final class JdkListsTest {
  @SuppressWarnings("NullAway") // made before all tests
  private static JdkMembers jdk;

  @BeforeAll
  static void read() throws IOException {
    jdk = new JdkMembers();
  }

  private record Verdict(String word, String member, String reason) {
    boolean matches(String name) {
      return member.endsWith("*")
          ? name.startsWith(member.substring(0, member.length() - 1))
          : name.equals(member);
    }
  }

  private static List<Verdict> verdicts(String file) throws IOException {
    List<Verdict> result = new ArrayList<>();
    try (InputStream in = Objects.requireNonNull(JdkListsTest.class.getResourceAsStream(file))) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          String[] parts = line.split(" \\| ", -1);
          String[] words = parts[0].split(" ", -1);
          assertThat(parts).as(line).hasSize(2);
          assertThat(words).as(line).hasSize(2);
          assertThat(parts[1]).as(line).isNotBlank();
          result.add(new Verdict(words[0], words[1], parts[1]));
        }
      }
    }
    return result;
  }

  private static Verdict verdict(List<Verdict> all, String name, Set<Verdict> used) {
    for (Verdict each : all) {
      if (each.matches(name)) {
        used.add(each);
        return each;
      }
    }
    return new Verdict("none", name, "");
  }

  /// Returns a class with one method that calls a member.
  private static byte[] calling(Entry entry) {
    return ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
        .build(
            ClassDesc.of("guest.Caller"),
            type ->
                type.withMethodBody(
                    "call",
                    ConstantDescs.MTD_void,
                    ClassFile.ACC_STATIC,
                    code -> {
                      call(code, entry);
                      code.return_();
                    }));
  }

  private static void call(CodeBuilder code, Entry entry) {
    ClassDesc owner = ClassDesc.ofInternalName(entry.owner());
    if (!entry.descriptor().startsWith("(")) {
      code.getstatic(owner, entry.name(), ClassDesc.ofDescriptor(entry.descriptor())).pop();
      return;
    }
    MethodTypeDesc type = MethodTypeDesc.ofDescriptor(entry.descriptor());
    if (!entry.isStatic()) {
      code.aconst_null().checkcast(owner);
    }
    for (ClassDesc each : type.parameterList()) {
      switch (TypeKind.from(each).asLoadable()) {
        case INT -> code.iconst_0();
        case LONG -> code.lconst_0();
        case FLOAT -> code.fconst_0();
        case DOUBLE -> code.dconst_0();
        default -> code.aconst_null();
      }
    }
    if (entry.isStatic()) {
      code.invokestatic(owner, entry.name(), type, entry.isInterface());
    } else if (entry.isInterface()) {
      code.invokeinterface(owner, entry.name(), type);
    } else {
      code.invokevirtual(owner, entry.name(), type);
    }
    switch (TypeKind.from(type.returnType())) {
      case VOID -> {}
      case LONG, DOUBLE -> code.pop2();
      default -> code.pop();
    }
  }

  /// Returns the treatment of a call of the member in a domain.
  private static String treatment(Entry entry) {
    byte[] bytes = calling(entry);
    DomainCheck check = new DomainCheck(RuleTable.standard());
    check.add("guest", bytes);
    List<Finding> found = check.run();
    ClassModel translated = ClassFile.of().parse(new Translator().translate(bytes, _ -> null));
    if (found.stream().anyMatch(Finding::throwsAtCall)) {
      boolean isGuarded = unguarded(translated, ClassDesc.ofInternalName(entry.owner())).isEmpty();
      return isGuarded ? "refused" : "refused, and called";
    }
    if (callsSubstitute(translated)) {
      return "redirected";
    }
    boolean isOpen =
        found.stream().anyMatch(each -> each.rule().treatment() == Treatment.NOT_ENFORCED);
    return isOpen ? "not-enforced" : "allowed";
  }

  /// Returns the uses of a class without a throw before them.
  static List<Instruction> unguarded(ClassModel model, ClassDesc owner) {
    List<Instruction> found = new ArrayList<>();
    for (MethodModel method : model.methods()) {
      boolean isGuarded = false;
      List<CodeElement> code = method.code().map(CodeModel::elementList).orElse(List.of());
      for (CodeElement element : code) {
        if (element instanceof Instruction instruction) {
          boolean isUse =
              switch (instruction) {
                case InvokeInstruction call -> call.owner().asSymbol().equals(owner);
                case FieldInstruction field -> field.owner().asSymbol().equals(owner);
                default -> false;
              };
          if (isUse && !isGuarded) {
            found.add(instruction);
          }
          isGuarded =
              instruction instanceof InvokeInstruction call
                  && call.owner().asInternalName().equals("sluice/domain/inside/Refusal");
        } else if (element instanceof LabelTarget) {
          isGuarded = false;
        }
      }
    }
    return found;
  }

  private static boolean callsSubstitute(ClassModel model) {
    for (MethodModel method : model.methods()) {
      for (CodeElement element : method.code().orElseThrow()) {
        if (element instanceof InvokeInstruction call) {
          String owner = call.owner().asInternalName();
          if (owner.startsWith(Relocation.OWN) && !owner.equals(Relocation.GATE)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static void check(String file, Collection<Entry> entries) throws IOException {
    List<Verdict> all = verdicts(file);
    Set<Verdict> used = new HashSet<>();
    List<String> wrong = new ArrayList<>();
    for (Entry each : entries) {
      String word = verdict(all, each.toString(), used).word();
      String is = treatment(each);
      if (!word.equals(is)) {
        wrong.add(word + ", is " + is + ": " + each);
      }
    }
    assertThat(String.join("\n", wrong)).as("verdicts that are missing or do not hold").isEmpty();
    assertThat(all).as("lines for nothing in this JDK").allMatch(used::contains);
    assertThat(entries).as("entries").hasSizeGreaterThan(100);
  }

  @Test
  void eachCallThatGivesThreadsHasAVerdict() throws IOException {
    check("thread-givers.txt", jdk.threadGivers());
  }

  @Test
  void eachSetterOfTheJvmHasAVerdict() throws IOException {
    check("static-setters.txt", jdk.staticSetters());
  }

  /// Checks makers of threads. Domains do not call them, so there is nothing to translate: the
  /// verdict explains why none of their threads delays the end of a domain.
  @Test
  void eachMakerOfThreadsHasAVerdict() throws IOException {
    List<Verdict> all = verdicts("thread-makers.txt");
    Set<Verdict> used = new HashSet<>();
    Set<String> makers = jdk.threadMakers();
    assertThat(makers)
        .allSatisfy(each ->
            assertThat(verdict(all, each, used).word())
                .as(each)
                .isIn("host", "prestarted", "owned", "listed", "released", "refused"));
    assertThat(all).as("lines for nothing in this JDK").allMatch(used::contains);
    assertThat(makers).hasSizeGreaterThan(60);
  }
}

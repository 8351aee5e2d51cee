package sluice.host.verdict;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.invoke.MethodHandleInfo;
import java.lang.reflect.AccessFlag;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.loop.verdict.Judge;
import sluice.loop.verdict.Verdict;
import sluice.verify.Bound;
import sluice.verify.Component;
import sluice.verify.CostTable;
import sluice.verify.Limits;
import sluice.verify.Verification;
import sluice.verify.Verifier;

/// Computes bounds for the handlers of a program, using the verifier. It examines the classes of
/// the handler's package that are reachable from the handler. Classes outside of the package may
/// extend these classes unless they are final. This class is stateless and thread-safe.
///
/// The JVM does not reveal which method is executed by a lambda. Therefore all lambdas in its class
/// that implement the same interface are examined, and the largest bound is used. The class
/// initializers that a handler requires are executed by this class before the handler receives its
/// first message.
public final class HandlerJudge implements Judge {
  /// The maximum length of a message, request or datagram for which the bound holds.
  static final int MOST_BYTES = 1 << 16;

  private static final int MOST_CLASSES = 64;
  private static final String LAMBDA = "$$Lambda";

  /// A name that is not used by any method.
  private static final String NOT_KNOWN = "";

  /// The name of the method that is invoked, keyed by the type that a handler implements or
  /// extends.
  private static final Map<String, String> METHODS =
      Map.of(
          "sluice.http.handlers.HttpInterruptlet",
          "handle(Lsluice/http/parse/HttpRequest;Lsluice/http/handlers/HttpReply;)Z",
          "sluice.loop.Interruptlet",
          "handle(Lsluice/memory/View;Lsluice/loop/Output;)Z",
          "sluice.loop.datagrams.DatagramInterruptlet",
          "handle(Lsluice/memory/View;Lsluice/loop/datagrams/DatagramOutput;)Z",
          "sluice.loop.datagrams.DatagramHandler",
          "received(Lsluice/loop/datagrams/Datagrams;Lsluice/memory/View;"
              + "Lsluice/loop/datagrams/DatagramPeer;)V",
          "sluice.isocket.SocketInterruptlet",
          "handleInterrupt([B)[B",
          "sluice.net.port.InterruptHandler",
          "handleInterrupt()V");

  /// A method that contains code.
  private record Entry(String className, String method) {}

  /// Creates a judge. This constructor is used by the service loader.
  public HandlerJudge() {}

  @Override
  public Verdict of(Class<?> type) {
    Class<?> kind = kind(type);
    String method = kind == null ? null : METHODS.get(kind.getName());
    if (kind == null || method == null) {
      return Verdict.TRUSTED;
    }
    Class<?> written = type.isHidden() ? aroundLambda(type) : type;
    if (written == null) {
      return Verdict.TRUSTED;
    }
    Map<String, byte[]> classes = classes(written);
    List<Entry> entries =
        type.isHidden()
            ? lambdas(classes, written, kind)
            : List.of(new Entry(type.getName(), method));
    long bytecodes = 0;
    long bytes = 0;
    for (Entry entry : entries) {
      Bound bound = bound(classes, entry, type);
      if (bound == null) {
        return Verdict.TRUSTED;
      }
      bytecodes = Math.max(bytecodes, bound.bytecodes());
      bytes = Math.max(bytes, bound.bytes());
    }
    return entries.isEmpty() ? Verdict.TRUSTED : Verdict.verified(bytecodes, bytes);
  }

  /// Returns the class that contains a lambda. Its name is part of the name of the class that the
  /// JDK generates for the lambda.
  private static @Nullable Class<?> aroundLambda(Class<?> hidden) {
    int end = hidden.getName().indexOf(LAMBDA);
    try {
      return end < 0
          ? null
          : Class.forName(hidden.getName().substring(0, end), false, hidden.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }

  private static @Nullable Class<?> kind(Class<?> type) {
    for (Class<?> at = type; at != null; at = at.getSuperclass()) {
      if (METHODS.containsKey(at.getName())) {
        return at;
      }
      for (Class<?> each : at.getInterfaces()) {
        Class<?> found = kind(each);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  /// Returns the bound of a method, or null if there is none.
  private static @Nullable Bound bound(Map<String, byte[]> classes, Entry entry, Class<?> type) {
    Component part = Component.part();
    classes.forEach(part::add);
    Verification.Entry found =
        Verifier.entry(
            part,
            CostTable.standard(),
            new Limits(MOST_BYTES, Limits.DEFAULT.maxBytecodes()),
            entry.className(),
            entry.method());
    if (!found.verdict().isAccepted()) {
      System.getLogger("sluice.host")
          .log(System.Logger.Level.DEBUG, () -> "handler " + type + " stays trusted: " + found);
      return null;
    }
    try {
      for (String name : found.uses()) {
        Class.forName(name, true, type.getClassLoader());
      }
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
    return found.verdict().bound();
  }

  // ---- class files --------------------------------------------------------------------------

  /// Returns the class files of a class and of all classes in its package that it references
  /// directly or indirectly.
  private static Map<String, byte[]> classes(Class<?> first) {
    String directory = first.getPackageName().replace('.', '/') + "/";
    String prefix = directory.equals("/") ? "" : directory;
    Map<String, byte[]> found = new LinkedHashMap<>();
    Deque<String> waiting = new ArrayDeque<>(List.of(first.getName().replace('.', '/')));
    while (!waiting.isEmpty() && found.size() < MOST_CLASSES) {
      String name = waiting.remove();
      byte[] bytes = found.containsKey(name) ? null : read(first, name);
      if (bytes == null) {
        continue;
      }
      found.put(name, bytes);
      for (PoolEntry each : ClassFile.of().parse(bytes).constantPool()) {
        String other = each instanceof ClassEntry type ? type.asInternalName() : "";
        if (other.startsWith(prefix) && other.indexOf('/', prefix.length()) < 0) {
          waiting.add(other);
        }
      }
    }
    return found;
  }

  private static byte @Nullable [] read(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream("/" + name + ".class")) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the methods of all lambdas in a class that implement the given interface.
  private static List<Entry> lambdas(Map<String, byte[]> classes, Class<?> written, Class<?> kind) {
    List<Entry> entries = new ArrayList<>();
    byte[] bytes = classes.get(written.getName().replace('.', '/'));
    if (bytes == null) {
      return entries;
    }
    for (MethodModel method : ClassFile.of().parse(bytes).methods()) {
      for (CodeElement each : method.code().map(code -> code.elementList()).orElse(List.of())) {
        if (each instanceof InvokeDynamicInstruction made
            && made.typeSymbol().returnType().equals(kind.describeConstable().orElseThrow())) {
          entries.addAll(implementation(made, classes));
        }
      }
    }
    return entries;
  }

  private static List<Entry> implementation(
      InvokeDynamicInstruction made, Map<String, byte[]> classes) {
    List<Entry> entries = new ArrayList<>();
    for (LoadableConstantEntry argument : made.invokedynamic().bootstrap().arguments()) {
      if (argument instanceof MethodHandleEntry handle) {
        MemberRefEntry method = handle.reference();
        String name = method.name().stringValue() + method.type().stringValue();
        String owner = method.owner().asInternalName();
        boolean isThis = !isVirtual(handle) || isFinal(classes.get(owner), name);
        entries.add(new Entry(owner.replace('/', '.'), isThis ? name : NOT_KNOWN));
      }
    }
    return entries;
  }

  private static boolean isVirtual(MethodHandleEntry handle) {
    return handle.kind() == MethodHandleInfo.REF_invokeVirtual
        || handle.kind() == MethodHandleInfo.REF_invokeInterface;
  }

  private static boolean isFinal(byte @Nullable [] bytes, String name) {
    if (bytes == null) {
      return false;
    }
    ClassModel model = ClassFile.of().parse(bytes);
    return model.flags().has(AccessFlag.FINAL)
        || model.methods().stream()
            .filter(each ->
                (each.methodName().stringValue() + each.methodType().stringValue()).equals(name))
            .anyMatch(
                each -> each.flags().has(AccessFlag.FINAL) || each.flags().has(AccessFlag.PRIVATE));
  }
}

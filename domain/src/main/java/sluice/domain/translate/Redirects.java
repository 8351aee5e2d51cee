package sluice.domain.translate;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.InsteadOf;
import sluice.domain.inside.Substitutes;

/// Which method of [Substitutes] stands for which member of the JDK. Immutable.
final class Redirects {
  static final ClassDesc SUBSTITUTES = ClassDesc.ofInternalName(Relocation.SUBSTITUTES);
  static final ClassDesc EXECUTOR = ClassDesc.of(Executor.class.getName());
  static final ClassDesc FACTORY = ClassDesc.of(ThreadFactory.class.getName());

  private static final String CONCURRENT = "java/util/concurrent/";
  private static final Set<String> TAKE_A_FACTORY =
      Set.of(
          "Executors.newFixedThreadPool(I)",
          "Executors.newCachedThreadPool()",
          "Executors.newSingleThreadExecutor()",
          "Executors.newSingleThreadScheduledExecutor()",
          "Executors.newScheduledThreadPool(I)",
          "ScheduledThreadPoolExecutor.<init>(I)",
          "ThreadPoolExecutor.<init>"
              + "(IIJLjava/util/concurrent/TimeUnit;Ljava/util/concurrent/BlockingQueue;)");
  private static final String HANDLER = "Ljava/util/concurrent/RejectedExecutionHandler;)";
  private static final Set<String> TAKE_A_FACTORY_BEFORE_THE_LAST =
      Set.of(
          "ScheduledThreadPoolExecutor.<init>(I" + HANDLER,
          "ThreadPoolExecutor.<init>"
              + "(IIJLjava/util/concurrent/TimeUnit;Ljava/util/concurrent/BlockingQueue;"
              + HANDLER);

  /// A method of the copy of [Substitutes].
  record Substitute(String name, MethodTypeDesc type) {}

  private final Map<String, Substitute> byMember = new HashMap<>();
  private final Set<String> signatures = new HashSet<>();

  Redirects() {
    for (Method method : Substitutes.class.getDeclaredMethods()) {
      InsteadOf mark = method.getAnnotation(InsteadOf.class);
      if (mark != null) {
        MethodTypeDesc type =
            MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                .describeConstable()
                .orElseThrow();
        for (String member : mark.value()) {
          add(member, mark.kind(), new Substitute(method.getName(), type));
        }
      }
    }
  }

  private void add(String member, InsteadOf.Kind kind, Substitute substitute) {
    String descriptor =
        switch (kind) {
          case STATIC -> substitute.type.descriptorString();
          case RECEIVER -> substitute.type.dropParameterTypes(0, 1).descriptorString();
          case FIELD -> substitute.type.returnType().descriptorString();
        };
    byMember.put(member + descriptor, substitute);
    signatures.add(member.substring(member.indexOf('.')) + descriptor);
  }

  /// The substitute for a member of a class of the JDK, or null.
  @Nullable Substitute find(String owner, String name, String descriptor) {
    return byMember.get(owner + "." + name + descriptor);
  }

  /// Whether some class of the JDK has a member of this name and type that is redirected.
  boolean isCandidate(String name, String descriptor) {
    return signatures.contains("." + name + descriptor) || isThreadStart(name, descriptor);
  }

  static boolean isThreadStart(String name, String descriptor) {
    return name.equals("start") && descriptor.equals("()V");
  }

  /// The type of the argument that is added to a call so that it uses the domain's threads, or
  /// null.
  @Nullable ClassDesc added(String owner, String name, MethodTypeDesc type) {
    if (!owner.startsWith(CONCURRENT)) {
      return null;
    }
    boolean isStage =
        owner.equals(CONCURRENT + "CompletableFuture")
            || owner.equals(CONCURRENT + "CompletionStage");
    if (isStage && (name.endsWith("Async") || name.equals("delayedExecutor"))) {
      int count = type.parameterCount();
      boolean hasExecutor = count > 0 && type.parameterType(count - 1).equals(EXECUTOR);
      return hasExecutor ? null : EXECUTOR;
    }
    String call = call(owner, name, type);
    return TAKE_A_FACTORY.contains(call) || TAKE_A_FACTORY_BEFORE_THE_LAST.contains(call)
        ? FACTORY
        : null;
  }

  private static String call(String owner, String name, MethodTypeDesc type) {
    String text = type.descriptorString();
    return owner.substring(CONCURRENT.length())
        + "."
        + name
        + text.substring(0, text.indexOf(')') + 1);
  }

  /// Where among the parameters the added argument is: last, or one before.
  static int place(String owner, String name, MethodTypeDesc type) {
    boolean isBefore =
        owner.startsWith(CONCURRENT)
            && TAKE_A_FACTORY_BEFORE_THE_LAST.contains(call(owner, name, type));
    return isBefore ? type.parameterCount() - 1 : type.parameterCount();
  }

  /// The name of the method of [Substitutes] that gives an added argument.
  static String giver(ClassDesc added) {
    return added.equals(EXECUTOR) ? "executor" : "threads";
  }

  static final MethodTypeDesc MADE =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);

  static final MethodTypeDesc COMPUTING =
      MethodTypeDesc.of(
          ConstantDescs.CD_void, ClassDesc.of(ClassValue.class.getName()), ConstantDescs.CD_Class);

  static final MethodTypeDesc STARTING =
      MethodTypeDesc.of(ConstantDescs.CD_void, ClassDesc.of(Thread.class.getName()));
}

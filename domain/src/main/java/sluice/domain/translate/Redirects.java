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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.BeanSubstitutes;
import sluice.domain.inside.InsteadOf;
import sluice.domain.inside.LoggerSubstitutes;
import sluice.domain.inside.SettingSubstitutes;
import sluice.domain.inside.Substitutes;
import sluice.domain.inside.ThreadSubstitutes;

/// Maps members of the JDK to the methods of [Substitutes] and similar classes by which they are
/// replaced. Immutable.
final class Redirects {
  static final ClassDesc SUBSTITUTES = ClassDesc.ofInternalName(Relocation.SUBSTITUTES);
  private static final ClassDesc LOGGERS = ClassDesc.ofInternalName(Relocation.LOGGERS);
  private static final ClassDesc BEANS = ClassDesc.ofInternalName(Relocation.BEANS);
  static final ClassDesc EXECUTOR = ClassDesc.of(Executor.class.getName());
  static final ClassDesc FACTORY = ClassDesc.of(ThreadFactory.class.getName());

  /// The type of the parent that is added to a new thread group. Without it, the parent would be
  /// the group of the calling thread, which is the JVM's group in the case of a virtual thread.
  private static final ClassDesc GROUP = ClassDesc.of(ThreadGroup.class.getName());

  private static final String GROUPS = "java/lang/ThreadGroup";
  private static final String OF_A_NAME = "(Ljava/lang/String;)V";

  private static final ClassDesc REJECTED =
      ClassDesc.of("java.util.concurrent.RejectedExecutionHandler");

  static final String THREAD = "java/lang/Thread";

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

  /// A static method of a class of which each domain has a copy.
  record Substitute(ClassDesc owner, String name, MethodTypeDesc type) {}

  private final Map<String, Substitute> byMember = new HashMap<>();
  private final Set<String> signatures = new HashSet<>();

  Redirects() {
    addAll(Substitutes.class, SUBSTITUTES);
    addAll(LoggerSubstitutes.class, LOGGERS);
    addAll(BeanSubstitutes.class, BEANS);
    addAll(ThreadSubstitutes.class, ClassDesc.ofInternalName(Relocation.THREADS));
    addAll(SettingSubstitutes.class, ClassDesc.ofInternalName(Relocation.SETTINGS));
  }

  private void addAll(Class<?> substitutes, ClassDesc copy) {
    for (Method method : substitutes.getDeclaredMethods()) {
      InsteadOf mark = method.getAnnotation(InsteadOf.class);
      if (mark != null) {
        MethodTypeDesc type =
            MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                .describeConstable()
                .orElseThrow();
        for (String member : mark.value()) {
          add(member, mark.kind(), new Substitute(copy, method.getName(), type));
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
          case CONSTRUCTOR ->
              substitute.type.changeReturnType(ConstantDescs.CD_void).descriptorString();
        };
    byMember.put(member + descriptor, substitute);
    signatures.add(member.substring(member.indexOf('.')) + descriptor);
  }

  /// Returns the substitute for a member of a JDK class, or null if there is none.
  @Nullable Substitute find(String owner, String name, String descriptor) {
    return byMember.get(owner + "." + name + descriptor);
  }

  /// Returns true if a member with the given name and descriptor is redirected in any JDK class.
  boolean isCandidate(String name, String descriptor) {
    return signatures.contains("." + name + descriptor);
  }

  static boolean isThreadStart(String name, String descriptor) {
    return name.equals("start") && descriptor.equals("()V");
  }

  /// Returns the type of the argument that is added to a call so that it uses the domain's threads,
  /// or null if none is added.
  @Nullable ClassDesc added(String owner, String name, MethodTypeDesc type) {
    if (owner.equals(GROUPS) && type.descriptorString().equals(OF_A_NAME)) {
      return GROUP;
    }
    if (!owner.startsWith(CONCURRENT)) {
      return null;
    }
    boolean isStage =
        owner.equals(CONCURRENT + "CompletableFuture")
            || owner.equals(CONCURRENT + "CompletionStage");
    if (isStage && mayAdd(name)) {
      int count = type.parameterCount();
      boolean hasExecutor = count > 0 && type.parameterType(count - 1).equals(EXECUTOR);
      return hasExecutor ? null : EXECUTOR;
    }
    String call = call(owner, name, type);
    return TAKE_A_FACTORY.contains(call) || TAKE_A_FACTORY_BEFORE_THE_LAST.contains(call)
        ? FACTORY
        : null;
  }

  /// Returns true if a class of the domain may inherit a method with the given name to which an
  /// argument is added.
  static boolean mayAdd(String name) {
    return name.endsWith("Async");
  }

  private static String call(String owner, String name, MethodTypeDesc type) {
    String text = type.descriptorString();
    return owner.substring(CONCURRENT.length())
        + "."
        + name
        + text.substring(0, text.indexOf(')') + 1);
  }

  /// Returns the index of the added argument among the parameters, which is the last or last but
  /// one.
  static int place(String owner, String name, MethodTypeDesc type) {
    boolean isBefore =
        owner.equals(GROUPS)
            || (owner.startsWith(CONCURRENT)
                && TAKE_A_FACTORY_BEFORE_THE_LAST.contains(call(owner, name, type)));
    return isBefore ? type.parameterCount() - 1 : type.parameterCount();
  }

  /// Returns true for the JDK's thread pools whose constructors may be called by a domain's class.
  static boolean isPool(String owner) {
    return owner.equals(CONCURRENT + "ThreadPoolExecutor")
        || owner.equals(CONCURRENT + "ScheduledThreadPoolExecutor");
  }

  /// Returns true if a call passes a thread factory to the JDK, which uses it to start threads.
  static boolean givesFactory(String owner, MethodTypeDesc type) {
    int count = type.parameterCount();
    return owner.startsWith(CONCURRENT)
        && count > 0
        && (type.parameterType(count - 1).equals(FACTORY) || isBeforeHandler(type));
  }

  /// Returns true if the factory is the last but one argument of the call.
  static boolean isBeforeHandler(MethodTypeDesc type) {
    int count = type.parameterCount();
    return count > 1
        && type.parameterType(count - 1).equals(REJECTED)
        && type.parameterType(count - 2).equals(FACTORY);
  }

  /// Returns the name of the method of [Substitutes] that supplies an added argument.
  static String giver(ClassDesc added) {
    if (added.equals(GROUP)) {
      return "group";
    }
    return added.equals(EXECUTOR) ? "executor" : "threads";
  }

  static final MethodTypeDesc COUNTED = MethodTypeDesc.of(FACTORY, FACTORY);

  static final MethodTypeDesc MADE =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);

  static final MethodTypeDesc OF_OBJECT =
      MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_Object);

  static final MethodTypeDesc RELAYED =
      MethodTypeDesc.of(
          ClassDesc.of(CompletableFuture.class.getName()),
          ClassDesc.of(CompletableFuture.class.getName()));

  static final MethodTypeDesc COMPUTING =
      MethodTypeDesc.of(
          ConstantDescs.CD_void, ClassDesc.of(ClassValue.class.getName()), ConstantDescs.CD_Class);

  static final MethodTypeDesc STARTING =
      MethodTypeDesc.of(ConstantDescs.CD_void, ClassDesc.of(Thread.class.getName()));
}

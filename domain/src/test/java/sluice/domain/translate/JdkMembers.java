package sluice.domain.translate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.reflect.AccessFlag;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/// The classes of the running JDK, read from its image, and their members that can harm other
/// parties. The modules of tools are excluded, because a domain does not see them.
final class JdkMembers {
  /// A member: the internal name of its class, its name and its descriptor.
  record Entry(String owner, String name, String descriptor, boolean isStatic, boolean isInterface)
      implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
      return owner + "." + name + descriptor;
    }
  }

  /// The classes that give access to threads, and those of threads.
  private static final List<String> OF_THREADS =
      List.of(
          "java/lang/Thread",
          "java/lang/ThreadGroup",
          "java/lang/Thread$Builder",
          "java/util/concurrent/Executor",
          "java/util/concurrent/ThreadFactory",
          "java/util/concurrent/ForkJoinPool$ForkJoinWorkerThreadFactory",
          "java/util/Timer",
          "java/lang/Process",
          "java/lang/ProcessHandle",
          "java/lang/StackWalker",
          "java/lang/management/ThreadInfo",
          "java/lang/management/ThreadMXBean");

  private static final List<String> MAKERS =
      List.of(
          "java/lang/Thread",
          "java/util/Timer",
          "java/util/concurrent/ThreadPoolExecutor",
          "java/util/concurrent/ForkJoinPool");

  private static final String SETTER =
      "(set|add|register|unregister|deregister|remove|clear|reset|install|uninstall|insert|enable"
          + "|disable|load|flush|define|init|configure|put)([A-Z].*)?";

  private static final String MANAGED = "java/lang/management/PlatformManagedObject";

  private final Map<String, ClassModel> classes = new TreeMap<>();
  private final Set<String> exported = new HashSet<>();

  JdkMembers() throws IOException {
    for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
      String name = module.descriptor().name();
      if (isSeen(name)) {
        module.descriptor().exports().stream()
            .filter(each -> !each.isQualified())
            .forEach(each -> exported.add(each.source().replace('.', '/')));
        read(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules", name));
      }
    }
  }

  /// Returns true if a JDK loader other than the application loader defines the module's classes.
  private static boolean isSeen(String module) {
    return ModuleLayer.boot()
        .findModule(module)
        .map(found ->
            found.getClassLoader() == null
                || found.getClassLoader() == ClassLoader.getPlatformClassLoader())
        .orElse(false);
  }

  private void read(Path root) throws IOException {
    ClassFile files = ClassFile.of(ClassFile.DebugElementsOption.DROP_DEBUG);
    try (Stream<Path> all = Files.walk(root)) {
      all.filter(each -> each.toString().endsWith(".class") && !each.endsWith("module-info.class"))
          .forEach(each -> {
            try {
              ClassModel model = files.parse(Files.readAllBytes(each));
              classes.put(model.thisClass().asInternalName(), model);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  private static String packageOf(String name) {
    return name.substring(0, Math.max(0, name.lastIndexOf('/')));
  }

  private boolean isPublic(String name) {
    ClassModel model = classes.get(name);
    if (model == null || !exported.contains(packageOf(name))) {
      return false;
    }
    for (InnerClassInfo each :
        model
            .findAttribute(Attributes.innerClasses())
            .map(found -> found.classes())
            .orElse(List.of())) {
      if (each.innerClass().asInternalName().equals(name)) {
        return each.flags().stream()
                .anyMatch(flag -> flag == AccessFlag.PUBLIC || flag == AccessFlag.PROTECTED)
            && each.outerClass().map(outer -> isPublic(outer.asInternalName())).orElse(false);
      }
    }
    return model.flags().has(AccessFlag.PUBLIC);
  }

  private boolean isBelow(String name, String top) {
    ClassModel model = classes.get(name);
    if (name.equals(top) || model == null) {
      return name.equals(top);
    }
    List<ClassEntry> above = new ArrayList<>(model.interfaces());
    model.superclass().ifPresent(above::add);
    return above.stream().anyMatch(each -> isBelow(each.asInternalName(), top));
  }

  private Set<String> below(List<String> tops) {
    Set<String> result = new HashSet<>();
    for (String name : classes.keySet()) {
      if (tops.stream().anyMatch(top -> isBelow(name, top))) {
        result.add(name);
      }
    }
    return result;
  }

  private interface Choice {
    boolean isIn(ClassModel type, MethodModel method);
  }

  private SortedSet<Entry> methods(Choice choice) {
    TreeSet<Entry> result = new TreeSet<>();
    classes.forEach((name, model) -> {
      if (isPublic(name)) {
        for (MethodModel method : model.methods()) {
          boolean isSeen =
              method.flags().has(AccessFlag.PUBLIC) || method.flags().has(AccessFlag.PROTECTED);
          if (isSeen && !method.flags().has(AccessFlag.SYNTHETIC) && choice.isIn(model, method)) {
            result.add(entry(model, method));
          }
        }
      }
    });
    return result;
  }

  private static Entry entry(ClassModel model, MethodModel method) {
    return new Entry(
        model.thisClass().asInternalName(),
        method.methodName().stringValue(),
        method.methodType().stringValue(),
        method.flags().has(AccessFlag.STATIC),
        model.flags().has(AccessFlag.INTERFACE));
  }

  private static boolean mentions(String signature, Set<String> types) {
    for (int at = signature.indexOf('L'); at >= 0; at = signature.indexOf('L', at + 1)) {
      int end = at + 1;
      while (end < signature.length() && ";<".indexOf(signature.charAt(end)) < 0) {
        end++;
      }
      if (types.contains(signature.substring(at + 1, end))) {
        return true;
      }
    }
    return false;
  }

  /// Returns fields and results that give access to a thread, a group, a pool or a process; methods
  /// that are called with one; and operations on a given thread or group.
  SortedSet<Entry> threadGivers() {
    Set<String> hot = below(OF_THREADS);
    SortedSet<Entry> result =
        methods((type, method) -> {
          String descriptor = method.methodType().stringValue();
          String signature =
              method
                  .findAttribute(Attributes.signature())
                  .map(found -> found.signature().stringValue())
                  .orElse(descriptor);
          String returned =
              descriptor.substring(descriptor.indexOf(')'))
                  + signature.substring(signature.lastIndexOf(')'));
          boolean isCallback =
              method.flags().has(AccessFlag.ABSTRACT)
                  && mentions(signature.substring(0, signature.lastIndexOf(')')), hot);
          String owner = type.thisClass().asInternalName();
          boolean isEffect = owner.equals(OF_THREADS.get(0)) || owner.equals(OF_THREADS.get(1));
          return (isEffect && !method.methodName().stringValue().equals("<init>"))
              || mentions(returned, hot)
              || isCallback;
        });
    classes.forEach((name, model) -> {
      for (FieldModel field : model.fields()) {
        if (isPublic(name)
            && field.flags().has(AccessFlag.PUBLIC)
            && mentions(field.fieldType().stringValue(), hot)) {
          result.add(
              new Entry(
                  name,
                  field.fieldName().stringValue(),
                  field.fieldType().stringValue(),
                  true,
                  false));
        }
      }
    });
    return result;
  }

  /// Returns static methods that return nothing, are named like setters, or store an argument in a
  /// static field; setters of objects that do so; and those of the JVM's own beans.
  SortedSet<Entry> staticSetters() {
    return methods((type, method) -> {
      if (!method.flags().has(AccessFlag.PUBLIC)) {
        return false;
      }
      String name = method.methodName().stringValue();
      String descriptor = method.methodType().stringValue();
      boolean isSetter = name.matches(SETTER);
      if (!method.flags().has(AccessFlag.STATIC)) {
        boolean isBean =
            isBelow(type.thisClass().asInternalName(), MANAGED)
                && (isSetter || name.matches("gc|dump.*"));
        return isBean || (isSetter && puts(type, method, new HashSet<>()));
      }
      return isSetter
          || descriptor.endsWith(")V")
          || (!descriptor.startsWith("()") && puts(type, method, new HashSet<>()));
    });
  }

  /// Returns true if a method, or another method of its class that it calls, writes a static field.
  private static boolean puts(ClassModel type, MethodModel method, Set<MethodModel> seen) {
    if (!seen.add(method) || method.code().isEmpty()) {
      return false;
    }
    for (CodeElement element : method.code().get()) {
      if (element instanceof FieldInstruction field && field.opcode() == Opcode.PUTSTATIC) {
        return true;
      }
      if (element instanceof InvokeInstruction call
          && call.owner().asInternalName().equals(type.thisClass().asInternalName())
          && (call.opcode() == Opcode.INVOKESTATIC || call.opcode() == Opcode.INVOKESPECIAL)) {
        for (MethodModel each : type.methods()) {
          if (each.methodName().equalsString(call.name().stringValue())
              && each.methodType().equalsString(call.type().stringValue())
              && puts(type, each, seen)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /// Returns the methods of all classes, including unexported ones, that create a thread, a timer
  /// or a pool.
  SortedSet<String> threadMakers() {
    Set<String> made = below(MAKERS);
    Map<String, Set<String>> makers = new HashMap<>();
    Set<String> calls =
        Set.of("java/util/concurrent/Executors", "jdk/internal/misc/InnocuousThread");
    classes.forEach((name, model) -> {
      for (MethodModel method : model.methods()) {
        if (method.code().isPresent() && makes(method, made, calls)) {
          makers
              .computeIfAbsent(name, _ -> new TreeSet<>())
              .add(method.methodName().stringValue().replaceFirst("^lambda\\$(\\w+)\\$\\d+", "$1"));
        }
      }
    });
    TreeSet<String> result = new TreeSet<>();
    makers.forEach((name, methods) -> methods.forEach(each -> result.add(name + "." + each)));
    return result;
  }

  private static boolean makes(MethodModel method, Set<String> made, Set<String> calls) {
    for (CodeElement element : method.code().orElseThrow()) {
      if (element instanceof NewObjectInstruction created
          && made.contains(created.className().asInternalName())) {
        return true;
      }
      if (element instanceof InvokeInstruction call && call.opcode() == Opcode.INVOKESTATIC) {
        String owner = call.owner().asInternalName();
        String name = call.name().stringValue();
        if ((calls.contains(owner) && name.startsWith("new"))
            || (owner.equals("java/lang/Thread")
                && name.matches("of(Platform|Virtual)|startVirtual.*"))) {
          return true;
        }
      }
    }
    return false;
  }
}

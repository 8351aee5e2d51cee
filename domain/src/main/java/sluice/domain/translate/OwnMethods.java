package sluice.domain.translate;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.Interfaces;
import java.lang.classfile.TypeKind;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.OwnPool;
import sluice.domain.inside.OwnSocket;
import sluice.domain.inside.OwnThread;

/// Adds the methods of [OwnThread], [OwnPool] or [OwnSocket], as final methods, to direct
/// subclasses of `Thread` and of the JDK's pools and sockets. Stateless.
final class OwnMethods {
  private static final ClassDesc THREAD = ClassDesc.of(OwnThread.class.getName());
  private static final ClassDesc POOL = ClassDesc.of(OwnPool.class.getName());

  private static final ClassDesc SOCKET = ClassDesc.of(OwnSocket.class.getName());

  /// The JDK's socket classes that have a `close` method, including subclasses that a domain may
  /// extend.
  private static final Set<String> SOCKETS =
      Set.of(
          "java/net/Socket",
          "java/net/ServerSocket",
          "java/net/DatagramSocket",
          "java/net/MulticastSocket",
          "javax/net/ssl/SSLSocket",
          "javax/net/ssl/SSLServerSocket");

  private OwnMethods() {}

  /// Returns the transformation that adds the methods to a class, or null if none is required.
  static @Nullable ClassTransform of(ClassModel model, Ancestry ancestry) {
    String above = model.superclass().map(ClassEntry::asInternalName).orElse("");
    List<String> ofJdk = ancestry.ofJdk(above);
    if (ofJdk.isEmpty() || !ofJdk.getFirst().equals(above)) {
      return null;
    }
    if (ancestry.isThread(above)) {
      return added(
          model,
          THREAD,
          builder -> {
            method(builder, "sluiceInterrupt", above, "interrupt", "()V");
            method(builder, "sluiceState", above, "getState", "()Ljava/lang/Thread$State;");
            method(
                builder,
                "sluiceHandler",
                above,
                "getUncaughtExceptionHandler",
                "()Ljava/lang/Thread$UncaughtExceptionHandler;");
            method(
                builder,
                "sluiceHandler",
                above,
                "setUncaughtExceptionHandler",
                "(Ljava/lang/Thread$UncaughtExceptionHandler;)V");
          });
    }
    if (Redirects.isPool(above)) {
      return added(
          model,
          POOL,
          builder -> method(builder, "sluiceShutdown", above, "shutdownNow", "()Ljava/util/List;"));
    }
    if (SOCKETS.contains(above)) {
      return added(model, SOCKET, builder -> method(builder, "sluiceClose", above, "close", "()V"));
    }
    return null;
  }

  /// Adds a method that calls another method of the superclass even if that method is overridden.
  /// All parameters are objects.
  private static void method(
      ClassBuilder builder, String name, String above, String called, String descriptor) {
    MethodTypeDesc type = MethodTypeDesc.ofDescriptor(descriptor);
    builder.withMethodBody(
        name,
        type,
        ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC,
        code -> {
          code.aload(0);
          for (int i = 0; i < type.parameterCount(); i++) {
            code.aload(code.parameterSlot(i));
          }
          code.invokespecial(ClassDesc.ofInternalName(above), called, type)
              .return_(TypeKind.from(type.returnType()));
        });
  }

  private interface Methods {
    void addTo(ClassBuilder builder);
  }

  /// Adds one interface and its methods to a class.
  private static ClassTransform added(ClassModel model, ClassDesc face, Methods methods) {
    List<ClassDesc> faces = new ArrayList<>();
    model.interfaces().forEach(each -> faces.add(each.asSymbol()));
    faces.add(face);
    return new ClassTransform() {
      @Override
      public void accept(ClassBuilder builder, ClassElement element) {
        if (!(element instanceof Interfaces)) {
          builder.with(element);
        }
      }

      @Override
      public void atEnd(ClassBuilder builder) {
        builder.withInterfaceSymbols(faces);
        methods.addTo(builder);
      }
    };
  }
}

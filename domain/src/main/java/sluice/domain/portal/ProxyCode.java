package sluice.domain.portal;

import static java.lang.constant.ConstantDescs.CD_MethodHandle;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_Throwable;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.CLASS_INIT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;

/// Generates the class of a proxy. Each method either copies its arguments and calls a constant
/// method handle in the caller's thread, or boxes the arguments and passes them to the service's
/// thread. Any thread may call.
final class ProxyCode {
  private static final ClassDesc PROXY = desc(Proxy.class);
  private static final MethodTypeDesc TAKES_OBJECT = MethodTypeDesc.of(CD_void, CD_Object);

  private ProxyCode() {}

  static Class<?> define(ProxyLoader loader, Class<?> type, Signature[] signatures, CallPath path) {
    String name = "sluice.proxy." + type.getSimpleName();
    ClassDesc self = ClassDesc.of(name);
    byte[] code =
        ClassFile.of(
                ClassFile.ClassHierarchyResolverOption.of(
                    java.lang.classfile.ClassHierarchyResolver.defaultResolver()
                        .orElse(java.lang.classfile.ClassHierarchyResolver.ofClassLoading(loader))))
            .build(
                self,
                builder -> {
                  builder
                      .withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                      .withSuperclass(PROXY)
                      .withInterfaceSymbols(desc(type));
                  builder.withMethodBody(
                      INIT_NAME,
                      TAKES_OBJECT,
                      ClassFile.ACC_PUBLIC,
                      body ->
                          body.aload(0)
                              .aload(1)
                              .invokespecial(PROXY, INIT_NAME, TAKES_OBJECT)
                              .return_());
                  constants(builder, self, signatures.length);
                  for (int i = 0; i < signatures.length; i++) {
                    int index = i;
                    builder.withMethodBody(
                        signatures[i].method.getName(),
                        descriptor(signatures[i].method),
                        ClassFile.ACC_PUBLIC,
                        body -> {
                          if (path != CallPath.SERVICE) {
                            inThread(body, self, signatures[index], index);
                          } else {
                            handOver(body, signatures[index], index);
                          }
                        });
                  }
                });
    MethodHandle[] handles = new MethodHandle[signatures.length];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = signatures[i].exact;
    }
    Class<?> made = loader.define(name, code);
    Proxy.initialize(made, handles);
    return made;
  }

  private static void constants(ClassBuilder builder, ClassDesc self, int count) {
    for (int i = 0; i < count; i++) {
      builder.withField(
          "service" + i,
          CD_MethodHandle,
          ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_FINAL);
    }
    builder.withMethodBody(
        CLASS_INIT_NAME,
        MTD_void,
        ClassFile.ACC_STATIC,
        body -> {
          for (int i = 0; i < count; i++) {
            body.loadConstant(i)
                .invokestatic(PROXY, "constant", MethodTypeDesc.of(CD_MethodHandle, CD_int))
                .putstatic(self, "service" + i, CD_MethodHandle);
          }
          body.return_();
        });
  }

  private static void inThread(CodeBuilder body, ClassDesc self, Signature signature, int index) {
    Class<?>[] types = signature.method.getParameterTypes();
    Class<?> returned = signature.method.getReturnType();
    TypeKind kind = TypeKind.from(returned);
    int call = body.allocateLocal(TypeKind.REFERENCE);
    int result = kind == TypeKind.VOID ? -1 : body.allocateLocal(kind);
    int thrown = body.allocateLocal(TypeKind.REFERENCE);
    body.aload(0).invokevirtual(PROXY, "enter", MethodTypeDesc.of(CD_Object)).astore(call);
    body.trying(
        guarded -> {
          guarded
              .getstatic(self, "service" + index, CD_MethodHandle)
              .aload(call)
              .invokestatic(PROXY, "target", MethodTypeDesc.of(CD_Object, CD_Object));
          for (int i = 0; i < types.length; i++) {
            int slot = guarded.parameterSlot(i);
            if (types[i].isPrimitive()) {
              guarded.loadLocal(TypeKind.from(types[i]), slot);
            } else {
              guarded
                  .aload(call)
                  .loadConstant(index)
                  .loadConstant(i)
                  .aload(slot)
                  .invokestatic(
                      PROXY,
                      "argument",
                      MethodTypeDesc.of(CD_Object, CD_Object, CD_int, CD_int, CD_Object));
            }
          }
          MethodType exact = signature.exact.type();
          guarded.invokevirtual(
              CD_MethodHandle, "invokeExact", exact.describeConstable().orElseThrow());
          if (kind == TypeKind.REFERENCE) {
            guarded
                .astore(result)
                .aload(call)
                .loadConstant(index)
                .aload(result)
                .invokestatic(
                    PROXY, "result", MethodTypeDesc.of(CD_Object, CD_Object, CD_int, CD_Object))
                .checkcast(desc(returned));
          }
          if (kind != TypeKind.VOID) {
            guarded.storeLocal(kind, result);
          }
        },
        catches ->
            catches.catchingAll(handler ->
                handler
                    .astore(thrown)
                    .aload(call)
                    .aload(thrown)
                    .invokestatic(
                        PROXY, "failed", MethodTypeDesc.of(CD_Throwable, CD_Object, CD_Throwable))
                    .athrow()));
    body.aload(call).invokestatic(PROXY, "leave", TAKES_OBJECT);
    if (kind != TypeKind.VOID) {
      body.loadLocal(kind, result);
    }
    body.return_(kind);
  }

  private static void handOver(CodeBuilder body, Signature signature, int index) {
    Class<?>[] types = signature.method.getParameterTypes();
    body.aload(0).loadConstant(index).loadConstant(types.length).anewarray(CD_Object);
    for (int i = 0; i < types.length; i++) {
      body.dup().loadConstant(i).loadLocal(TypeKind.from(types[i]), body.parameterSlot(i));
      if (types[i].isPrimitive()) {
        ClassDesc box = desc(MethodType.methodType(types[i]).wrap().returnType());
        body.invokestatic(box, "valueOf", MethodTypeDesc.of(box, desc(types[i])));
      }
      body.aastore();
    }
    body.invokevirtual(PROXY, "send", MethodTypeDesc.of(CD_Object, CD_int, CD_Object.arrayType()));
    Class<?> returned = signature.method.getReturnType();
    if (returned == void.class) {
      body.pop().return_();
    } else if (returned.isPrimitive()) {
      ClassDesc box = desc(MethodType.methodType(returned).wrap().returnType());
      body.checkcast(box)
          .invokevirtual(box, returned.getName() + "Value", MethodTypeDesc.of(desc(returned)))
          .return_(TypeKind.from(returned));
    } else {
      body.checkcast(desc(returned)).areturn();
    }
  }

  private static MethodTypeDesc descriptor(Method method) {
    return MethodType.methodType(method.getReturnType(), method.getParameterTypes())
        .describeConstable()
        .orElseThrow();
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }
}

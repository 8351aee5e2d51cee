package sluice.domain.translate;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import sluice.domain.inside.Inside;

/// The class with the gate of a domain, of which each domain defines its own. Stateless.
///
/// Its one method is one `invokedynamic`, whose target is the same for all gates of the domain:
/// while it is within its budget, compiled code contains nothing of it.
final class Gate {
  static final ClassDesc NAME = ClassDesc.ofInternalName(Relocation.OWN + "Gate");
  static final String METHOD = "pass";

  private Gate() {}

  static byte[] bytes() {
    DirectMethodHandleDesc bootstrap =
        ConstantDescs.ofCallsiteBootstrap(
            ClassDesc.of(Inside.class.getName()), "gate", ConstantDescs.CD_CallSite);
    return ClassFile.of()
        .build(
            NAME,
            type ->
                type.withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL)
                    .withMethodBody(
                        METHOD,
                        ConstantDescs.MTD_void,
                        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                        code ->
                            code.invokedynamic(
                                    DynamicCallSiteDesc.of(
                                        bootstrap, METHOD, ConstantDescs.MTD_void))
                                .return_()));
  }
}

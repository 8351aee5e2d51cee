package sluice.domain.inside;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Marks a static method that translated code calls in place of members of the JDK with the same
/// parameters and result.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface InsteadOf {
  /// The members, each as the internal name of the class, a dot, and the member's name.
  String[] value();

  /// The kind of the members.
  Kind kind() default Kind.STATIC;

  /// The kind of a replaced member.
  enum Kind {
    /// A static method with the same descriptor.
    STATIC,
    /// An instance method; the object becomes the first parameter.
    RECEIVER,
    /// A static field that is read; its type is the result.
    FIELD,
    /// A constructor called for a new object, which is the result.
    CONSTRUCTOR
  }
}

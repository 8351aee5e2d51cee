package sluice.verify;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.Value;

/// The entry of the cost table for one method. Instances are immutable.
///
/// @param work the number of bytecodes
/// @param bytes the number of allocated bytes
/// @param low the smallest result, if it is a number
/// @param high the largest result, or null if it is not known
/// @param length the length of the returned object, or null if it is the maximum that is guaranteed
///   by the host
/// @param index the argument that is less than the length of the receiver when the call returns, or
///   -1
/// @param kept the argument that is retained and may later be returned by the receiver, or -1
/// @param unless a class of the JDK whose methods are called; there is no bound if the component
///   extends this class
record Cost(
    Sum work,
    Sum bytes,
    long low,
    @Nullable Sum high,
    @Nullable Sum length,
    int index,
    int kept,
    @Nullable String unless) {

  /// A linear expression, which consists of a constant and multiples of the lengths and values of
  /// the arguments. The receiver is argument 0.
  record Sum(long constant, List<Term> terms) {
    static final Sum ZERO = new Sum(0, List.of());

    /// Evaluates the expression.
    ///
    /// @throws Refused if a length in the expression is unlimited
    long of(Value[] arguments, int maxLength) throws Refused {
      long sum = constant;
      for (Term term : terms) {
        if (term.argument() < 0) {
          sum = Bound.add(sum, Bound.multiply(term.factor(), maxLength));
          continue;
        }
        Value argument = arguments[term.argument()];
        long most = Math.max(0, argument.high());
        if (term.isArray()) {
          most = Math.min(most, maxLength);
        } else if (most == Long.MAX_VALUE) {
          throw new Refused(
              Reason.LENGTH, -1, "the length of argument " + term.argument() + " has no limit");
        }
        sum = Bound.add(sum, Bound.multiply(term.factor(), most));
      }
      return sum;
    }

    /// Parses an expression such as `20+2*length(0)+value(1)+declared`.
    ///
    /// @param arrays the arguments that are arrays, whose length is always limited
    /// @throws IllegalArgumentException if the text is not an expression
    static Sum parse(String text, boolean[] arrays) {
      long constant = 0;
      List<Term> terms = new ArrayList<>();
      for (String part : text.split("\\+", -1)) {
        int star = part.indexOf('*');
        String rest = part.substring(star + 1);
        long factor = star < 0 ? 1 : number(part.substring(0, star));
        if (rest.equals("declared")) {
          terms.add(new Term(factor, -1, false));
        } else if (rest.endsWith(")")) {
          int open = rest.indexOf('(');
          String what = open < 0 ? "" : rest.substring(0, open);
          int argument = (int) number(rest.substring(open + 1, rest.length() - 1));
          boolean isKnown = what.equals("length") || what.equals("value");
          if (!isKnown || argument >= arrays.length) {
            throw new IllegalArgumentException("no such argument: " + rest);
          }
          terms.add(new Term(factor, argument, arrays[argument]));
        } else {
          constant = Bound.add(constant, Bound.multiply(factor, number(rest)));
        }
      }
      return new Sum(constant, List.copyOf(terms));
    }

    private static long number(String text) {
      if (!text.matches("[0-9]{1,12}")) {
        throw new IllegalArgumentException("no number: " + text);
      }
      return Long.parseLong(text);
    }
  }

  /// A multiple of the length or the value of one argument, or of the declared maximum length if
  /// the argument is -1.
  record Term(long factor, int argument, boolean isArray) {}
}

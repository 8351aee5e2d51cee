package sluice.testbase.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import sluice.testbase.report.TestOutcome.Kind;

/// Reads one `TEST-*.xml` of Maven Surefire. Used by one thread.
///
/// @param module the directory of the Maven module, relative to the root
/// @param again whether the file is of the second run of tests that failed
/// @param seconds that its tests took together, with what comes before and after them
/// @param outcomes all tests of the file
/// @param notes lines that tests printed for the end of the run (`intermittent: …`)
record ReportFile(
    String module, boolean again, double seconds, List<TestOutcome> outcomes, List<String> notes) {
  /// The suffix that the second run gives its reports (`surefire.reportNameSuffix`).
  static final String AGAIN = "again";

  private static final int LONGEST_LINE = 300;

  /// @throws IOException when the file cannot be read or is no report: a test process that dies
  ///   leaves half a file
  static ReportFile read(String module, Path file) throws IOException {
    boolean again = file.getFileName().toString().endsWith("-" + AGAIN + ".xml");
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader xml = factory.createXMLStreamReader(in);
      List<TestOutcome> outcomes = new ArrayList<>();
      List<String> notes = new ArrayList<>();
      double seconds = 0;
      while (xml.hasNext()) {
        if (xml.next() != XMLStreamConstants.START_ELEMENT) {
          continue;
        }
        switch (xml.getLocalName()) {
          case "testsuite" -> seconds = seconds(attribute(xml, "time"));
          case "testcase" -> outcomes.add(testCase(xml, notes));
          default -> {} // properties of the test process
        }
      }
      return new ReportFile(module, again, seconds, outcomes, notes);
    } catch (XMLStreamException | NumberFormatException e) {
      throw new IOException(file + " is no whole report: " + e.getMessage(), e);
    }
  }

  /// Surefire groups the digits of a long time by commas.
  private static double seconds(String time) {
    return time.isEmpty() ? 0 : Double.parseDouble(time.replace(",", ""));
  }

  private static TestOutcome testCase(XMLStreamReader xml, List<String> notes)
      throws XMLStreamException {
    String className = attribute(xml, "classname").replace("(" + AGAIN + ")", "");
    String name = attribute(xml, "name");
    Kind kind = Kind.PASSED;
    String message = "";
    String detail = "";
    List<String> seeds = new ArrayList<>();
    while (xml.next() != XMLStreamConstants.END_ELEMENT) {
      if (xml.getEventType() != XMLStreamConstants.START_ELEMENT) {
        continue;
      }
      switch (xml.getLocalName()) {
        case "failure", "error" -> {
          kind = Kind.FAILED;
          message = attribute(xml, "message");
          detail = xml.getElementText();
        }
        case "skipped" -> {
          kind = kind == Kind.FAILED ? kind : Kind.SKIPPED;
          message = attribute(xml, "message");
          String text = xml.getElementText();
          message = message.isEmpty() ? firstLine(text) : message;
        }
        case "system-out", "system-err" -> output(xml.getElementText(), seeds, notes);
        default -> xml.getElementText();
      }
    }
    return new TestOutcome(className, name, kind, message, detail, seeds);
  }

  private static void output(String text, List<String> seeds, List<String> notes) {
    text.lines()
        .forEach(line -> {
          if (line.contains("seed") || line.contains("Seed")) {
            seeds.add(cut(line));
          }
          if (line.startsWith("intermittent: ")) {
            notes.add(cut(line));
          }
        });
  }

  /// The first line of a stack, without the name of the exception's class.
  private static String firstLine(String text) {
    String first = text.lines().findFirst().orElse("");
    return first.substring(first.indexOf(": ") < 0 ? 0 : first.indexOf(": ") + 2);
  }

  private static String attribute(XMLStreamReader xml, String name) {
    String value = xml.getAttributeValue(null, name);
    return value == null ? "" : value;
  }

  static String cut(String line) {
    return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE);
  }
}

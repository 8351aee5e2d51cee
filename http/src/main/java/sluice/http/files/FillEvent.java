package sluice.http.files;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// A JFR event: the slow path has made the answer for a path. The thread that made it emits the
/// event after it has handed over the result. The class is loaded only when a recording runs.
@Name("sluice.Fill")
@Label("Reply Cache Fill")
@Category({"Sluice", "HTTP"})
@Description("A request had to wait for the file system")
@StackTrace(false)
public final class FillEvent extends Event {
  @Label("Path")
  String path = "";

  @Label("Status")
  int status;

  @Label("Time Taken")
  @Timespan(Timespan.NANOSECONDS)
  long fillNanos;

  public static void report(String path, int status, long nanos) {
    FillEvent event = new FillEvent();
    event.path = path;
    event.status = status;
    event.fillNanos = nanos;
    event.commit();
  }
}

package sluice.http.files;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/// A JFR event that records the creation of an answer for a path on the slow path. The creating
/// thread emits the event after it has submitted the result. The class is only loaded while a
/// recording is running.
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

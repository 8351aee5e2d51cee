package sluice.domain.inside;

import java.lang.reflect.Method;
import java.util.Enumeration;

/// Deregisters the database drivers of a domain. `DriverManager` only allows a caller to deregister
/// the drivers of its own loader, so each domain that has used it defines a copy of this class.
/// Stateless.
public final class Drivers {
  private Drivers() {}

  /// Deregisters all drivers of this class's loader.
  public static void deregister() throws ReflectiveOperationException {
    ClassLoader own = Drivers.class.getClassLoader();
    Class<?> manager = Class.forName("java.sql.DriverManager");
    Class<?> driver = Class.forName("java.sql.Driver");
    Method deregister = manager.getMethod("deregisterDriver", driver);
    Enumeration<?> all = (Enumeration<?>) manager.getMethod("getDrivers").invoke(null);
    while (all.hasMoreElements()) {
      Object each = all.nextElement();
      if (each.getClass().getClassLoader() == own) {
        deregister.invoke(null, each);
      }
    }
  }
}

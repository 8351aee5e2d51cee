package sluice.domain;

import java.util.ArrayList;
import java.util.List;

/// Runs a guest's class initializer on a virtual thread of a domain, next to threads that make
/// carriers change. It runs in a process of its own, because the JVM crashes if the translator is
/// wrong.
final class InitializerMain {
  private InitializerMain() {}

  public static void main(String[] arguments) throws Exception {
    DomainConfig config = DomainConfig.of("initializer", Guests.classes());
    try (Domain domain = Domain.create(config)) {
      List<Thread> neighbours = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        neighbours.add(start(domain, "Initializers$Neighbour"));
      }
      start(domain, "Initializers$Waiting").join();
      for (Thread each : neighbours) {
        each.interrupt();
        each.join();
      }
    }
    System.out.println("the end");
  }

  private static Thread start(Domain domain, String guest) throws Exception {
    Thread thread = domain.serviceThread(guest, (Runnable) Guests.create(domain, guest));
    thread.start();
    return thread;
  }
}

package sluice.domain.portal;

/// Defines the class of one proxy. It sees the interface as its holder does, and [Proxy]; so the
/// holder's loader need not know Sluice. Any thread; collected with the proxies.
final class ProxyLoader extends ClassLoader {
  ProxyLoader(ClassLoader holder) {
    super(holder);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    return name.equals(Proxy.class.getName()) ? Proxy.class : super.loadClass(name, resolve);
  }

  Class<?> define(String name, byte[] code) {
    return defineClass(name, code, 0, code.length);
  }
}

package io.streampulse.agent;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;

/** A logger whose calls go to a test. */
public final class FakeLogger {
  private FakeLogger() {}

  /** A logger of that handler. */
  public static Logger of(InvocationHandler handler) {
    return (Logger)
        Proxy.newProxyInstance(
            FakeLogger.class.getClassLoader(), new Class<?>[] {Logger.class}, handler);
  }
}

package io.streampulse.it;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What this JVM logs at WARN or above while it is open. */
final class Warnings extends AbstractAppender implements AutoCloseable {
  private final List<String> texts = new CopyOnWriteArrayList<>();

  private Warnings() {
    super("warnings", null, null, true, Property.EMPTY_ARRAY);
  }

  static Warnings keep() {
    Warnings warnings = new Warnings();
    warnings.start();
    root().addAppender(warnings);
    return warnings;
  }

  List<String> texts() {
    return texts;
  }

  @Override
  public void append(LogEvent event) {
    if (event.getLevel().isMoreSpecificThan(Level.WARN)) {
      texts.add(event.getMessage().getFormattedMessage());
    }
  }

  @Override
  public void close() {
    root().removeAppender(this);
    stop();
  }

  private static Logger root() {
    return (Logger) LogManager.getRootLogger();
  }
}
